/* SPDX-License-Identifier: GPL-2.0 */
/* Read attributes of DWARF's entries. */
#ifndef MEMLAT_DIE_H
#define MEMLAT_DIE_H

#include <stdbool.h>

#include <elfutils/libdw.h>
#include <linux/types.h>

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
