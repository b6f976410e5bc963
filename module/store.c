// SPDX-License-Identifier: GPL-2.0
/*
 * The store: one bounded set of tables for the session.
 *
 * Each CPU has two shards. It writes one; the other is empty and waits. To
 * collect, an interrupt on that CPU exchanges them: a drain runs in an NMI or
 * with interrupts off, so it is never half done when that interrupt comes, and
 * the writer needs no lock. The full shard is merged here at leisure.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "core/lines.h"
#include "hw/cpu.h"
#include "store.h"
#include "task.h"

/* Counts in a shard are 32 bits wide: never leave them alone for long. */
#define MERGE_INTERVAL	HZ

static DEFINE_MUTEX(store_lock);	/* all below, and every idle shard */
static struct memlat_lines lines;
static struct memlat_totals totals;

/* Whoever works on the store is not sampled meanwhile. */
static void store_enter(void)
{
	mutex_lock(&store_lock);
	memlat_task_hide();
}

static void store_leave(void)
{
	memlat_task_unhide();
	mutex_unlock(&store_lock);
}

static void collect(struct work_struct *unused);
static DECLARE_DELAYED_WORK(collector, collect);

/**
 * memlat_store_memory_max - largest bound that a session may ask for
 *
 * Half of the memory stays with the machine's own work; and lines are numbered
 * with 32 bits, which 16 GiB of them fit with room to spare.
 *
 * Return: bytes.
 */
u64 memlat_store_memory_max(void)
{
	return min_t(u64, (u64)totalram_pages() * PAGE_SIZE / 2, 16ULL << 30);
}

/* From an interrupt that the PMI raised because the shard is crowded. */
static void kicked(struct irq_work *unused)
{
	mod_delayed_work(system_dfl_wq, &collector, 0);
}

static u64 index_bytes(void)
{
	return (u64)lines.sets * MEMLAT_LINES_WAYS * sizeof(*lines.index);
}

static void tables_free(void)
{
	u32 i;

	for (i = 0; i < lines.chunks; i++)
		kvfree(lines.chunk[i]);
	kvfree(lines.chunk);
	kvfree(lines.index);
	memset(&lines, 0, sizeof(lines));
}

/*
 * As many lines as the bound allows, and an index with one and a half to three
 * places for each, so that a set seldom fills before the table does. Lines are
 * allocated as they come.
 */
static int tables_alloc(u64 max_memory)
{
	u64 per_chunk = sizeof(struct memlat_lines_chunk) + sizeof(*lines.chunk) +
			3 * MEMLAT_LINES_PER_CHUNK * sizeof(*lines.index);

	lines.max_chunks = div64_u64(max_memory, per_chunk);
	lines.sets = roundup_pow_of_two(3 * lines.max_chunks * MEMLAT_LINES_PER_CHUNK / 2 /
					MEMLAT_LINES_WAYS);
	lines.index = kvzalloc(index_bytes(), GFP_KERNEL);
	lines.chunk = kvcalloc(lines.max_chunks, sizeof(*lines.chunk), GFP_KERNEL);
	if (lines.index && lines.chunk)
		return 0;
	tables_free();
	return -ENOMEM;
}

/*
 * Room for every line that one shard may bring. Without memory the table makes
 * do with what it has: it evicts, and counts that.
 */
static void tables_grow(void)
{
	while (lines.chunks < lines.max_chunks &&
	       memlat_lines_free(&lines) < MEMLAT_SHARD_LINES + MEMLAT_SHARD_SPILL) {
		lines.chunk[lines.chunks] = kvmalloc_obj(**lines.chunk);
		if (!lines.chunk[lines.chunks])
			return;
		lines.chunks++;
	}
}

static void totals_clear(void)
{
	u64 max_memory = totals.max_memory;

	memset(&totals, 0, sizeof(totals));
	totals.max_memory = max_memory;
}

static void merge(const struct memlat_shard *shard, int cpu)
{
	unsigned int node = cpu_to_node(cpu), i, j;

	for (i = 0; i < MEMLAT_COUNT_NR; i++)
		totals.count[i] += shard->count[i];
	totals.latency_max = max_t(u64, totals.latency_max, shard->latency_max);
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		totals.latency[i] += shard->latency[i];
	for (i = 0; i < MEMLAT_BUCKETS; i++)
		for (j = 0; j < MEMLAT_SRC_NR; j++)
			totals.bucket[i][j] += shard->bucket[i][j];
	for (i = 0; i < ARRAY_SIZE(shard->raw); i++)
		totals.raw[i] += shard->raw[i];

	for (i = 0; i < shard->spilled; i++)
		memlat_lines_merge(&lines, &shard->spill[i], cpu, node);
	for (i = 0; i < MEMLAT_SHARD_LINES; i++)
		if (shard->tag[i])
			memlat_lines_merge(&lines, &shard->line[i], cpu, node);
	totals.merges++;
}

