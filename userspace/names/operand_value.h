/* SPDX-License-Identifier: GPL-2.0 */
/* What is known about the value of a register. */
#ifndef MEMLAT_OPERAND_VALUE_H
#define MEMLAT_OPERAND_VALUE_H

#include <stdbool.h>

#include "operand_type.h"

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_NUMBER,		/* no address */
	VALUE_POINTER,		/* into an object of a type */
	VALUE_STACK		/* a stack address, relative to the stack pointer at the entry */
};

/*
 * The number or offset is exactly this one (step 0), or this one plus any multiple of step. So a
 * walk through an array differs from an access to anywhere.
 */
struct value {
	enum value_kind kind;
	__u32 type;
	__s64 offset;
	__u64 step;
};

static inline struct value value_number(__s64 number)
{
	return (struct value){ .kind = VALUE_NUMBER, .offset = number };
}

static inline struct value value_pointer(__u32 type, __s64 offset)
{
	return (struct value){ .kind = VALUE_POINTER, .type = type, .offset = offset };
}

/* The distance from one offset to another. It wraps as registers do: any value may occur. */
static inline __s64 value_apart(__s64 from, __s64 to)
{
	return (__s64)((__u64)to - (__u64)from);
}

bool value_same(const struct value *a, const struct value *b);
struct value value_add(struct value a, struct value b);
struct value value_times(struct value value, __s64 by);

/* What holds for both values, whichever of two paths was taken. */
struct value value_meet(const struct operand_types *types, struct value a, struct value b);

/* Does it point to that type, and can it have this offset? */
bool value_includes(const struct value *value, __u32 type, __s64 offset);

#endif
