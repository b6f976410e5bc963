// SPDX-License-Identifier: GPL-2.0
/* Name objects without a symbol by the types of the instructions that access them. */
#include <stdlib.h>
#include <sys/mman.h>

#include "../util/waiting.h"
#include "../util/xalloc.h"
#include "instance.h"
#include "naming.h"
#include "types.h"

/* Set the bounds of an object at this address; false if a variable is there, which has a name. */
static bool bounds(struct namer *namer, const struct memlat_rec_access *access,
		   struct vote *vote)
{
	const struct history_image *image;
	const struct heap_object *object;
	struct data_name stack;
	struct module module;

	image = history_find(namer->profile->history, access->tgid, access->gen);
	object = heap_noted(namer, image, access->tgid, access->addr);
	if (object) {
		vote->low = object->start;
		vote->high = object->start + object->size;
		return true;
	}
	module = module_at(namer, image, access->addr);
	/* The kernel reports no mremap(), so a large block that grew by it is in no known mapping. */
	if (!module.map)
		return true;
	if (module.placed && !(module.map->flags & MAP_SHARED))
		return false;
	vote->low = module.map->start;
	vote->high = module.map->end;
	vote->passing = stack_name_data(namer, image, module.map, access->tgid, access->gen,
					access->addr, &stack);
	return true;
}

static bool take_vote(struct namer *namer, const struct memlat_rec_access *access,
		      struct vote *vote)
{
	/* The kernel's objects got their names when the session was recorded. */
	if (kernel_address(access->addr))
		return false;
	*vote = (struct vote){
		.space = access->tgid, .gen = access->gen,
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

static const struct instances *instances_of(struct namer *namer)
{
	const struct snapshot *snap = &namer->profile->snap;
	struct waiting waiting;
	struct vote *votes;
	size_t i, nr = 0;

	if (namer->instances)
		return namer->instances;
	votes = xcalloc(snap->nr_accesses + 1, sizeof(*votes));
	waiting_begin(&waiting, "reading what instructions access", snap->nr_accesses);
	for (i = 0; i < snap->nr_accesses; i++) {
		waiting_step(&waiting, i);
		nr += take_vote(namer, &snap->accesses[i], &votes[nr]);
	}
	waiting_end(&waiting);
	namer->instances = instances_find(votes, nr);
	free(votes);
	return namer->instances;
}

const struct instance *instance_find(struct namer *namer, __u32 space, __u32 gen, __u64 address)
{
	return instances_at(instances_of(namer), space, gen, address);
}

bool instance_of_access(struct namer *namer, const struct memlat_rec_access *access,
			const struct instance **in)
{
	const struct instances *instances = instances_of(namer);
	const struct instance *all = instances_at(instances, access->tgid, access->gen,
						  access->addr);

	*in = NULL;
	switch (instances_claim(instances, access->tgid, access->gen, access->ip, access->addr,
				in)) {
	case CLAIM_OWN:
		return *in != all;
	case CLAIM_REFUSED:
		return all;
	default:
		/* On a stack it is known which object was there, but not when. */
		return all && all->passing;
	}
}

static void tell(struct namer *namer, const struct instance *in, __u64 address, bool own,
		 struct data_name *data)
{
	Dwarf_Die die = in->type->die;

	data->type = type_name(&namer->pool, &die);
	data->field = type_field(&namer->pool, &die, address - in->start);
	if (data->how == DATA_NOTED)
		return;
	data->how = own ? DATA_BY_OPERAND : DATA_JOINED;
	data->name = data->type;
	data->start = in->start;
	data->size = in->end - in->start;
	data->offset = address - in->start;
	data->objects = in->alike;
}

void instance_name_data(struct namer *namer, __u32 space, __u32 gen, __u64 address,
			struct data_name *data)
{
	const struct instances *instances = instances_of(namer);
	const struct instance *in = instances_at(instances, space, gen, address);

	if (in)
		tell(namer, in, address, instances_by_operand(instances, space, gen, address),
		     data);
}

void instance_name_access(struct namer *namer, const struct instance *in, __u64 address,
			  struct data_name *data)
{
	if (in)
		tell(namer, in, address, true, data);
}
