/* SPDX-License-Identifier: GPL-2.0 */
/* Types that pointers lead to, by number: what the tracking of operands compares. */
#ifndef MEMLAT_OPERAND_TYPE_H
#define MEMLAT_OPERAND_TYPE_H

#include <stdbool.h>

#include <elfutils/libdw.h>
#include <linux/types.h>

#include "memo.h"
#include "operand.h"
#include "type_shape.h"

/* Of one file. Number 0 is no type. */
struct operand_types {
	struct operand_type **rows;	/* each stays where it is */
	size_t nr, room;
	struct memo by_die;	/* numbers, by the DIE's place in memory */
	struct memo by_name;	/* one type of a header has a DIE in every unit */
	struct type_shapes shapes;
	/* What was looked up: large structures have hundreds of members to go through. */
	struct memo loaded;	/* by number and offset */
	struct memo parts;	/* and width */
};

void operand_types_free(struct operand_types *types);

/* A type; of an array its elements'. 0: it has no layout. */
__u32 operand_type_number(struct operand_types *types, Dwarf_Die *type);
/* What a pointer or reference leads to; 0: it is none, or leads to no type. */
__u32 operand_type_pointee(struct operand_types *types, Dwarf_Die *type);
/* What the pointer that lies at this offset of an object leads to. */
__u32 operand_type_loaded(struct operand_types *types, __u32 number, __u64 offset);

const struct operand_type *operand_type_at(const struct operand_types *types, __u32 number);

/*
 * Is an object of type inner at this offset of each of type outer? So whoever points to the
 * one points to the other.
 */
bool operand_type_holds(const struct operand_type *outer, __u64 offset,
			const struct operand_type *inner);

/* How an access of this width at an offset agrees with a type. */
enum operand_fit {
	FIT_NONE,	/* it does not: the type is wrong, or it is another object */
	FIT_TYPE,	/* within the object, over more than one member */
	FIT_MEMBER
};

/*
 * step: the offset is this one and any multiple of that more; 0: it is this one. *offset is then
 * the one in an object, and *place how exact that is.
 */
enum operand_fit operand_type_fits(struct operand_types *types, __u32 number, __s64 *offset,
				   __u64 step, unsigned int width, enum operand_place *place);

#endif
