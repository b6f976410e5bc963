/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Name kernel addresses that have no symbol: the slab cache and the type of an object, or who
 * allocated an area of vmalloc().
 */
#ifndef MEMLAT_KERNEL_OBJECT_H
#define MEMLAT_KERNEL_OBJECT_H

#include <stdbool.h>

#include "../profile/kernel_names.h"
#include "../profile/snapshot.h"
#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"
#include "operand.h"

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

/*
 * Find the slab cache of an object of the running kernel and where the object begins, or what other
 * pages are for. This is read from the kernel's memory with the layout that BTF describes. Each
 * step is checked against another one, and an address for which they disagree gets no name.
 */

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

/*
 * Find who allocated an area of the running kernel's vmalloc() memory. /proc/vmallocinfo lists the
 * areas, but with hashed addresses unless kernel.kptr_restrict is 1. So they are read from the
 * kernel's memory, with the layout that BTF describes. One area is looked up at a time; there is no
 * list of all.
 */

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

/*
 * Find the types of operands of the running kernel's instructions, without its debug information.
 * BTF has the types of arguments, of what functions return and of per-CPU variables. From these,
 * values are followed through the code as it is in memory.
 */

struct kernel_operands;

/* The arguments have to live as long as the result. */
struct kernel_operands *kernel_operands_new(const struct kernel_core *core, const struct btf *btf,
					    const struct kallsyms *all);
void kernel_operands_free(struct kernel_operands *operands);

/* The operand of the instruction at an address; NULL: its type is not known. */
const struct operand *kernel_operand(struct kernel_operands *operands, __u64 ip);
/* The operand of the instruction that ends at an address; NULL: its type is not known. */
const struct operand *kernel_operand_before(struct kernel_operands *operands, __u64 ip);

#endif
