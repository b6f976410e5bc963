/* SPDX-License-Identifier: GPL-2.0 */
/* Values in the running kernel's memory, by its symbols and by where BTF says that structures have them. */
#ifndef MEMLAT_KERNEL_WORD_H
#define MEMLAT_KERNEL_WORD_H

#include <stdbool.h>

#include "btf_member.h"
#include "kallsyms.h"
#include "kernel_core.h"

/* Where a variable of the kernel's own is; false: it has none of that name. */
bool kernel_symbol(const struct kallsyms *all, const char *name, __u64 *address);

/* A structure's member; false: it is not readable. */
bool kernel_number(const struct kernel_core *core, __u64 structure, struct btf_place place,
		   __u64 *value);
bool kernel_word(const struct kernel_core *core, __u64 address, __u64 *value);

#endif
