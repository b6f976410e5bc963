/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's BTF as DWARF, so that what reads types of programs reads those of the kernel: types
 * alone, without code, variables and lines.
 */
#ifndef MEMLAT_BTF_DWARF_H
#define MEMLAT_BTF_DWARF_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "btf.h"

struct btf_dwarf;

/*
 * base: that of what btf goes on from, which has to live as long; NULL: it begins. NULL: libdw does
 * not take it. btf need not live as long.
 */
struct btf_dwarf *btf_dwarf_new(const struct btf *btf, const struct btf_dwarf *base);
void btf_dwarf_free(struct btf_dwarf *dwarf);

/* False: void, or no type that has a DIE. */
bool btf_dwarf_type(const struct btf_dwarf *dwarf, __u32 id, Dwarf_Die *die);

#endif
