/* SPDX-License-Identifier: GPL-2.0 */
/* Read the running kernel's memory, and the map of its areas, from /proc/kcore. */
#ifndef MEMLAT_KERNEL_CORE_H
#define MEMLAT_KERNEL_CORE_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/kernel_names.h"
#include "../profile/snapshot.h"

/* Open /proc/kcore; NULL: this process may not read it, which needs CAP_SYS_RAWIO. */
struct kernel_core;

struct kernel_core *kernel_core_open(void);
/* Open another file of the same form. */
struct kernel_core *kernel_core_open_at(const char *path);
void kernel_core_close(struct kernel_core *core);
/* Read all of the bytes at an address; false: not all could be read. */
bool kernel_core_get(const struct kernel_core *core, __u64 address, void *bytes, size_t size);
/* Read bytes at an address. Returns how many could be read. */
size_t kernel_core_read(const struct kernel_core *core, __u64 address, void *bytes, size_t size);
/* The address of a symbol in VMCOREINFO, the kernel's note for tools that analyse crashes. */
bool kernel_core_symbol(const struct kernel_core *core, const char *name, __u64 *address);

/* Is an address in the area of vmalloc()? */
bool kernel_core_in_vmalloc(const struct kernel_core *core, __u64 address);

/* Add the areas of the kernel's map as rows. core NULL: only those that every kernel has. */
void kernel_core_areas(const struct kernel_core *core, struct kernel_names *names);

/* Look up the names of the running kernel's addresses. */

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

/*
 * Find the map of BPF that an address of the running kernel is in, and which element of it. The
 * maps are read from the kernel's memory with the layout that BTF describes: system calls tell a
 * map's name, but not its address.
 */

struct btf;
struct kallsyms;

/* NULL: this kernel's maps are not understood. core has to live as long as the result. */
struct bpf_maps *bpf_maps_new(const struct kernel_core *core, const struct btf *btf,
			      const struct kallsyms *all);
/* The same, from /proc, and the maps that there are now are noted. It has a core of its own. */
struct bpf_maps *bpf_maps_open(void);
void bpf_maps_free(struct bpf_maps *maps);

/*
 * Note the maps that there are now. Those that were noted before stay, unless one of now has their
 * memory. A map is freed with the last program or process that uses it.
 */
void bpf_maps_note(struct bpf_maps *maps);

/*
 * Fill in the row, of the kind KERNEL_BPF_MAP, for the address; false: it is in no map. live: the
 * map was still there when maps were noted last.
 */
bool bpf_maps_at(const struct bpf_maps *maps, __u64 address, struct pool *pool,
		 struct kernel_row *row, bool *live);

#endif
