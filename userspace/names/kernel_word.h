/* SPDX-License-Identifier: GPL-2.0 */
/* Read members of structures in the running kernel's memory, at the places that BTF has. */
#ifndef MEMLAT_KERNEL_WORD_H
#define MEMLAT_KERNEL_WORD_H

#include <stdbool.h>

#include "btf_member.h"
#include "kernel_core.h"

/* Read a member of a structure; false: it can't be read. */
bool kernel_number(const struct kernel_core *core, __u64 structure, struct btf_place place,
		   __u64 *value);
bool kernel_word(const struct kernel_core *core, __u64 address, __u64 *value);

#endif
