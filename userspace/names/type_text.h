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

/* What a walk to an offset found, from worse to better. */
enum found {
	FOUND_NONE,		/* no part is there: nothing was added */
	FOUND_PADDING,
	FOUND_PART
};

/* The best of what was found at an offset: of a union, and bit-fields, several members are there. */
struct type_offers {
	struct type_text offer[4];	/* alternatives that are spelled out */
	unsigned int nr;
	bool more;			/* than these */
	enum found best;
};

/* The texts need no beginning. */
static inline void type_offers_begin(struct type_offers *offers)
{
	offers->nr = 0;
	offers->more = false;
	offers->best = FOUND_NONE;
}

void type_offers_take(struct type_offers *offers, enum found found, const struct type_text *text);
/* One path, or several that share a place: ".{a|b}". */
void type_offers_add(struct type_text *text, const struct type_offers *offers);

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
