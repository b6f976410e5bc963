/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find who allocated an area of the running kernel's vmalloc() memory. /proc/vmallocinfo lists the
 * areas, but with hashed addresses unless kernel.kptr_restrict is 1. So they are read from the
 * kernel's memory, with the layout that BTF describes. One area is looked up at a time; there is no
 * list of all.
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
	const struct ksym *caller;	/* the function that called vmalloc() or the like */
	/* What it is for: "stack", "interrupt stack", "per-CPU memory"; NULL: go by caller. */
	const char *what;
};

/* NULL: this kernel's areas are not understood. core and all have to live as long as the result. */
struct vmaps *vmaps_read(const struct kernel_core *core, const struct btf *btf,
			 const struct kallsyms *all);
void vmaps_free(struct vmaps *vmaps);

/* The area that an address is in now; false: none is known there. */
bool vmaps_at(struct vmaps *vmaps, __u64 address, struct vmap *vmap);

#endif
