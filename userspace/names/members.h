/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The members of a C or C++ structure, and whether their places are what the rules of the
 * language make of them: else a changed declaration would give another layout than is said.
 */
#ifndef MEMLAT_MEMBERS_H
#define MEMLAT_MEMBERS_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "../util/pool.h"
#include "record_place.h"

struct member {
	Dwarf_Die die, type;
	const char *name;		/* NULL: it has none */
	struct record_part part;	/* with its place as it is */
};

struct members {
	Dwarf_Die type;			/* bare */
	const char *name;		/* NULL: it has none */
	struct member *member;		/* in the order of their declaration */
	size_t nr;
	__u64 size;
	__u32 align;
	__u32 said;			/* an alignment that the source asks for; 0: it does not */
	bool is_union;
	bool cxx;
	bool methods;			/* it has functions, too */
	const char *why;		/* why no other layout can be told of it; NULL: it can */
};

/* The type behind typedefs; false: it is no structure, class or union. */
bool members_take(struct pool *pool, struct members *members, Dwarf_Die *type);

#endif
