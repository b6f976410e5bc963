// SPDX-License-Identifier: GPL-2.0
#include "bucket.h"
#include "hash.h"
#include "shard.h"

/* Places that a name or a call chain may have, so that a look-up ends soon. */
#define PROBES	8

static_assert(sizeof(struct memlat_cell) == 64);
static_assert(offsetof(struct memlat_cell, samples) == MEMLAT_CELL_KEY);
static_assert(offsetof(struct memlat_cell, flags) == MEMLAT_CELL_KEY - 1);
static_assert(MEMLAT_BUCKETS <= 16 && MEMLAT_SRC_NR <= 16);
static_assert((MEMLAT_SHARD_SETS & (MEMLAT_SHARD_SETS - 1)) == 0);
static_assert((MEMLAT_SHARD_THREADS & (MEMLAT_SHARD_THREADS - 1)) == 0);
static_assert((MEMLAT_SHARD_STACKS & (MEMLAT_SHARD_STACKS - 1)) == 0);

static void cell_key(struct memlat_cell *cell, const struct memlat_sample *s)
{
	cell->addr = s->addr;
	cell->ip = s->ip;
	cell->phys = s->phys;
	cell->tgid = s->tgid;
	cell->tid = s->tid;
	cell->gen = s->gen;
	cell->stack = s->stack;
	cell->kind = (s->store ? 0 : memlat_bucket_of(s->latency)) | s->source << 4;
	cell->flags = (s->store ? MEMLAT_CELL_STORE : 0) |
		      (s->l1_hit ? MEMLAT_CELL_L1_HIT : 0) |
		      (s->stlb_miss ? MEMLAT_CELL_STLB_MISS : 0) |
		      (s->locked ? MEMLAT_CELL_LOCKED : 0) |
		      (s->blocked_data ? MEMLAT_CELL_BLOCKED_DATA : 0) |
		      (s->blocked_addr ? MEMLAT_CELL_BLOCKED_ADDR : 0);
}

/* Without the physical line: where it differs, so does the address, but for chance. */
static u64 cell_hash(const struct memlat_cell *cell)
{
	u64 hash;

	hash = memlat_hash(cell->addr, cell->ip);
	hash = memlat_hash(hash, (u64)cell->tid << 32 | cell->gen);
	return memlat_hash(hash, (u64)cell->stack << 16 | (u64)cell->kind << 8 | cell->flags);
}

static void cell_add(struct memlat_cell *cell, const struct memlat_sample *s)
{
	cell->samples++;
	cell->weight += s->weight;
	cell->latency_sum += s->latency;
	if (s->latency > cell->latency_max)
		cell->latency_max = s->latency;
}

/*
 * A cell makes room. It waits in the spill for the merge, and only when that is
 * full too are its samples gone from all tables, and counted (the buckets have
 * them all the same).
 */
static void evict(struct memlat_shard *shard, struct memlat_counts *counts,
		  const struct memlat_cell *cell)
{
	if (shard->spilled < MEMLAT_SHARD_SPILL) {
		shard->spill[shard->spilled++] = *cell;
		return;
	}
	counts->count[MEMLAT_COUNT_CELLS_LOST] += cell->samples;
	if (cell->stack)
		counts->count[MEMLAT_COUNT_STACKS_LOST] += cell->samples;
}

/* The lightest cell of a full set. */
static unsigned int lightest(const struct memlat_shard *shard, unsigned int set)
{
	unsigned int way = set, i;

	for (i = set + 1; i < set + MEMLAT_SHARD_WAYS; i++)
		if (shard->cell[i].samples < shard->cell[way].samples)
			way = i;
	return way;
}

/**
 * memlat_shard_add - count one sample in the cell that it belongs to
 * @shard: this CPU's active shard
 * @counts: this CPU's active counts, for CELLS_LOST
 * @s: the sample, whole
 *
 * Runs in NMI: no allocation, no lock, at most MEMLAT_SHARD_WAYS steps.
 */
void memlat_shard_add(struct memlat_shard *shard, struct memlat_counts *counts,
		      const struct memlat_sample *s)
{
	struct memlat_cell *cell, key;
	unsigned int set, i;
	u64 hash;
	u32 tag;

	cell_key(&key, s);
	hash = cell_hash(&key);
	tag = (u32)hash | 1;
	set = (u32)(hash >> 32) % MEMLAT_SHARD_SETS * MEMLAT_SHARD_WAYS;

	for (i = set; i < set + MEMLAT_SHARD_WAYS; i++) {
		cell = &shard->cell[i];
		if (!shard->tag[i]) {
			shard->place[shard->used++] = i;
			goto start;
		}
		if (shard->tag[i] != tag || memcmp(cell, &key, MEMLAT_CELL_KEY))
			continue;
		if (cell->samples < ~0U) {
			cell_add(cell, s);
			return;
		}
		/* It can count no further: let it go on from zero. */
		evict(shard, counts, cell);
		goto start;
	}
	i = lightest(shard, set);
	cell = &shard->cell[i];
	evict(shard, counts, cell);
start:
	shard->tag[i] = tag;
	memcpy(cell, &key, MEMLAT_CELL_KEY);
	cell->samples = 0;
	cell->latency_max = 0;
	cell->latency_sum = 0;
	cell->weight = 0;
	cell_add(cell, s);
}

static unsigned int thread_place(u32 tgid, u32 gen, u32 tid)
{
	return memlat_hash(memlat_hash(tid, gen), tgid) >> 32;
}

static bool thread_is_free(const struct memlat_shard *shard,
			   const struct memlat_shard_thread *thread)
{
	return thread->round != shard->emptied + 1;
}

