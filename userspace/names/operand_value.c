// SPDX-License-Identifier: GPL-2.0
#include "operand_track.h"

#include <stdlib.h>
#include <string.h>

#include "../util/number.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "operand_vars.h"

static __u64 magnitude(__s64 number)
{
	return number < 0 ? 0 - (__u64)number : (__u64)number;
}

static __s64 plus(__s64 a, __s64 b)
{
	return (__s64)((__u64)a + (__u64)b);
}

/*
 * Normalize a number to an offset below the step. A pointer keeps its offset: it is where the steps
 * begin, and so in which array they are.
 */
static struct value settled(struct value value)
{
	if (value.step > 1ULL << 62)
		return (struct value){ 0 };
	if (!value.step || value.kind == VALUE_POINTER)
		return value;
	value.offset %= (__s64)value.step;
	if (value.offset < 0)
		value.offset += (__s64)value.step;
	return value;
}

bool value_same(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->type == b->type && a->offset == b->offset &&
	       a->step == b->step;
}

struct value value_add(struct value a, struct value b)
{
	struct value address = a.kind == VALUE_NUMBER ? b : a;
	const struct value number = a.kind == VALUE_NUMBER ? a : b;

	/* An unknown number may be the distance to another object. */
	if (number.kind != VALUE_NUMBER || address.kind == VALUE_UNKNOWN)
		return (struct value){ 0 };
	address.offset = plus(address.offset, number.offset);
	address.step = number_divisor(address.step, number.step);
	return settled(address);
}

struct value value_times(struct value value, __s64 by)
{
	struct value product = { .kind = VALUE_NUMBER };
	__u64 step = value.kind == VALUE_NUMBER ? value.step : 1;

	if (__builtin_mul_overflow(step, magnitude(by), &product.step) ||
	    (value.kind == VALUE_NUMBER &&
	     __builtin_mul_overflow(value.offset, by, &product.offset)))
		return (struct value){ 0 };
	return settled(product);
}

static bool in_object(const struct operand_types *types, const struct value *value)
{
	const struct operand_type *type = operand_type_at(types, value->type);

	return type && value->offset >= 0 && (__u64)value->offset < type->size;
}

struct value value_meet(const struct operand_types *types, struct value a, struct value b)
{
	__s64 apart;

	/* A null pointer is not followed, so the other value holds. */
	if (a.kind == VALUE_NUMBER && !a.offset && !a.step && b.kind == VALUE_POINTER)
		return b;
	if (b.kind == VALUE_NUMBER && !b.offset && !b.step && a.kind == VALUE_POINTER)
		return a;
	if (value_same(&a, &b))
		return a;
	if (a.kind != b.kind || a.type != b.type || a.kind == VALUE_STACK)
		return (struct value){ 0 };
	/*
	 * Steps that begin in an object go through an array of such objects. Steps that begin
	 * behind it may go through something else that lies there.
	 */
	if (a.kind == VALUE_POINTER && !a.step && !b.step && !in_object(types, &a) &&
	    !in_object(types, &b))
		return (struct value){ 0 };
	apart = value_apart(b.offset, a.offset);
	a.step = number_divisor(number_divisor(a.step, b.step), magnitude(apart));
	return settled(a);
}

bool value_includes(const struct value *value, __u32 type, __s64 offset)
{
	if (value->kind != VALUE_POINTER || value->type != type)
		return false;
	if (!value->step)
		return value->offset == offset;
	return !(magnitude(value_apart(offset, value->offset)) % value->step);
}

/* Which facts hold at which instruction. If two variables share a register, only one is right. */

#define MOST	(1U << 20)	/* facts at instructions of one function */

/* The first instruction at or after an address. */
static size_t step_from(const struct step *steps, size_t nr, __u64 address)
{
	return FIRST_WHERE(i, nr, steps[i].at >= address);
}

/*
 * Two variables are in one register: one is a cast of the other, or points to a member of what the
 * other points to. Then take the larger object, which contains both. If neither contains the other,
 * the type is unknown.
 */
static void merge_facts(struct fact *known, const struct fact *other,
			const struct operand_types *types)
{
	const struct operand_type *a = operand_type_at(types, known->type);
	const struct operand_type *b = operand_type_at(types, other->type);
	__s64 apart = value_apart(other->offset, known->offset);

	if (!a || !b || (known->type == other->type && !apart))
		return;
	if (a->compound != b->compound) {
		if (b->compound)
			*known = *other;
		return;
	}
	if (a->compound && apart >= 0 && operand_type_holds(a, (__u64)apart, b))
		return;
	if (a->compound && apart <= 0 && operand_type_holds(b, 0 - (__u64)apart, a)) {
		*known = *other;
		return;
	}
	known->type = 0;
}

void facts_spread(struct facts *facts, const struct function_vars *vars,
		  const struct step *steps, size_t nr)
{
	size_t i, at, whole = 0;

	facts->first = xcalloc(nr + 2, sizeof(*facts->first));
	facts->rows = NULL;
	for (i = 0; i < vars->nr_facts && whole <= MOST; i++) {
		const struct fact *fact = &vars->facts[i];

		for (at = step_from(steps, nr, fact->start);
		     at < nr && steps[at].at < fact->end && whole <= MOST; at++) {
			facts->first[at + 2]++;
			whole++;
		}
	}
	if (whole > MOST || vars->too_many) {
		memset(facts->first, 0, (nr + 2) * sizeof(*facts->first));
		return;
	}
	/* Turn counts into start indices, one place further on: filling rows[] moves them back. */
	for (at = 2; at < nr + 2; at++)
		facts->first[at] += facts->first[at - 1];
	facts->rows = xcalloc(whole, sizeof(*facts->rows));
	for (i = 0; i < vars->nr_facts; i++) {
		const struct fact *fact = &vars->facts[i];

		for (at = step_from(steps, nr, fact->start);
		     at < nr && steps[at].at < fact->end; at++)
			facts->rows[facts->first[at + 1]++] = fact;
	}
}

void facts_free(struct facts *facts)
{
	free(facts->first);
	free(facts->rows);
}

bool facts_of(const struct facts *facts, const struct operand_types *types, size_t at, __u8 reg,
	      struct fact *told)
{
	bool any = false;
	size_t i;

	for (i = facts->first[at]; i < facts->first[at + 1]; i++) {
		if (facts->rows[i]->reg != reg)
			continue;
		if (!any)
			*told = *facts->rows[i];
		else
			merge_facts(told, facts->rows[i], types);
		any = true;
	}
	return any;
}

bool facts_fit(const struct facts *facts, struct operand_types *types, size_t at,
	       const struct step *step, __u64 steps_of, struct fact *told)
{
	bool any = false;
	size_t i;

	for (i = facts->first[at]; i < facts->first[at + 1]; i++) {
		struct fact fact = *facts->rows[i];
		enum operand_place place;
		__s64 offset;

		offset = fact.offset + step->disp;
		if (fact.reg != step->base ||
		    operand_type_fits(types, fact.type, &offset, steps_of, step->width,
				      &place) == FIT_NONE)
			continue;
		if (!any)
			*told = fact;
		else
			merge_facts(told, &fact, types);
		any = true;
	}
	return any && told->type;
}
