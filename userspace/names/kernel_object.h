/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects of the running kernel that have no symbol: of which slab cache they are, and of which type;
 * and whose memory of vmalloc() is what is no object.
 */
#ifndef MEMLAT_KERNEL_OBJECT_H
#define MEMLAT_KERNEL_OBJECT_H

#include "../profile/kernel_names.h"
#include "../profile/snapshot.h"
#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"

/*
 * Rows for the addresses of a snapshot: KERNEL_SLAB, KERNEL_OBJECT and KERNEL_MEMBER, KERNEL_VMALLOC and
 * KERNEL_MEMORY. None where the kernel's memory may not be read, core or btf, NULL. Of caches and areas
 * only where it is @now that the addresses were sampled: memory changes hands between them.
 */
void kernel_objects_note(struct kernel_names *names, const struct kernel_core *core,
			 const struct kallsyms *all, const struct btf *btf,
			 const struct snapshot *snap, bool now);

#endif
