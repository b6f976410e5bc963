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


/* What is no structure any more: a number, a pointer, an enumeration. */
struct type_leaf {
	Dwarf_Die type;		/* bare */
	__u64 offset;		/* in it */
	__u64 size;		/* 0: not known */
	__u64 stride;		/* bytes of an element of the innermost array that it is of; 0: none */
	bool bits;		/* a bit-field: which bytes it has is told roughly */
};

/* Is this child a member or base of its parent that holds the offset? rest: the one in it. */
bool type_part(Dwarf_Die *child, Dwarf_Die *type, __u64 offset, __u64 *rest);

/* All that are at an offset of an object, of unions each; look says whether to go on. */
void type_leaves(Dwarf_Die *type, __u64 offset,
		 bool (*look)(void *context, const struct type_leaf *leaf), void *context);

#endif
