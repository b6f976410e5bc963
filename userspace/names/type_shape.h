/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keep what types are made of. DIEs are read only once, because the kernel's structures have
 * hundreds of members and are looked up thousands of times.
 */
#ifndef MEMLAT_TYPE_SHAPE_H
#define MEMLAT_TYPE_SHAPE_H

#include <stdbool.h>

#include <elfutils/libdw.h>
#include <linux/types.h>

#include "../util/pool.h"
#include "memo.h"

struct type_shape;

/* The shapes of one file's types. It begins zeroed. */
struct type_shapes {
	struct pool pool;
	struct memo by_die;	/* struct type_shape by the address in memory of its DIE */
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

#endif
