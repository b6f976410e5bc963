// SPDX-License-Identifier: GPL-2.0
/* Which facts hold at which instruction. If two variables share a register, only one is right. */
#include <stdlib.h>
#include <string.h>

#include "../util/search.h"
#include "../util/xalloc.h"
#include "operand_value.h"
#include "operand_vars.h"

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
static void settle(struct fact *known, const struct fact *other,
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
			settle(told, facts->rows[i], types);
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
			settle(told, &fact, types);
		any = true;
	}
	return any && told->type;
}
