/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What types are made of, read from their DIEs once: structures of the kernel's have hundreds of
 * members, and are asked for thousands of times.
 */
#ifndef MEMLAT_TYPE_SHAPE_H
#define MEMLAT_TYPE_SHAPE_H

#include <stdbool.h>

#include <elfutils/libdw.h>
#include <linux/types.h>

#include "../util/pool.h"
#include "memo.h"

struct type_shape;

/* Of one file; all zeroes: none yet. */
struct type_shapes {
	struct pool pool;
	struct memo by_die;	/* by the DIE's place in memory */
};

void type_shapes_free(struct type_shapes *shapes);

/* The shape of a type, behind names and qualifiers; NULL: it has none. */
struct type_shape *type_shape(struct type_shapes *shapes, Dwarf_Die *type);

/* What is no structure any more: a number, a pointer, an enumeration. */
struct type_leaf {
	Dwarf_Die type;		/* bare */
	__u64 offset;		/* in it */
	__u64 size;		/* 0: not known */
	__u64 stride;		/* bytes of an element of the innermost array that it is of; 0: none */
	bool bits;		/* a bit-field: which bytes it has is told roughly */
};

/* All that are at an offset of an object, of unions each; look says whether to go on. */
void type_shape_leaves(struct type_shape *shape, __u64 offset,
		       bool (*look)(void *context, const struct type_leaf *leaf), void *context);

/*
 * A header's type is the same in all units: of its name, size and place of declaration. What
 * has no name is itself alone.
 */
__u64 type_shape_identity(struct type_shape *shape);

/* Is there a structure of this identity at an offset of an object? */
bool type_shape_holds(struct type_shape *shape, __u64 offset, __u64 identity);

#endif
