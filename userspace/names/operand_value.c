// SPDX-License-Identifier: GPL-2.0
#include "operand_value.h"

#include "../util/number.h"

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
