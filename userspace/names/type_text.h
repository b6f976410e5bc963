/* SPDX-License-Identifier: GPL-2.0 */
/* What the two readers of types share: see types.h. */
#ifndef MEMLAT_TYPE_TEXT_H
#define MEMLAT_TYPE_TEXT_H

#include <stdbool.h>

#include "types.h"

struct type_text {
	char text[TYPE_TEXT_MAX];
	size_t used;
	bool cut;		/* it did not fit: no more is added */
};

__attribute__((format(printf, 2, 3)))
void type_text_add(struct type_text *text, const char *format, ...);

/* One path, or several that share a place: ".{a|b}"; more: and others. */
void type_text_offers(struct type_text *text, const struct type_text *offer, unsigned int nr,
		      bool more);

/* The type of a DIE; of a pointer or array, what it is made of. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
bool type_bare(Dwarf_Die *type, Dwarf_Die *bare);
__u64 type_dimension(Dwarf_Die *range);
/* Where a DIE was declared, if that was elsewhere: inlined copies, members of classes. */
Dwarf_Die type_origin(Dwarf_Die *die);
/* Is it of a language with namespaces? Those of C need no search for them. */
bool type_has_scopes(Dwarf_Die *die);
/* "ns::Outer::": what is around a DIE. */
void type_scope(struct type_text *text, Dwarf_Die *die);

/* Bytes of an object that a member has, from the first to the last one. */
struct type_extent {
	__u64 start, last;
	bool bits;		/* a bit-field: it begins somewhere in them */
};

/* The type of a child that is a member or base of its parent, and where it is; false: it is none. */
bool type_extent(Dwarf_Die *child, Dwarf_Die *type, struct type_extent *extent);
/* rest: the offset in the member */
bool type_extent_holds(const struct type_extent *extent, __u64 offset, __u64 *rest);

#endif
