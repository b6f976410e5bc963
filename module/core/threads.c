// SPDX-License-Identifier: GPL-2.0
/* Threads: which threads were sampled, and their names. */
#include "hash.h"
#include "threads.h"

static bool memlat_threads_kind_same(const void *record, const void *key)
{
	const struct memlat_rec_thread *thread = record;
	const struct memlat_cell *cell = key;

	return thread->tid == cell->tid && thread->tgid == cell->tgid && thread->gen == cell->gen;
}

MEMLAT_TABLE_KIND(memlat_threads_kind, MEMLAT_REC_THREAD, memlat_rec_thread, samples);

/**
 * memlat_thread_sum_add - add another cell of the same thread
 * @sum: the sum; all zero: nothing yet
 * @cell: the cell
 * @cost: cycles that its samples stand for
 */
void memlat_thread_sum_add(struct memlat_thread_sum *sum, const struct memlat_cell *cell, u64 cost)
{
	sum->cell = cell;
	sum->samples += cell->samples;
	sum->weight += cell->weight;
	sum->cost += cost;
	sum->latency_sum += memlat_cell_latency(cell);
	sum->stores += memlat_cell_with(cell, MEMLAT_CELL_STORE);
	sum->hitm += memlat_cell_hitm(cell);
}

/**
 * memlat_threads_add - add cells to their thread
 * @threads: the table
 * @sum: the sum of at least one cell
 * @origin: where they came from
 */
void memlat_threads_add(struct memlat_table *threads, const struct memlat_thread_sum *sum,
			const struct memlat_origin *origin)
{
	const struct memlat_cell *cell = sum->cell;
	u64 hash = memlat_hash(memlat_hash(0, (u64)cell->tid << 32 | cell->gen), cell->tgid);
	struct memlat_rec_thread *thread;

	thread = memlat_table_get(threads, &memlat_threads_kind, hash, cell, sum->samples);
	if (!thread)
		return;
	if (!thread->samples) {
		thread->tid = cell->tid;
		thread->tgid = cell->tgid;
		thread->gen = cell->gen;
	}
	thread->samples += sum->samples;
	thread->weight += sum->weight;
	thread->cost += sum->cost;
	thread->latency_sum += sum->latency_sum;
	thread->stores += sum->stores;
	thread->hitm += sum->hitm;
	thread->cpus |= origin->cpu;
	thread->nodes |= origin->node;
	if (!origin->who)
		return;
	if (origin->who->tls_base)
		thread->tls_base = origin->who->tls_base;
	/*
	 * The shards of several CPUs are merged in any order. Keep the newest name, and the
	 * earliest first_ns. 0 means not known: for the name it is older than any other time, and
	 * for first_ns later than any other (0 - 1 is the largest u64).
	 */
	if (origin->who->named_ns >= thread->named_ns) {
		thread->named_ns = origin->who->named_ns;
		memcpy(thread->comm, origin->who->comm, sizeof(thread->comm));
	}
	if (origin->who->first_ns - 1 < thread->first_ns - 1)
		thread->first_ns = origin->who->first_ns;
}
