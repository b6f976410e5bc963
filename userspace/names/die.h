/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of DWARF's entries. */
#ifndef MEMLAT_DIE_H
#define MEMLAT_DIE_H

#include <stdbool.h>

#include <elfutils/libdw.h>
#include <linux/types.h>

/* A constant that the entry has, or the one that it is an instance of. False: it has none. */
bool die_number(Dwarf_Die *die, unsigned int name, __u64 *number);

#endif
