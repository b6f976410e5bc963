/* SPDX-License-Identifier: GPL-2.0 */
/* Look up the names of the running kernel's addresses. */
#ifndef MEMLAT_KERNEL_READ_H
#define MEMLAT_KERNEL_READ_H

#include "../profile/kernel_names.h"
#include "../profile/snapshot.h"

struct bpf_maps;

/*
 * Name the kernel addresses that the tables have. It is done while they are recorded,
 * because the next boot lays the kernel out anew. @now: these addresses have just been sampled,
 * so that slab caches still have the objects that they had. @maps: those of BPF that were noted
 * meanwhile; NULL: none. 0 or -errno (-EACCES: kptr_restrict).
 */
int kernel_names_read(struct kernel_names **names, const struct snapshot *snap,
		      struct bpf_maps *maps, bool now);
/* Does a table have a kernel address? If none does, nothing has to be read. */
bool kernel_names_wanted(const struct snapshot *snap);

#endif
