/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cache of the running kernel an object is of, and where it begins, and what other memory is
 * for: read from the kernel's memory with the layout that BTF tells. Each step is checked against
 * another one; what does not fit has no name.
 */
#ifndef MEMLAT_SLAB_H
#define MEMLAT_SLAB_H

#include <stdbool.h>

#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"

struct slabs;

struct slab_object {
	const char *cache;
	__u64 start, size;	/* of what its user has */
	bool single;		/* all objects of the cache are of one kind */
};

/* NULL: this kernel has none that are understood. core has to live as long. */
struct slabs *slabs_read(const struct kernel_core *core, const struct btf *btf,
			 const struct kallsyms *all);
void slabs_free(struct slabs *slabs);

/* The object that an address is in now; false: none is known there. */
bool slabs_at(struct slabs *slabs, __u64 address, struct slab_object *object);

/* What the page of an address is for that is in no cache: "page tables", ...; NULL: it is not known. */
const char *slabs_page_at(struct slabs *slabs, __u64 address);

#endif
