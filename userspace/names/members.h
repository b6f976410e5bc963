/* SPDX-License-Identifier: GPL-2.0 */
/*
 * List the members of a C or C++ structure, and check that they are where the rules of the language
 * put them. If they are not, the layout of a changed declaration can't be predicted.
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
	struct record_part part;	/* its place in the structure as it is today */
};

struct members {
	Dwarf_Die type;			/* without typedefs and qualifiers */
	const char *name;		/* NULL: it has none */
	struct member *member;		/* in the order of their declaration */
	size_t nr;
	__u64 size;
	__u32 said;			/* alignment that the source asks for; 0: none */
	bool is_union;
	bool cxx;
	bool methods;			/* it has member functions */
	const char *why;		/* why no other layout can be predicted; NULL: one can */
};

/* Is the DIE of C or C++? Nothing is declared in other languages. */
bool members_of_c(Dwarf_Die *type);
#define MEMBERS_NOT_OF_C	"it is not a type of C or C++"

/* Take the type behind typedefs and qualifiers; false: it is no structure, class or union. */
bool members_take(struct pool *pool, struct members *members, Dwarf_Die *type);

#endif
