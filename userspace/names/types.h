/* SPDX-License-Identifier: GPL-2.0 */
/* DWARF types: how a source spells them, and what lies where in them. */
#ifndef MEMLAT_TYPES_H
#define MEMLAT_TYPES_H

#include <elfutils/libdw.h>
#include <linux/types.h>

#include "../util/pool.h"

#define TYPE_TEXT_MAX	512	/* what is longer is cut, ending with "..." */

/* "struct stats", "unsigned long[4]", "ns::Table<int>". */
const char *type_name(struct pool *pool, Dwarf_Die *type);

/*
 * What lies at an offset of an object of this type: ".per_cpu[3].hits". Where a union or
 * bit-fields offer several, all of them: ".{a|b}". "(padding)" where no member is.
 * NULL: the object is not made of parts, or the type does not reach there.
 */
const char *type_field(struct pool *pool, Dwarf_Die *type, __u64 offset);

/* Bytes of an object; 0: not known. */
__u64 type_size(Dwarf_Die *type);

#endif
