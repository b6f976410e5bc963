// SPDX-License-Identifier: GPL-2.0
#include "kernel_object.h"

#include <stdlib.h>
#include <string.h>

#include <linux/magic.h>

#include "../util/xalloc.h"
#include "btf.h"

#define PAGE		4096ULL
#define TREES_MOST	1024	/* the kernel makes 128 at most */
#define DEPTH_MOST	64	/* of a tree; the kernel's balanced trees are less deep */
#define MISSES_MOST	4096	/* futile searches of all trees */

/* Places of the members that are read. */
struct layout {
	struct btf_place node, start, end, vm;		/* vmap_area */
	struct btf_place left, right;			/* rb_node */
	struct btf_place addr, size, caller;		/* vm_struct */
};

struct vmaps {
	const struct kernel_core *core;
	const struct kallsyms *all;
	struct layout layout;
	__u64 *trees;		/* where each has its root */
	__u64 nr;
	__u64 zone;		/* bytes of address space per tree, in turns */
	unsigned int misses;
	/* The answer for the last page, because neighbouring addresses are mostly in one area. */
	__u64 page;
	struct vmap last;	/* size 0: the page is in no area */
};

static bool read_layout(const struct btf *btf, struct layout *layout)
{
	const struct {
		const char *structure, *member;
		struct btf_place *place;
	} wanted[] = {
		{ "vmap_area", "va_start", &layout->start },
		{ "vmap_area", "va_end", &layout->end },
		{ "vmap_area", "vm", &layout->vm },
		{ "rb_node", "rb_left", &layout->left },
		{ "rb_node", "rb_right", &layout->right },
		{ "vm_struct", "addr", &layout->addr },
		{ "vm_struct", "size", &layout->size },
		{ "vm_struct", "caller", &layout->caller },
	};
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!btf_member(btf, wanted[i].structure, wanted[i].member, wanted[i].place) ||
		    wanted[i].place->size != 8)
			return false;
	return btf_member(btf, "vmap_area", "rb_node", &layout->node);
}

/* Linux 6.9 and later has several nodes with a tree each, chosen by address. */
static bool read_nodes(struct vmaps *vmaps, const struct btf *btf, const struct kallsyms *all)
{
	const __u64 size = btf_struct_size(btf, "vmap_node");
	struct btf_place busy, root;
	__u64 at, nodes, i;

	if (!size || !btf_member(btf, "vmap_node", "busy", &busy) ||
	    !btf_member(btf, "rb_list", "root", &root) ||
	    !kallsyms_named(all, "vmap_nodes", &at) || !kernel_word(vmaps->core, at, &nodes) ||
	    !kallsyms_named(all, "nr_vmap_nodes", &at) ||
	    !kernel_number(vmaps->core, at, (struct btf_place){ .size = 4 }, &vmaps->nr) ||
	    !kallsyms_named(all, "vmap_zone_size", &at) ||
	    !kernel_number(vmaps->core, at, (struct btf_place){ .size = 4 }, &vmaps->zone) ||
	    !vmaps->nr || vmaps->nr > TREES_MOST || !vmaps->zone)
		return false;
	vmaps->trees = xcalloc(vmaps->nr, sizeof(*vmaps->trees));
	for (i = 0; i < vmaps->nr; i++)
		vmaps->trees[i] = nodes + i * size + busy.offset + root.offset;
	return true;
}

static bool read_trees(struct vmaps *vmaps, const struct btf *btf, const struct kallsyms *all)
{
	__u64 root;

	if (!kallsyms_named(all, "vmap_area_root", &root))
		return read_nodes(vmaps, btf, all);
	vmaps->trees = xcalloc(1, sizeof(*vmaps->trees));
	vmaps->trees[0] = root;
	vmaps->nr = vmaps->zone = 1;
	return true;
}

struct vmaps *vmaps_read(const struct kernel_core *core, const struct btf *btf,
			 const struct kallsyms *all)
{
	struct vmaps *vmaps = xcalloc(1, sizeof(*vmaps));

	vmaps->core = core;
	vmaps->all = all;
	if (read_layout(btf, &vmaps->layout) && read_trees(vmaps, btf, all))
		return vmaps;
	vmaps_free(vmaps);
	return NULL;
}

