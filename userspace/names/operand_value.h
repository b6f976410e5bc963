/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of a register's value. */
#ifndef MEMLAT_OPERAND_VALUE_H
#define MEMLAT_OPERAND_VALUE_H

#include <stdbool.h>

#include "operand_type.h"

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_NUMBER,		/* no address */
	VALUE_POINTER,		/* into an object of a type */
	VALUE_STACK		/* an address on the stack, from where its pointer was at the entry */
};

/*
 * The number or offset is this one (step 0), or this one and some multiple of step more: so
 * steps through an array are told from those to anywhere.
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

/* From one offset to another. Code, and what is damaged, may have any: it wraps as registers do. */
static inline __s64 value_apart(__s64 from, __s64 to)
{
	return (__s64)((__u64)to - (__u64)from);
}

bool value_same(const struct value *a, const struct value *b);
struct value value_add(struct value a, struct value b);
struct value value_times(struct value value, __s64 by);

/* What is true of both: of whatever of the two ways was taken. */
struct value value_meet(const struct operand_types *types, struct value a, struct value b);

/* Does it lead to that type, and is this offset one of those that it may have? */
bool value_includes(const struct value *value, __u32 type, __s64 offset);

#endif