static bool thread_is(const struct memlat_shard_thread *thread, u32 tgid, u32 gen, u32 tid)
{
	return thread->tid == tid && thread->tgid == tgid && thread->gen == gen;
}

static void name_copy(char *to, const char *from)
{
	memcpy(to, from, MEMLAT_COMM_BYTES - 1);
	to[MEMLAT_COMM_BYTES - 1] = '\0';
}

/**
 * memlat_shard_note_thread - note a thread's names, as they are now
 * @shard: this CPU's active shard
 * @tgid: its process
 * @gen: the process's generation
 * @tid: the thread
 * @comm: its name, MEMLAT_COMM_BYTES
 * @process: name of its process's first thread, likewise
 *
 * Runs in NMI, once a drain. Without a place the thread's samples are counted
 * all the same, and its name is noted after the next merge.
 *
 * Return: the thread, whose @first_ns is 0 when it is new, or NULL without a place.
 */
struct memlat_shard_thread *
memlat_shard_note_thread(struct memlat_shard *shard, u32 tgid, u32 gen, u32 tid,
			 const char *comm, const char *process)
{
	unsigned int place = thread_place(tgid, gen, tid), i;
	struct memlat_shard_thread *thread;

	for (i = 0; i < PROBES; i++) {
		thread = &shard->thread[(place + i) % MEMLAT_SHARD_THREADS];
		if (thread_is_free(shard, thread)) {
			thread->round = shard->emptied + 1;
			thread->tid = tid;
			thread->tgid = tgid;
			thread->gen = gen;
			thread->first_ns = 0;
			thread->tls_base = 0;
			shard->threads++;
			break;
		}
		if (thread_is(thread, tgid, gen, tid))
			break;
	}
	if (i == PROBES)
		return NULL;
	name_copy(thread->comm, comm);
	name_copy(thread->process, process);
	return thread;
}

/**
 * memlat_shard_find_thread - the names that were noted for a thread
 * @shard: a shard that no CPU writes
 * @tgid: its process
 * @gen: the process's generation
 * @tid: the thread
 *
 * Return: NULL when none were.
 */
const struct memlat_shard_thread *
memlat_shard_find_thread(const struct memlat_shard *shard, u32 tgid, u32 gen, u32 tid)
{
	unsigned int place = thread_place(tgid, gen, tid), i;
	const struct memlat_shard_thread *thread;

	for (i = 0; i < PROBES; i++) {
		thread = &shard->thread[(place + i) % MEMLAT_SHARD_THREADS];
		if (thread_is_free(shard, thread))
			return NULL;
		if (thread_is(thread, tgid, gen, tid))
			return thread;
	}
	return NULL;
}

static bool stack_is(const struct memlat_shard_stack *stack, u32 hash, u32 tgid, u32 gen,
		     const u64 *frame, unsigned int frames, unsigned int kernel_frames)
{
	return stack->hash == hash && stack->tgid == tgid && stack->gen == gen &&
	       stack->frames == frames && stack->kernel_frames == kernel_frames &&
	       !memcmp(stack->frame, frame, frames * sizeof(*frame));
}

/**
 * memlat_shard_stack - number a call chain
 * @shard: this CPU's active shard
 * @tgid: process
 * @gen: its generation
 * @frame: the chain, innermost first
 * @frames: how many, 1 … MEMLAT_STACK_FRAMES
 * @kernel_frames: how many of these, the first ones, are kernel code
 *
 * Runs in NMI. Return: for memlat_sample.stack; 0 without a place for it, which
 * the caller counts in STACKS_LOST.
 */
u16 memlat_shard_stack(struct memlat_shard *shard, u32 tgid, u32 gen, const u64 *frame,
		       unsigned int frames, unsigned int kernel_frames)
{
	struct memlat_shard_stack *stack;
	unsigned int i, place;
	u64 mixed;
	u32 hash;

	if (!shard->stack || !frames || frames > MEMLAT_STACK_FRAMES)
		return 0;
	mixed = memlat_hash((u64)tgid << 32 | gen, (u64)frames << 32 | kernel_frames);
	for (i = 0; i < frames; i++)
		mixed = memlat_hash(mixed, frame[i]);
	hash = (u32)mixed | 1;

	for (i = 0; i < PROBES; i++) {
		place = ((u32)(mixed >> 32) + i) % MEMLAT_SHARD_STACKS;
		stack = &shard->stack[place];
		if (!stack->hash) {
			stack->hash = hash;
			stack->tgid = tgid;
			stack->gen = gen;
			stack->frames = frames;
			stack->kernel_frames = kernel_frames;
			memcpy(stack->frame, frame, frames * sizeof(*frame));
			shard->stacks++;
			return place + 1;
		}
		if (stack_is(stack, hash, tgid, gen, frame, frames, kernel_frames))
			return place + 1;
	}
	return 0;
}

/**
 * memlat_shard_clear - make a shard empty
 * @shard: a shard that no CPU writes
 *
 * The cells need no clearing: a cell starts over when its tag is set.
 */
void memlat_shard_clear(struct memlat_shard *shard)
{
	unsigned int i;

	if (shard->used > MEMLAT_SHARD_CELLS / 8)
		memset(shard->tag, 0, sizeof(shard->tag));
	else
		for (i = 0; i < shard->used; i++)
			shard->tag[shard->place[i]] = 0;
	/* Once in four thousand million times a name of long ago would count. */
	if (++shard->emptied == ~0U) {
		memset(shard->thread, 0, sizeof(shard->thread));
		shard->emptied = 0;
	}
	for (i = 0; shard->stack && i < MEMLAT_SHARD_STACKS; i++)
		shard->stack[i].hash = 0;
	shard->used = 0;
	shard->spilled = 0;
	shard->threads = 0;
	shard->stacks = 0;
}
