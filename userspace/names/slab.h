/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the slab cache of an object of the running kernel and where the object begins, or what other
 * pages are for. This is read from the kernel's memory with the layout that BTF describes. Each
 * step is checked against another one, and an address for which they disagree gets no name.
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
	__u64 start, size;	/* the bytes that the object's user has */
	bool single;		/* all objects of the cache are of one kind */
};

/* NULL: this kernel's slabs are not understood. core has to live as long as the result. */
struct slabs *slabs_read(const struct kernel_core *core, const struct btf *btf,
			 const struct kallsyms *all);
void slabs_free(struct slabs *slabs);

/* The object that an address is in now; false: none is known there. */
bool slabs_at(struct slabs *slabs, __u64 address, struct slab_object *object);

/* What a page outside of all caches is for: "page tables", ...; NULL: not known. */
const char *slabs_page_at(struct slabs *slabs, __u64 address);

#endif
