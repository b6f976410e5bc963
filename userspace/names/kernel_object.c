// SPDX-License-Identifier: GPL-2.0
#include "kernel_object.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/screen.h"
#include "../util/xalloc.h"
#include "instance.h"
#include "name_cache.h"
#include "types.h"

#define PAGE	4096ULL

/* What an address is in. */
struct place {
	struct slab_object object;	/* the slab object, if known */
	struct vmap vmap;		/* the area of vmalloc(), if mapped */
	const char *page;		/* what its page is for; NULL: not known, or a slab page */
	bool known, mapped;
};

/* The names of a type and of the field at an offset of it; type NULL: too long for a row. */
struct called {
	const char *type, *field;
};

struct noting {
	struct kernel_names *names;
	const struct kallsyms *all;
	const struct snapshot *snap;
	struct kernel_operands *operands;
	struct slabs *slabs;		/* NULL: this kernel's are not understood */
	struct vmaps *vmaps;		/* NULL: this kernel's are not understood */
	struct bpf_maps *maps;		/* NULL: likewise */
	struct pool pool;		/* holds what places and called refer to */
	struct name_cache places;		/* struct place by address */
	__u64 last_memory;		/* start of the row that note_memory() added last */
	struct name_cache called;		/* struct called by type and offset */
	__u64 *strangers;		/* addresses that an instruction of unknown type accesses */
	size_t nr_strangers;
};

/* Has the address a name already, by a symbol or as a CPU's copy of a per-CPU variable? */
static bool has_symbol(const struct noting *noting, __u64 address)
{
	size_t cpu;

	return kallsyms_at(noting->all, address) || kallsyms_copy_at(noting->all, address, &cpu);
}

static const struct place *object_at(struct noting *noting, __u64 address)
{
	const struct name_cache_key key = { .address = address };
	const struct place *known = name_cache_find(&noting->places, key);
	struct place *place;

	if (known)
		return known;
	place = pool_take(&noting->pool, sizeof(*place));
	place->known = noting->slabs && slabs_at(noting->slabs, address, &place->object);
	if (noting->slabs && !place->known)
		place->page = slabs_page_at(noting->slabs, address);
	place->mapped = noting->vmaps && vmaps_at(noting->vmaps, address, &place->vmap);
	name_cache_keep(&noting->places, key, place);
	return place;
}

static const struct operand *operand_of(struct noting *noting,
					const struct memlat_rec_access *access)
{
	const struct operand *operand;

	if (!kernel_address(access->ip))
		return NULL;
	operand = noting->snap->head.status.traits & MEMLAT_TRAIT_IP_AFTER ?
		  kernel_operand_before(noting->operands, access->ip) :
		  kernel_operand(noting->operands, access->ip);
	if (!operand || !operand->type->compound)
		return NULL;
	/* "push 8(%rdi)" loads from its operand, but stores to the stack. */
	return (access->stores ? operand->writes : operand->reads) ? operand : NULL;
}

/* Make an access's vote for the type at its address; false: its instruction's type is not known. */
static bool take_vote(struct noting *noting, const struct memlat_rec_access *access,
		      struct vote *vote)
{
	const struct operand *operand = operand_of(noting, access);
	const struct place *place = object_at(noting, access->addr);

	if (!operand) {
		noting->strangers[noting->nr_strangers++] = access->addr;
		return false;
	}
	*vote = (struct vote){
		.ip = access->ip, .address = access->addr, .weight = access->samples,
		.operand = operand,
		/*
		 * Stacks, other pages and caches for all kinds of objects are reused for something
		 * else all the time. Memory of a cache for one kind of object keeps its type.
		 */
		.passing = !place->known || !place->object.single,
	};
	if (place->known) {
		vote->low = place->object.start;
		vote->high = place->object.start + place->object.size;
	} else if (place->mapped) {
		vote->low = place->vmap.start;
		vote->high = place->vmap.start + place->vmap.size;
	}
	return true;
}

static bool is_strange(const struct noting *noting, __u64 address)
{
	return noting->nr_strangers && bsearch(&address, noting->strangers, noting->nr_strangers,
					       sizeof(address), order_u64);
}

static void note_memory(struct noting *noting, enum kernel_kind kind, __u64 start, __u64 size,
			const char *name, const char *module)
{
	struct pool *pool = &noting->names->pool;
	struct kernel_row row = {
		.kind = kind, .cpu = KERNEL_NO_CPU, .start = start, .end = start + size,
	};

	/* Neighbouring addresses mostly are in the same memory, which needs one row. */
	if (start == noting->last_memory)
		return;
	noting->last_memory = start;
	row.name = pool_text(pool, name);
	row.module = *module ? pool_text(pool, module) : "";
	kernel_row_add(noting->names, &row);
}

static void note_vmap(struct noting *noting, const struct vmap *vmap)
{
	if (vmap->what)
		note_memory(noting, KERNEL_MEMORY, vmap->start, vmap->size, vmap->what, "");
	else
		note_memory(noting, KERNEL_VMALLOC, vmap->start, vmap->size, vmap->caller->name,
			    vmap->caller->module);
}

