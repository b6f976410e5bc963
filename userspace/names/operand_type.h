/* SPDX-License-Identifier: GPL-2.0 */
/* Types that pointers point to, by number, for the tracking of operands. */
#ifndef MEMLAT_OPERAND_TYPE_H
#define MEMLAT_OPERAND_TYPE_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include <linux/types.h>

#include "../util/xalloc.h"
#include "name_cache.h"
#include "operand.h"

/*
 * Keep what types are made of. DIEs are read only once, because the kernel's structures have
 * hundreds of members and are looked up thousands of times.
 */

struct type_shape;

/* The shapes of one file's types. It begins zeroed. */
struct type_shapes {
	struct pool pool;
	struct name_cache by_die;	/* struct type_shape by the address in memory of its DIE */
};

void type_shapes_free(struct type_shapes *shapes);

/* The shape of a type, without typedefs and qualifiers; NULL: it has none. */
struct type_shape *type_shape(struct type_shapes *shapes, Dwarf_Die *type);

/* A part of an object that has no parts itself: a number, a pointer, an enumeration. */
struct type_leaf {
	Dwarf_Die type;		/* without typedefs and qualifiers */
	__u64 offset;		/* offset within the leaf */
	__u64 size;		/* 0: not known */
	__u64 stride;		/* element size of the innermost array that holds it; 0: none */
	bool bits;		/* a bit-field, so offset and size are not exact */
};

/* Call look for each leaf at an offset of an object, until it returns false. */
void type_shape_leaves(struct type_shape *shape, __u64 offset,
		       bool (*look)(void *context, const struct type_leaf *leaf), void *context);

/*
 * A number that is the same for a header's type in all units. It is made of the type's name, size,
 * line of declaration and the names of its members. A type without a name has a number of its own.
 */
__u64 type_shape_identity(struct type_shape *shape);

/* Is there a structure of this identity at an offset of an object? */
bool type_shape_holds(struct type_shape *shape, __u64 offset, __u64 identity);

/* The types of one file. Number 0 is no type. */
struct operand_types {
	struct operand_type **rows;	/* each keeps its address */
	size_t nr, room;
	struct name_cache by_die;	/* numbers, by the DIE's place in memory */
	struct name_cache by_name;	/* a header's type has a DIE in every unit */
	struct type_shapes shapes;
	/* Earlier answers, because large structures have hundreds of members to search. */
	struct name_cache loaded;	/* by number and offset */
	struct name_cache parts;	/* and width */
};

void operand_types_free(struct operand_types *types);

/* The number of a type, for an array of its elements' type; 0: it has no layout. */
__u32 operand_type_number(struct operand_types *types, Dwarf_Die *type);
/* What a pointer or reference points to; 0: @type is neither, or points to no type. */
__u32 operand_type_pointee(struct operand_types *types, Dwarf_Die *type);
/* What the pointer at this offset of an object points to. */
__u32 operand_type_loaded(struct operand_types *types, __u32 number, __u64 offset);

const struct operand_type *operand_type_at(const struct operand_types *types, __u32 number);

/*
 * Does every object of type @outer contain one of type @inner at this offset? Then a pointer to
 * one is a pointer to the other.
 */
bool operand_type_holds(const struct operand_type *outer, __u64 offset,
			const struct operand_type *inner);

/* How an access of a width at an offset fits a type. */
enum operand_fit {
	FIT_NONE,	/* not at all: the type is wrong, or it is another object */
	FIT_TYPE,	/* within the object, over more than one member */
	FIT_MEMBER
};

/*
 * @step: the offset is this one plus any multiple of step; 0: exactly this one. Sets *offset to the
 * offset in one object, and *place to how exact that is.
 */
enum operand_fit operand_type_fits(struct operand_types *types, __u32 number, __s64 *offset,
				   __u64 step, unsigned int width, enum operand_place *place);

#endif
