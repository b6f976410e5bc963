// SPDX-License-Identifier: GPL-2.0
/* Call chains. Accesses refer to them by number, so none is ever evicted. */
#include "hash.h"
#include "stacks.h"

static_assert(sizeof(struct memlat_rec_stack) <= MEMLAT_TABLE_RECORD_MAX);

static bool memlat_stacks_same(const void *record, const void *key)
{
	const struct memlat_rec_stack *stack = record;
	const struct memlat_shard_stack *chain = key;

	return stack->frames == chain->frames && stack->kernel_frames == chain->kernel_frames &&
	       stack->tgid == chain->tgid && stack->gen == chain->gen &&
	       !memcmp(stack->frame, chain->frame, chain->frames * sizeof(*chain->frame));
}

static void memlat_stacks_start(void *record)
{
	*(struct memlat_rec_stack *)record = (struct memlat_rec_stack) {
		.hdr = { MEMLAT_REC_STACK, sizeof(struct memlat_rec_stack) },
	};
}

const struct memlat_table_kind memlat_stacks_kind = {
	.type = MEMLAT_REC_STACK,
	.size = sizeof(struct memlat_rec_stack),
	.samples = offsetof(struct memlat_rec_stack, samples),
	.keep = true,
	.same = memlat_stacks_same,
	.start = memlat_stacks_start,
};

/**
 * memlat_stacks_add - add a cell to its call chain
 * @stacks: the table
 * @chain: the call chain, as the shard has it
 * @cell: the cell
 * @origin: where it came from
 *
 * Return: the chain's id in this table; 0 if there is no room for it.
 */
u32 memlat_stacks_add(struct memlat_table *stacks, const struct memlat_shard_stack *chain,
		      const struct memlat_cell *cell, const struct memlat_origin *origin)
{
	struct memlat_rec_stack *stack;
	unsigned int i;
	u64 hash;

	hash = memlat_hash((u64)chain->tgid << 32 | chain->gen,
			   (u64)chain->frames << 32 | chain->kernel_frames);
	for (i = 0; i < chain->frames; i++)
		hash = memlat_hash(hash, chain->frame[i]);
	stack = memlat_table_get(stacks, &memlat_stacks_kind, hash, chain, cell->samples);
	if (!stack)
		return 0;
	if (!stack->samples) {
		/* Ids count from 1, and this is the newest record. */
		stack->id = stacks->now.used;
		stack->frames = chain->frames;
		stack->kernel_frames = chain->kernel_frames;
		stack->tgid = chain->tgid;
		stack->gen = chain->gen;
		memcpy(stack->frame, chain->frame, chain->frames * sizeof(*chain->frame));
	}
	stack->samples += cell->samples;
	stack->weight += cell->weight;
	stack->cost += origin->cost;
	stack->latency_sum += memlat_cell_latency(cell);
	stack->hitm += memlat_cell_hitm(cell);
	return stack->id;
}
