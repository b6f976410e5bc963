/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Convert the kernel's BTF to DWARF, so that the code that reads types of programs can read those
 * of the kernel. Only types are converted; there is no code, no variables and no lines.
 */
#ifndef MEMLAT_BTF_DWARF_H
#define MEMLAT_BTF_DWARF_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "btf.h"

struct btf_dwarf;

/*
 * base is the DWARF made from btf_base(btf), and has to live as long as the result; NULL for the
 * kernel's own BTF. btf itself may be freed afterwards. Returns NULL if libdw rejects the result.
 */
struct btf_dwarf *btf_dwarf_new(const struct btf *btf, const struct btf_dwarf *base);
void btf_dwarf_free(struct btf_dwarf *dwarf);

/* The DIE of the type with this id; false: it is void or has no DIE. */
bool btf_dwarf_type(const struct btf_dwarf *dwarf, __u32 id, Dwarf_Die *die);

#endif
