/* SPDX-License-Identifier: GPL-2.0 */
/* What the readers of DWARF types share; see types.h. */
#ifndef MEMLAT_TYPE_TEXT_H
#define MEMLAT_TYPE_TEXT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include <linux/types.h>

#include "types.h"

struct type_text {
	char text[TYPE_TEXT_MAX];
	size_t used;
	bool cut;		/* the text did not fit, and no more is added */
};

__attribute__((format(printf, 2, 3)))
void type_text_add(struct type_text *text, const char *format, ...);

/* The type of a DIE; for a pointer or array, the type that it points to or consists of. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
bool type_bare(Dwarf_Die *type, Dwarf_Die *bare);
__u64 type_dimension(Dwarf_Die *range);
__s64 type_first(Dwarf_Die *range);
/* The DIE that declares this one, such as that of an inlined copy or of a class's member. */
Dwarf_Die type_origin(Dwarf_Die *die);
/* Is the DIE of a language with namespaces? For C there is no need to search for them. */
bool type_has_scopes(Dwarf_Die *die);
/* Add the scopes around a DIE, such as "ns::Outer::". */
void type_scope(struct type_text *text, Dwarf_Die *die);

/* A bit-field's first bit, from the start of its structure, and its width; false: it is none. */
bool type_bits(Dwarf_Die *member, __u64 *first, __u64 *bits);

/* The bytes of an object that a member takes, from the first to the last one. */
struct type_extent {
	__u64 start, last;
	bool bits;		/* a bit-field, which begins and ends within these bytes */
};

/* The type and the bytes of a child that is a member or base of its parent; false: it is not. */
bool type_extent(Dwarf_Die *child, Dwarf_Die *type, struct type_extent *extent);
/* Does a member hold the offset? rest becomes the offset within the member, 0 for a bit-field. */
bool type_extent_holds(const struct type_extent *extent, __u64 offset, __u64 *rest);

/* Read attributes of DWARF's entries. */

/* for each child of an entry */
#define DIE_EACH(child, parent) \
	for (int end_ = dwarf_child(parent, &(child)); !end_; \
	     end_ = dwarf_siblingof(&(child), &(child)))

/* A constant of the entry, or of the entry that it is an instance of. False: neither has it. */
bool die_number(Dwarf_Die *die, unsigned int name, __u64 *number);
/* Is the child of a structure part of its objects: a member that is not static, or a base? */
bool die_is_part(Dwarf_Die *child);
/* Is it a structure, class or union? */
bool die_is_compound(Dwarf_Die *type);
/* Is it the type of a pointer or a reference? */
bool die_is_pointer(Dwarf_Die *type);

#endif