void vmaps_free(struct vmaps *vmaps)
{
	if (!vmaps)
		return;
	free(vmaps->trees);
	free(vmaps);
}

/*
 * The vmap_area of an address in one tree; 0: none. The kernel runs meanwhile, so the memory found
 * may hold something else by now, and the caller has to check it.
 */
static __u64 find_area(const struct vmaps *vmaps, __u64 root, __u64 address)
{
	const struct layout *layout = &vmaps->layout;
	const struct kernel_core *core = vmaps->core;
	unsigned int depth;
	__u64 node, start, end;

	if (!kernel_word(core, root, &node))
		return 0;
	for (depth = 0; node >> 63 && depth < DEPTH_MOST; depth++) {
		const __u64 area = node - layout->node.offset;

		if (!kernel_number(core, area, layout->start, &start) ||
		    !kernel_number(core, area, layout->end, &end))
			return 0;
		if (address >= start && address < end)
			return area;
		if (!kernel_number(core, node, address < start ? layout->left : layout->right,
				   &node))
			return 0;
	}
	return 0;
}

/*
 * What an area is, beyond its caller. A task's stack is recognized by the magic number at its end,
 * because its caller depends on what the compiler inlined.
 */
static const char *what_of(const struct kernel_core *core, const struct vmap *vmap)
{
	static const struct {
		const char *caller, *what;
	} known[] = {
		{ "pcpu_get_vm_areas", "per-CPU memory" },
		{ "irq_init_percpu_irqstack", "interrupt stack" },
	};
	__u64 end;
	size_t i;

	if (*vmap->caller->module)
		return NULL;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(vmap->caller->name, known[i].caller))
			return known[i].what;
	return kernel_word(core, vmap->start, &end) && end == STACK_END_MAGIC ? "stack" : NULL;
}

/* An area of vm_map_ram() has no vm_struct, so its caller is not known. */
static bool read_area(const struct vmaps *vmaps, __u64 area, __u64 address, struct vmap *vmap)
{
	const struct layout *layout = &vmaps->layout;
	const struct kernel_core *core = vmaps->core;
	__u64 start, vm, addr, caller;

	if (!kernel_number(core, area, layout->start, &start) ||
	    !kernel_number(core, area, layout->vm, &vm) || !(vm >> 63) ||
	    !kernel_number(core, vm, layout->addr, &addr) ||
	    !kernel_number(core, vm, layout->size, &vmap->size) ||
	    !kernel_number(core, vm, layout->caller, &caller))
		return false;
	vmap->caller = kallsyms_at(vmaps->all, caller);
	if (addr != start || address < start || address - start >= vmap->size ||
	    start + vmap->size < start || !vmap->caller || !vmap->caller->code)
		return false;
	vmap->start = start;
	vmap->what = what_of(core, vmap);
	return true;
}

/*
 * Search all trees, as the kernel does, because an area longer than a zone may begin in another
 * zone.
 */
static bool search_trees(struct vmaps *vmaps, __u64 address, struct vmap *vmap)
{
	const __u64 first = address / vmaps->zone % vmaps->nr;
	__u64 i, area = find_area(vmaps, vmaps->trees[first], address);

	if (!area && vmaps->misses >= MISSES_MOST)
		return false;
	for (i = 1; !area && i < vmaps->nr; i++)
		area = find_area(vmaps, vmaps->trees[(first + vmaps->nr - i) % vmaps->nr], address);
	vmaps->misses += !area;
	return area && read_area(vmaps, area, address, vmap);
}

bool vmaps_at(struct vmaps *vmaps, __u64 address, struct vmap *vmap)
{
	if (!kernel_core_in_vmalloc(vmaps->core, address))
		return false;
	if (vmaps->page != address / PAGE) {
		vmaps->page = address / PAGE;
		if (!search_trees(vmaps, address, &vmaps->last))
			vmaps->last.size = 0;
	}
	*vmap = vmaps->last;
	return vmap->size;
}
