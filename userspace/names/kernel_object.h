/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Name kernel addresses that have no symbol: the slab cache and the type of an object, or who
 * allocated an area of vmalloc().
 */
#ifndef MEMLAT_KERNEL_OBJECT_H
#define MEMLAT_KERNEL_OBJECT_H

#include "../profile/kernel_names.h"
#include "../profile/snapshot.h"
#include "bpf_map.h"
#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"

/*
 * Add rows for the addresses of a snapshot: KERNEL_SLAB, KERNEL_OBJECT and KERNEL_MEMBER,
 * KERNEL_VMALLOC and KERNEL_MEMORY, KERNEL_BPF_MAP. @core or @btf may be NULL if it can't be read;
 * no rows are added then. @maps: those that were noted meanwhile; NULL: none. @now: the addresses
 * have just been sampled. Without it caches, areas and maps are not looked up, because the memory
 * may belong to another one by now.
 */
void kernel_objects_note(struct kernel_names *names, const struct kernel_core *core,
			 const struct kallsyms *all, const struct btf *btf,
			 const struct snapshot *snap, struct bpf_maps *maps, bool now);

#endif
