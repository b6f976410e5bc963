// SPDX-License-Identifier: GPL-2.0
#include "shard.h"

/* The number of places that a look-up of a name or a call chain tries. */
#define NAME_PROBES	16
#define STACK_PROBES	8

static_assert(sizeof(struct memlat_cell) == 64);
static_assert(offsetof(struct memlat_cell, samples) == MEMLAT_CELL_KEY);
/* The layout of struct memlat_key's words. */
static_assert(offsetof(struct memlat_cell, addr) == 0);
static_assert(offsetof(struct memlat_cell, ip) == 8);
static_assert(offsetof(struct memlat_cell, phys) == 16);
static_assert(offsetof(struct memlat_cell, tgid) == 24);
static_assert(offsetof(struct memlat_cell, tid) == 28);
static_assert(offsetof(struct memlat_cell, gen) == 32);
static_assert(offsetof(struct memlat_cell, stack) == 36);
static_assert(offsetof(struct memlat_cell, kind) == 38);
static_assert(offsetof(struct memlat_cell, flags) == 39);
static_assert(sizeof(struct memlat_key) == MEMLAT_CELL_KEY);
static_assert(sizeof(u64) == MEMLAT_SHARD_WAYS);
static_assert(MEMLAT_SHARD_TAKEN == (MEMLAT_BYTES_HIGH & 0xff));
static_assert(MEMLAT_SHARD_SETS >> MEMLAT_SHARD_SET_BITS == 1);
static_assert(MEMLAT_BUCKETS <= 16 && MEMLAT_SRC_NR <= 16);
static_assert((MEMLAT_SHARD_THREADS & (MEMLAT_SHARD_THREADS - 1)) == 0);
static_assert((MEMLAT_SHARD_STACKS & (MEMLAT_SHARD_STACKS - 1)) == 0);

/*
 * Evict a cell to the spill, which the merge reads. If the spill is full too, the
 * cell's samples are lost to all tables, and are counted as lost. (The buckets include them.)
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
 * memlat_shard_start_cell - start an empty cell
 * @shard: this CPU's active shard
 * @counts: this CPU's active counts, for CELLS_LOST and STACKS_LOST
 * @key: what its samples have in common
 * @hash: hash of @key
 * @full: the key's cell, which cannot count any further; NULL: it has none
 *
 * Runs in NMI, for a cell's first sample.
 *
 * Return: the cell, empty.
 */