static void swap_shard(void *unused)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);

	WRITE_ONCE(c->active, c->active == c->shard[0] ? c->shard[1] : c->shard[0]);
}

/*
 * Take over what a CPU has counted. A CPU that is offline was disarmed before
 * it went, so nobody writes its shard and it can be exchanged from here.
 */
static void take(int cpu, bool keep)
{
	struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);
	struct memlat_shard *full = c->active;

	if (!full)
		return;
	if (smp_call_function_single(cpu, swap_shard, NULL, 1))
		c->active = full == c->shard[0] ? c->shard[1] : c->shard[0];
	if (keep) {
		tables_grow();
		merge(full, cpu);
	}
	memlat_shard_clear(full);
}

static void take_all(bool keep)
{
	int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu)
		take(cpu, keep);
	cpus_read_unlock();
}

static void collect(struct work_struct *unused)
{
	store_enter();
	take_all(true);
	store_leave();
	queue_delayed_work(system_dfl_wq, &collector, MERGE_INTERVAL);
}

/**
 * memlat_store_start - empty tables for a new session
 * @max_memory: their bound, bytes
 *
 * Return: 0 or -ENOMEM; then the old tables are gone too.
 */
int memlat_store_start(u64 max_memory)
{
	int ret;

	store_enter();
	tables_free();
	totals.max_memory = max_memory;
	totals_clear();
	ret = tables_alloc(max_memory);
	store_leave();
	return ret;
}

/**
 * memlat_store_watch - begin to collect from the CPUs
 */
void memlat_store_watch(void)
{
	queue_delayed_work(system_dfl_wq, &collector, MERGE_INTERVAL);
}

/**
 * memlat_store_unwatch - collect a last time, from CPUs that are disarmed
 */
void memlat_store_unwatch(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(memlat_cpu, cpu).kick);
	cancel_delayed_work_sync(&collector);
	store_enter();
	take_all(true);
	store_leave();
}

/**
 * memlat_store_free - give back the tables
 */
void memlat_store_free(void)
{
	store_enter();
	tables_free();
	totals_clear();
	store_leave();
}

/**
 * memlat_store_cpu_prepare - give a CPU its shards
 * @cpu: the CPU, not armed
 *
 * Return: 0 or -ENOMEM.
 */
int memlat_store_cpu_prepare(int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);
	int i;

	if (c->active)
		return 0;
	for (i = 0; i < 2; i++) {
		if (!c->shard[i])
			c->shard[i] = kvzalloc_node(sizeof(*c->shard[i]), GFP_KERNEL,
						    cpu_to_node(cpu));
		if (!c->shard[i])
			return -ENOMEM;
	}
	init_irq_work(&c->kick, kicked);
	c->active = c->shard[0];
	return 0;
}

/**
 * memlat_store_cpus_free - take the shards of all CPUs back
 *
 * After memlat_store_unwatch(), or when no CPU was armed.
 */
void memlat_store_cpus_free(void)
{
	int cpu, i;

	store_enter();
	for_each_possible_cpu(cpu) {
		struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);

		c->active = NULL;
		for (i = 0; i < 2; i++) {
			kvfree(c->shard[i]);
			c->shard[i] = NULL;
		}
	}
	store_leave();
}

/**
 * memlat_store_reset - forget everything, keep counting
 */
void memlat_store_reset(void)
{
	store_enter();
	take_all(false);
	if (lines.index)
		memlat_lines_clear(&lines);
	totals_clear();
	store_leave();
}

static void totals_now(struct memlat_totals *to)
{
	take_all(true);
	*to = totals;
	to->count[MEMLAT_COUNT_LINES_EVICTED] += lines.evicted;
	to->lines = lines.used;
	to->bytes = index_bytes() + (u64)lines.max_chunks * sizeof(*lines.chunk) +
		    (u64)lines.chunks * sizeof(**lines.chunk);
}

/**
 * memlat_store_totals - everything but the lines, as of now
 * @to: where to
 */
void memlat_store_totals(struct memlat_totals *to)
{
	store_enter();
	totals_now(to);
	store_leave();
}

/**
 * memlat_store_snapshot - a consistent copy
 * @to: everything but the lines
 * @head: bytes to leave free before the lines
 * @tail: bytes to leave free after them
 *
 * Return: memory with to->lines records at @head, for kvfree(); NULL without
 * memory.
 */
void *memlat_store_snapshot(struct memlat_totals *to, size_t head, size_t tail)
{
	struct memlat_rec_line *line;
	void *copy;
	u32 i;

	store_enter();
	totals_now(to);
	copy = vmalloc(head + lines.used * sizeof(*line) + tail);
	if (copy) {
		line = copy + head;
		for (i = 0; i < lines.used; i++)
			line[i] = *memlat_lines_at(&lines, i);
	}
	store_leave();
	return copy;
}
