/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the map of BPF that an address of the running kernel is in, and which element of it. The
 * maps are read from the kernel's memory with the layout that BTF describes: system calls tell a
 * map's name, but not its address.
 */
#ifndef MEMLAT_BPF_MAP_H
#define MEMLAT_BPF_MAP_H

#include <stdbool.h>

#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"

struct bpf_maps;

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