struct memlat_cell *
memlat_shard_start_cell(struct memlat_shard *shard, struct memlat_counts *counts,
			const struct memlat_key *key, u64 hash, struct memlat_cell *full)
{
	const unsigned int set = memlat_hash_set(hash);
	struct memlat_cell *cell;
	unsigned int i;
	u64 free;

	/* The highest bit of each free way; the lowest free way is taken next. */
	memcpy(&free, &shard->tag[set], sizeof(free));
	free = ~free & MEMLAT_BYTES_HIGH;
	if (likely(!full && free)) {
		i = set + __builtin_ctzll(free) / 8;
		shard->place[shard->used++] = i;
	} else {
		i = full ? full - shard->cell : lightest(shard, set);
		evict(shard, counts, &shard->cell[i]);
	}
	cell = &shard->cell[i];
	shard->tag[i] = memlat_hash_tag(hash);
	/* The kernel's memcpy() may contain a WARN(), which must not happen in an NMI. */
	__builtin_memcpy(cell, key, MEMLAT_CELL_KEY);
	cell->samples = 0;
	cell->latency_max = 0;
	cell->latency_sum = 0;
	cell->weight = 0;
	return cell;
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

/* The bytes of a word before its first zero byte, as a mask. The word is as x86 loads it. */
static u64 before_zero(u64 word)
{
	const u64 ones = 0x0101010101010101ULL;
	const u64 zeros = (word - ones) & ~word & ones << 7;

	return zeros ? ((zeros & -zeros) >> 7) - 1 : ~0ULL;
}

/*
 * Copy a name, and return whether it differs from the old one. Kernels before 5.17 leave the end of
 * a task's longer former name behind its name (strlcpy() in __set_task_comm()). Readers get zeros.
 */
static bool memlat_name_copy(char *to, const char *from)
{
	u64 name[MEMLAT_COMM_BYTES / sizeof(u64)], kept;
	bool differs;

	memcpy(name, from, MEMLAT_COMM_BYTES);
	kept = before_zero(name[0]);
	name[0] &= kept;
	name[1] &= kept == ~0ULL ? before_zero(name[1]) & ~0ULL >> 8 : 0;
	differs = memcmp(to, name, MEMLAT_COMM_BYTES);
	memcpy(to, name, MEMLAT_COMM_BYTES);
	return differs;
}

/**
 * memlat_shard_note_thread - note a thread's present names
 * @shard: this CPU's active shard
 * @tgid: its process
 * @gen: the process's generation
 * @tid: the thread
 * @comm: its name, MEMLAT_COMM_BYTES
 * @process: name of its process's first thread, MEMLAT_COMM_BYTES
 *
 * Runs in NMI, once per drain. If there is no room, the thread's samples are counted nevertheless,
 * and its name is noted after the next merge.
 *
 * Return: the thread; NULL if there is no room. Its @first_ns is 0 if it is new, and its @named_ns
 * is 0 if it is new or has another name now.
 */
struct memlat_shard_thread *
memlat_shard_note_thread(struct memlat_shard *shard, u32 tgid, u32 gen, u32 tid,
			 const char *comm, const char *process)
{
	unsigned int place = thread_place(tgid, gen, tid), i;
	struct memlat_shard_thread *thread;

	for (i = 0; i < NAME_PROBES; i++) {
		thread = &shard->thread[(place + i) % MEMLAT_SHARD_THREADS];
		if (thread_is_free(shard, thread)) {
			thread->round = shard->emptied + 1;
			thread->tid = tid;
			thread->tgid = tgid;
			thread->gen = gen;
			thread->first_ns = 0;
			thread->named_ns = 0;
			thread->tls_base = 0;
			shard->threads++;
			break;
		}
		if (thread_is(thread, tgid, gen, tid))
			break;
	}
	if (i == NAME_PROBES)
		return NULL;
	if (memlat_name_copy(thread->comm, comm))
		thread->named_ns = 0;
	memlat_name_copy(thread->process, process);
	return thread;
}

/**
 * memlat_shard_find_thread - look up the names that were noted for a thread
 * @shard: a shard that no CPU writes
 * @tgid: its process
 * @gen: the process's generation
 * @tid: the thread
 *
 * Return: the names; NULL if none were noted.
 */
const struct memlat_shard_thread *
memlat_shard_find_thread(const struct memlat_shard *shard, u32 tgid, u32 gen, u32 tid)
{
	unsigned int place = thread_place(tgid, gen, tid), i;
	const struct memlat_shard_thread *thread;

	for (i = 0; i < NAME_PROBES; i++) {
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
 * memlat_shard_stack - look up or add a call chain
 * @shard: this CPU's active shard
 * @tgid: process
 * @gen: its generation
 * @frame: the chain, innermost frame first
 * @frames: number of frames, 1 … MEMLAT_STACK_FRAMES
 * @kernel_frames: number of kernel frames, which are first
 *
 * Runs in NMI.
 *
 * Return: the chain's number, for memlat_sample.stack; 0 if there is no room for it, which the
 * caller counts in STACKS_LOST.
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

	for (i = 0; i < STACK_PROBES; i++) {
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
 * memlat_shard_clear - empty a shard
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
	/* Clear before @emptied wraps, or old names would become valid again. */
	if (++shard->emptied == ~0U) {
		memset(shard->thread, 0, sizeof(shard->thread));
		shard->emptied = 0;
	}
	for (i = 0; shard->stack && i < MEMLAT_SHARD_STACKS; i++)
		shard->stack[i].hash = 0;
	if (shard->steps)
		memlat_steps_clear(shard->steps);
	shard->used = 0;
	shard->spilled = 0;
	shard->threads = 0;
	shard->stacks = 0;
}