static void note_place(struct noting *noting, __u64 address)
{
	const struct place *place = object_at(noting, address);
	struct kernel_row row = { .kind = KERNEL_SLAB, .cpu = KERNEL_NO_CPU, .module = "" };

	if (place->mapped)
		note_vmap(noting, &place->vmap);
	else if (place->page)
		note_memory(noting, KERNEL_MEMORY, address & ~(PAGE - 1), PAGE, place->page, "");
	if (!place->known)
		return;
	row.start = place->object.start;
	row.end = row.start + place->object.size;
	row.name = pool_text(&noting->names->pool, place->object.cache);
	row.module = place->object.single ? "" : "...";
	kernel_row_add(noting->names, &row);
}

/* Memory of a map that was freed may be an object by now. */
static void note_map(struct noting *noting, __u64 address, bool typed)
{
	struct kernel_row row;
	bool live;

	if (bpf_maps_at(noting->maps, address, &noting->names->pool, &row, &live) &&
	    (live || !typed))
		kernel_row_add(noting->names, &row);
}

/* The names at an offset of a type. They are kept, and a name that is too long makes type NULL. */
static const struct called *called_at(struct noting *noting, const struct operand_type *type,
				      __u64 offset)
{
	const struct name_cache_key key = {
		.address = (__u64)(uintptr_t)type, .space = (__u32)offset, .gen = offset >> 32,
	};
	struct called *called = (struct called *)name_cache_find(&noting->called, key);
	struct pool *pool = &noting->names->pool;
	Dwarf_Die die = type->die;

	if (called)
		return called;
	called = pool_take(&noting->pool, sizeof(*called));
	called->type = type_name(pool, &die);
	called->field = type_field(pool, &die, offset);
	if (called->type && (strlen(called->type) >= KERNEL_NAME_MAX ||
			     (called->field && strlen(called->field) >= KERNEL_NAME_MAX)))
		called->type = NULL;
	name_cache_keep(&noting->called, key, called);
	return called;
}

/* Returns whether the object has a type. */
static bool note_object(struct noting *noting, const struct instances *instances, __u64 address)
{
	const struct instance *in = instances_at(instances, address);
	struct kernel_row row = { .kind = KERNEL_OBJECT, .module = "" };
	const struct called *called;

	/* Reused memory has a type only where no instruction of unknown type accesses it too. */
	if (!in || (in->passing && is_strange(noting, address)))
		return false;
	called = called_at(noting, in->type, address - in->start);
	if (!called->type)
		return false;
	row.start = in->start;
	row.end = in->end;
	row.name = called->type;
	row.cpu = in->alike < KERNEL_NO_CPU ? (__u32)in->alike : 0;
	kernel_row_add(noting->names, &row);
	row = (struct kernel_row){
		.kind = KERNEL_MEMBER, .start = address, .end = address + 1, .module = called->type,
		.name = called->field ? called->field : "",
		.cpu = instances_by_operand(instances, address),
	};
	kernel_row_add(noting->names, &row);
	return true;
}

static void note_all(struct noting *noting)
{
	const struct snapshot *snap = noting->snap;
	struct vote *votes = xcalloc(snap->nr_accesses + 1, sizeof(*votes));
	struct instances *instances;
	struct waiting waiting;
	size_t i, nr = 0;
	__u64 at;

	noting->strangers = xcalloc(snap->nr_accesses + 1, sizeof(*noting->strangers));
	waiting_begin(&waiting, "reading what the kernel's instructions access", snap->nr_accesses);
	for (i = 0; i < snap->nr_accesses; i++) {
		waiting_step(&waiting, i);
		if (kernel_address(snap->accesses[i].addr) &&
		    !has_symbol(noting, snap->accesses[i].addr))
			nr += take_vote(noting, &snap->accesses[i], &votes[nr]);
	}
	waiting_end(&waiting);
	SORT(noting->strangers, noting->nr_strangers, order_u64);
	instances = instances_find(votes, nr);
	for (i = 0; i < snap->nr_accesses; i++) {
		at = snap->accesses[i].addr;
		if (!kernel_address(at) || has_symbol(noting, at))
			continue;
		note_place(noting, at);
		note_map(noting, at, note_object(noting, instances, at));
	}
	for (i = 0; i < snap->nr_lines; i++) {
		__u64 line = snap->lines[i].addr & ~(__u64)(MEMLAT_LINE_BYTES - 1);

		if (!kernel_address(line) || has_symbol(noting, line))
			continue;
		for (at = line; at - line < MEMLAT_LINE_BYTES; at += 8) {
			note_place(noting, at);
			note_map(noting, at, note_object(noting, instances, at));
		}
	}
	instances_free(instances);
	free(noting->strangers);
	free(votes);
}

void kernel_objects_note(struct kernel_names *names, const struct kernel_core *core,
			 const struct kallsyms *all, const struct btf *btf,
			 const struct snapshot *snap, struct bpf_maps *maps, bool now)
{
	struct noting noting = { .names = names, .all = all, .snap = snap, .maps = maps };

	if (!core || !btf)
		return;
	noting.slabs = now ? slabs_read(core, btf, all) : NULL;
	noting.vmaps = now ? vmaps_read(core, btf, all) : NULL;
	if (now && !maps)
		noting.maps = bpf_maps_new(core, btf, all);
	bpf_maps_note(noting.maps);
	noting.operands = kernel_operands_new(core, btf, all);
	note_all(&noting);
	kernel_operands_free(noting.operands);
	slabs_free(noting.slabs);
	vmaps_free(noting.vmaps);
	if (noting.maps != maps)
		bpf_maps_free(noting.maps);
	name_cache_free(&noting.places);
	name_cache_free(&noting.called);
	pool_free(&noting.pool);
}
