// SPDX-License-Identifier: GPL-2.0
/* Name objects without a symbol by the types of the instructions that access them. */
#include <stdlib.h>
#include <sys/mman.h>

#include "../util/order.h"
#include "../util/screen.h"
#include "../util/xalloc.h"
#include "instance.h"
#include "naming.h"
#include "types.h"

/* Set the bounds of an object at the access's place; false if a variable is there. */
static bool bounds(struct namer *namer, const struct memlat_rec_access *access, struct vote *vote)
{
	const struct place place = data_place(namer, access->tgid, access->gen, access->addr);
	struct data_name stack;

	if (place.noted) {
		vote->low = place.noted->start;
		vote->high = place.noted->start + place.noted->size;
		return true;
	}
	/* The kernel reports no mremap(), so a large block that grew by it is in no known mapping. */
	if (!place.map)
		return true;
	if (place_has_variables(&place))
		return false;
	vote->low = place.map->start;
	vote->high = place.map->end;
	vote->passing = stack_name_data(namer, &place, &stack);
	return true;
}

static bool take_vote(struct namer *namer, const struct memlat_rec_access *access,
		      struct vote *vote)
{
	/* The kernel's objects got their names when the session was recorded. */
	if (kernel_address(access->addr))
		return false;
	*vote = (struct vote){
		.ip = access->ip, .address = access->addr,
		/* Not by latency: a fast access proves as much as a slow one. */
		.weight = access->samples,
	};
	vote->operand = namer_operand(namer, access->tgid, access->gen, access->ip);
	if (!vote->operand || !vote->operand->type)
		return false;
	/* "push 8(%rdi)" stores to another place than it loads from. */
	if (access->stores ? !vote->operand->writes : !vote->operand->reads)
		return false;
	return bounds(namer, access, vote);
}

/*
 * The objects that accesses show. Each process's are found when they are first asked for, because
 * they follow from its own accesses alone, and because it takes long to read all of its code.
 */
struct objects {
	const struct memlat_rec_access *table;
	struct radix_row *rows;	/* its rows by process */
	size_t nr;
	struct name_cache known;	/* struct instances by process */
	struct instances **all;
	size_t nr_all, room_all;
	struct waiting waiting;
	size_t read;		/* number of accesses */
};

static __u64 process_key(__u32 space, __u32 gen)
{
	return (__u64)space << 32 | gen;
}

static __u64 process_of(const struct memlat_rec_access *access)
{
	return process_key(access->tgid, access->gen);
}

static void list_accesses(struct objects *objects, const struct snapshot *snap)
{
	const size_t nr = snap->nr_accesses;
	struct radix_row *spare = xmallocarray(nr, sizeof(*spare));
	size_t i;

	free(objects->rows);
	objects->rows = xmallocarray(nr, sizeof(*objects->rows));
	for (i = 0; i < nr; i++)
		objects->rows[i] = (struct radix_row){ process_of(&snap->accesses[i]), i };
	radix_sort(objects->rows, spare, nr);
	free(spare);
	objects->table = snap->accesses;
	objects->nr = nr;
	objects->read = 0;
	waiting_begin(&objects->waiting, "reading what instructions access", nr);
}

static struct instances *find_instances(struct namer *namer, __u64 process)
{
	struct objects *objects = namer->objects;
	const struct radix_row *rows = objects->rows;
	const size_t from = FIRST_WHERE(i, objects->nr, rows[i].key >= process);
	const size_t to = FIRST_WHERE(i, objects->nr, rows[i].key > process);
	struct vote *votes = xmallocarray(to - from, sizeof(*votes));
	struct instances *instances;
	size_t i, nr = 0;

	for (i = from; i < to; i++) {
		const struct memlat_rec_access *access = &objects->table[rows[i].row];

		waiting_step(&objects->waiting, objects->read++);
		/* Another interval's table may be in the same memory, and as long. */
		if (process_of(access) == process)
			nr += take_vote(namer, access, &votes[nr]);
	}
	waiting_end(&objects->waiting);
	instances = instances_find(votes, nr);
	free(votes);
	return instances;
}

/* The objects in a process's own memory. */
static const struct instances *instances_of(struct namer *namer, __u32 space, __u32 gen)
{
	const struct snapshot *snap = &namer->profile->snap;
	const struct name_cache_key key = { .space = space, .gen = gen };
	const struct instances *known;
	struct instances *found;
	struct objects *objects;

	if (!namer->objects)
		namer->objects = xcalloc(1, sizeof(*namer->objects));
	objects = namer->objects;
	known = name_cache_find(&objects->known, key);
	if (known)
		return known;
	/* A selection drops rows, and top names one interval after the other. */
	if (!objects->rows || objects->table != snap->accesses || objects->nr != snap->nr_accesses)
		list_accesses(objects, snap);
	found = find_instances(namer, process_key(space, gen));
	ARRAY_GROW(objects->all, objects->nr_all + 1, objects->room_all);
	objects->all[objects->nr_all++] = found;
	name_cache_keep(&objects->known, key, found);
	return found;
}

void objects_free(struct objects *objects)
{
	if (!objects)
		return;
	while (objects->nr_all)
		instances_free(objects->all[--objects->nr_all]);
	free(objects->all);
	free(objects->rows);
	name_cache_free(&objects->known);
	free(objects);
}

const struct instance *instance_find(struct namer *namer, const struct place *place)
{
	return instances_at(instances_of(namer, place->space, place->gen), place->address);
}

/*
 * top names the accesses of one interval after the other. Those of a later one had no vote when the
 * objects were found, and may show that the memory has another object by now.
 */
static bool contradicts(struct namer *namer, const struct memlat_rec_access *access,
			const struct instance *in)
{
	struct vote vote;

	return take_vote(namer, access, &vote) && !instance_agrees(in, &vote);
}

bool instance_of_access(struct namer *namer, const struct memlat_rec_access *access,
			const struct place *place, const struct instance **in)
{
	const struct instances *instances;
	const struct instance *all;

	*in = NULL;
	/* There, no instruction has a vote, so the code need not be read. */
	if (place_has_variables(place))
		return false;
	instances = instances_of(namer, access->tgid, access->gen);
	all = instances_at(instances, access->addr);
	switch (instances_claim(instances, access->ip, access->addr, in)) {
	case CLAIM_OWN:
		return *in != all;
	case CLAIM_REFUSED:
		return all;
	default:
		/* On a stack it is known which object was there, but not when. */
		return all && (all->passing || contradicts(namer, access, all));
	}
}

static void fill_name(struct namer *namer, const struct instance *in, __u64 address, bool own,
		      struct data_name *data)
{
	Dwarf_Die die = in->type->die;
	__u64 offset = address - in->start;

	type_unwrap(&die, &offset);
	data->type = type_name(&namer->pool, &die);
	data->field = type_field(&namer->pool, &die, offset);
	if (data->how == DATA_NOTED)
		return;
	data->how = own ? DATA_BY_OPERAND : DATA_JOINED;
	data->name = data->type;
	data->start = address - offset;
	data->size = data->start == in->start ? in->end - in->start : type_size(&die);
	data->offset = offset;
	data->objects = in->alike;
}

void instance_name_data(struct namer *namer, const struct place *place, struct data_name *data)
{
	const struct instances *instances = instances_of(namer, place->space, place->gen);
	const struct instance *in = instances_at(instances, place->address);

	if (in)
		fill_name(namer, in, place->address,
			  instances_by_operand(instances, place->address), data);
}

void instance_name_access(struct namer *namer, const struct instance *in, __u64 address,
			  struct data_name *data)
{
	if (in)
		fill_name(namer, in, address, true, data);
}
