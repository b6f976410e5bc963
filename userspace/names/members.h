/* SPDX-License-Identifier: GPL-2.0 */
/*
 * List the members of a C or C++ structure, and check that they are where the rules of the language
 * put them. If they are not, the layout of a changed declaration can't be predicted.
 */
#ifndef MEMLAT_MEMBERS_H
#define MEMLAT_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdw.h>

#include <linux/types.h>

#include "../util/xalloc.h"

/* Place the members of a structure by the rules of C, as in the System V ABI for x86-64. */

struct record_part {
	/*
	 * Bytes; for a bit-field, of the type that it is declared with. For a member without a
	 * name, said is the alignment of its type, and rounds this size up.
	 */
	__u64 size;
	bool nameless;
	__u32 align;		/* alignment of its type, in bytes */
	__u32 said;		/* alignment that the source asks for, in bytes; 0: none */
	__u32 bits;		/* width of a bit-field; 0: no bit-field */
	__u64 bit;		/* filled in by record_place(): where it begins, in bits */
};

/*
 * Place the parts in their order, or, in a union, all at its start. least is the alignment that the
 * source asks for the whole; 0: none. No part may be larger than an exabyte. Returns the size of
 * the whole.
 */
__u64 record_place(struct record_part *parts, size_t nr, bool is_union, __u32 least);

/* The first byte behind a part, after record_place(). */
__u64 record_end(const struct record_part *part);

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
