/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who allocated an area of the running kernel's vmalloc() memory: what /proc/vmallocinfo says, but
 * read from the kernel's memory with the layout that BTF tells, as addresses are hashed there
 * unless kernel.kptr_restrict is 1. One area is looked for at a time, so no list of them is held.
 */
#ifndef MEMLAT_VMAP_H
#define MEMLAT_VMAP_H

#include <stdbool.h>

#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"

struct vmaps;

struct vmap {
	__u64 start, size;
	const struct ksym *caller;	/* whose call of vmalloc() or the like it is */
	const char *what;		/* "stack", "interrupt stack", "per-CPU memory"; NULL: only the caller tells */
};

/* NULL: this kernel has none that are understood. core and all have to live as long. */
struct vmaps *vmaps_read(const struct kernel_core *core, const struct btf *btf,
			 const struct kallsyms *all);
void vmaps_free(struct vmaps *vmaps);

/* The area that an address is in now; false: none is known there. */
bool vmaps_at(struct vmaps *vmaps, __u64 address, struct vmap *vmap);

#endif
