/* SPDX-License-Identifier: GPL-2.0 */
/* Values in the running kernel's memory, where BTF says that structures have them. */
#ifndef MEMLAT_KERNEL_WORD_H
#define MEMLAT_KERNEL_WORD_H

#include <stdbool.h>

#include "btf_member.h"
#include "kernel_core.h"

/* A structure's member; false: it is not readable. */
bool kernel_number(const struct kernel_core *core, __u64 structure, struct btf_place place,
		   __u64 *value);
bool kernel_word(const struct kernel_core *core, __u64 address, __u64 *value);

#endif
