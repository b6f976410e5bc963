/* SPDX-License-Identifier: GPL-2.0 */
/* Write DWARF types as a source spells them, and name the fields in them. */
#ifndef MEMLAT_TYPES_H
#define MEMLAT_TYPES_H

#include <elfutils/libdw.h>
#include <linux/types.h>

#include "../util/xalloc.h"

#define TYPE_TEXT_MAX	512	/* a longer text is cut and ends with "..." */

/* "struct stats", "unsigned long[4]", "ns::Table<int>". */
const char *type_name(struct pool *pool, Dwarf_Die *type);

/*
 * The path of the field at an offset of an object of this type, such as ".per_cpu[3].hits". If a
 * union or bit-fields have several fields there, all of them are named: ".{a|b}". If there is no
 * member, the path ends with "(padding)". NULL: the object has no parts, or the type ends before.
 */
const char *type_field(struct pool *pool, Dwarf_Die *type, __u64 offset);
/*
 * If the offset is of what Rust's Arc<T> or Rc<T> has behind its counts of references, type becomes T,
 * and offset that in it.
 */
void type_unwrap(Dwarf_Die *type, __u64 *offset);

/* The size of an object of this type in bytes; 0: not known. */
__u64 type_size(Dwarf_Die *type);

#endif
