// SPDX-License-Identifier: GPL-2.0
/*
 * The store: one bounded set of tables for the session.
 *
 * What the CPUs collect in their shards is merged here, into tables that are bounded by max_memory.
 * Merging takes long, so workers do it and reschedule often. A status query does not wait for them:
 * it gets the exact current counts, and the figures of the tables as of the last merge.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "core/tables.h"
#include "hw/pmu.h"
#include "memlat.h"

/*
 * How long a shard that has room may wait. A merge wakes a worker and costs as much as a dozen
 * records. That is much if there are few samples; if there are many, they share cells, and a later
 * merge costs less.
 */
#define MERGE_DELAY	(60 * HZ)
/* The number of lines that are kept ready for memlat_store_top(). */
#define TOP_READY	20

/* Protects the tables and every shard that was taken. May be held for long. */
static DEFINE_MUTEX(store_lock);
static struct memlat_tables tables;
static struct memlat_store_setup setup;

/* Protects @seen: published state of the last merge. Nests inside store_lock; held briefly. */
static DEFINE_MUTEX(seen_lock);
static struct {
	struct memlat_figures figures[MEMLAT_TABLES];
	u64 bytes;
	u64 max_memory;
	u64 merges;
	u64 merged_ns;
	struct memlat_rec_line top[TOP_READY];
	unsigned int top_lines;
} seen;

/* Lock the store. The current task is not sampled until store_leave(). */
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

/*
 * Each CPU merges its own shard, in a worker that runs before ordinary tasks. So no task waits for
 * another CPU, no idle CPU is woken, and a CPU that makes more samples than it can merge makes no
 * more meanwhile.
 */
struct collector {
	struct delayed_work work;
	int cpu;
};

static DEFINE_PER_CPU(struct collector, collector);
static struct workqueue_struct *collectors;

static void memlat_collect_on(int cpu, unsigned long delay)
{
	struct delayed_work *work = &per_cpu(collector, cpu).work;

	/* Work that is pending already stays as it is, or is made to run at once. */
	if (delay)
		queue_delayed_work_on(cpu, collectors, work, delay);
	else
		mod_delayed_work_on(cpu, collectors, work, 0);
}

/**
 * memlat_store_memory_max - largest max_memory that a session may have
 *
 * Half of the machine's memory is left to others. And records are numbered with 32 bits, which is
 * more than enough for 16 GiB of them.
 *
 * Return: bytes.
 */
u64 memlat_store_memory_max(void)
{
	return min_t(u64, (u64)totalram_pages() * PAGE_SIZE / 2, 16ULL << 30);
}

/*
 * Runs in an interrupt that a drain raised on its CPU, because the shard was empty before, or has
 * to be merged now. So a machine without samples is not disturbed in its sleep.
 */
static void memlat_collect_irq(struct irq_work *work)
{
	struct memlat_cpu *c = container_of(work, struct memlat_cpu, kick);
	struct memlat_shard *shard = READ_ONCE(c->active);
	bool due = shard && memlat_shard_is_due(shard, memlat_budget_is_on());

	memlat_collect_on(smp_processor_id(), due ? 0 : MERGE_DELAY);
}

static void memlat_tables_free(void)
{
	struct memlat_table *table;
	u32 i;

	for (table = tables.table; table < tables.table + MEMLAT_TABLES; table++) {
		for (i = 0; i < table->chunks; i++) {
			kvfree(table->chunk[i]);
			cond_resched();
		}
		vfree(table->chunk);
		vfree(table->set);
	}
	memset(&tables, 0, sizeof(tables));
}

/* Allocate the indexes. Records are allocated when they are needed. */
static int memlat_tables_alloc(void)
{
	struct memlat_table *table;

	memlat_tables_plan(&tables, setup.max_memory, setup.call_graph, setup.stride, PAGE_SIZE);
	for (table = tables.table; table < tables.table + MEMLAT_TABLES; table++) {
		if (!table->sets)
			continue;
		table->set = __vmalloc(array_size(table->sets, MEMLAT_TABLE_SET_BYTES),
				       MEMLAT_GFP | __GFP_ZERO);
		table->chunk = __vmalloc(array_size(table->max_chunks, sizeof(*table->chunk)),
					 MEMLAT_GFP | __GFP_ZERO);
		if (!table->set || !table->chunk) {
			memlat_tables_free();
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * Allocate room for the records that a batch may add. If there is no memory, the tables evict
 * records instead, and count that. Returns the cycles that it took, including those of other tasks
 * while it slept; 0 if it was moved to another CPU, whose cycle counter is a different one.
 */
static u64 memlat_tables_grow(void)
{
	const int here = raw_smp_processor_id();
	const u64 from = memlat_budget_now();
	struct memlat_table *table;

	for (table = tables.table; table < tables.table + MEMLAT_TABLES; table++) {
		while (table->chunks < table->max_chunks &&
		       memlat_table_room(table) < MEMLAT_TABLES_BATCH) {
			void *chunk = kvmalloc(MEMLAT_TABLE_CHUNK, MEMLAT_GFP);

			if (!chunk)
				break;
			table->chunk[table->chunks++] = chunk;
		}
	}
	return here == raw_smp_processor_id() ? memlat_budget_now() - from : 0;
}

static void tables_clear(void)
{
	const u32 part = SZ_64K;	/* sets */
	struct memlat_table *table;
	u32 at;

	for (table = tables.table; table < tables.table + MEMLAT_TABLES; table++) {
		for (at = 0; at < table->sets; at += part) {
			memlat_table_clear(table, at, min(part, table->sets - at));
			cond_resched();
		}
	}
	tables.top.lines = 0;
}

static u64 tables_bytes(void)
{
	const struct memlat_table *table;
	u64 bytes = 0;

	for (table = tables.table; table < tables.table + MEMLAT_TABLES; table++)
		if (table->sets)
			bytes += memlat_table_bytes(table, PAGE_SIZE);
	return bytes;
}

/* Copy the state of the tables to @seen. Returns the cycles that it took. */
static u64 memlat_publish(bool merged)
{
	unsigned int i;
	u64 from, spent;

	mutex_lock(&seen_lock);
	preempt_disable();
	from = memlat_budget_now();
	for (i = 0; i < MEMLAT_TABLES; i++)
		seen.figures[i] = tables.table[i].now;
	seen.bytes = tables_bytes();
	seen.top_lines = min_t(unsigned int, tables.top.lines, TOP_READY);
	for (i = 0; i < seen.top_lines; i++)
		memlat_table_read(&memlat_lines_kind, tables.top.line[i], &seen.top[i]);
	if (merged) {
		seen.merges++;
		seen.merged_ns = ktime_get_ns();
	}
	spent = memlat_budget_now() - from;
	preempt_enable();
	mutex_unlock(&seen_lock);
	return spent;
}

/* Reset the state that is kept outside the tables. */
static void forget(void)
{
	mutex_lock(&seen_lock);
	memset(&seen, 0, sizeof(seen));
	seen.max_memory = setup.max_memory;
	mutex_unlock(&seen_lock);
}

static void line_home(struct memlat_line *line)
{
	/* The address may be a minute old, and its memory may have been unplugged since. */
	const struct page *page = pfn_to_online_page(PHYS_PFN(line->phys));

	if (page)
		line->home = page_to_nid(page);
}

/*
 * Merge a batch of cells, after which other tasks may run. The spill is merged before the cells.
 * Returns where the next batch begins.
 */
static unsigned int memlat_merge_batch(const struct memlat_shard *shard, unsigned int at, int cpu)
{
	const unsigned int end = shard->spilled + shard->used;
	const struct memlat_cell *cell[MEMLAT_TABLES_BATCH];
	struct memlat_line *line[MEMLAT_TABLES_BATCH];
	unsigned int i, n;

	for (n = 0; at < end && n < MEMLAT_TABLES_BATCH; at++, n++) {
		if (at < shard->spilled)
			cell[n] = &shard->spill[at];
		else
			cell[n] = &shard->cell[shard->place[at - shard->spilled]];
	}
	memlat_tables_add(&tables, shard, cell, n, cpu, cpu_to_node(cpu), line);
	for (i = 0; i < n; i++)
		if (line[i] && line[i]->phys && line[i]->home == MEMLAT_LINE_HOME_UNKNOWN)
			line_home(line[i]);
	return at;
}

/* Merge a batch of steps, which are merged after the cells. */
static unsigned int memlat_merge_steps(const struct memlat_steps *steps, unsigned int at)
{
	unsigned int n;

	for (n = 0; at < steps->used && n < MEMLAT_TABLES_BATCH; at++, n++)
		memlat_strides_add(&tables.table[MEMLAT_STRIDES], &steps->step[steps->place[at]]);
	return at;
}

/*
 * Merge a shard and empty it. The cycles are charged to the CPU that took the samples. Each batch
 * is measured on one CPU.
 */
static void memlat_merge(struct memlat_shard *shard, int cpu)
{
	const unsigned int cells = shard->spilled + shard->used;
	const unsigned int end = cells + (shard->steps ? shard->steps->used : 0);
	unsigned int at = 0;
	u64 from, spent = 0;

	while (at < end) {
		spent += memlat_tables_grow();
		preempt_disable();
		from = memlat_budget_now();
		at = at < cells ? memlat_merge_batch(shard, at, cpu) :
				  cells + memlat_merge_steps(shard->steps, at - cells);
		if (at == end)
			memlat_shard_clear(shard);
		spent += memlat_budget_now() - from;
		preempt_enable();
		cond_resched();
	}
	memlat_budget_charge(cpu, spent + memlat_publish(true));
}

static void memlat_collect_cpu(int cpu)
{
	struct memlat_shard *full = memlat_shards_take(cpu);

	if (!full)
		return;
	if (full->used)
		memlat_merge(full, cpu);
	else
		memlat_shard_clear(full);
}

static void memlat_collect_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memlat_collect_cpu(cpu);
}

static void memlat_collect_work(struct work_struct *work)
{
	int cpu = container_of(work, struct collector, work.work)->cpu;

	store_enter();
	memlat_collect_cpu(cpu);
	store_leave();
}

static void memlat_discard_cpu(int cpu)
{
	struct memlat_shard *full = memlat_shards_take(cpu);

	if (full)
		memlat_shard_clear(full);
}

/**
 * memlat_store_start - allocate empty tables for a new session
 * @wanted: what the session needs
 *
 * Return: 0, or -ENOMEM. The old tables are freed in either case.
 */
int memlat_store_start(const struct memlat_store_setup *wanted)
{
	int ret;

	store_enter();
	memlat_tables_free();
	setup = *wanted;
	memlat_shards_forget();
	forget();
	ret = memlat_tables_alloc();
	memlat_publish(false);
	store_leave();
	return ret;
}

/**
 * memlat_store_unwatch - stop the workers, and collect a last time; all CPUs are disarmed
 */
void memlat_store_unwatch(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(memlat_cpu, cpu)->kick);
	for_each_possible_cpu(cpu)
		cancel_delayed_work_sync(&per_cpu(collector, cpu).work);
	store_enter();
	memlat_collect_all();
	store_leave();
}

/**
 * memlat_store_init - set up the workers and the sums; the kinds of cores are known
 *
 * Return: 0 or -ENOMEM.
 */
int __init memlat_store_init(void)
{
	int cpu, ret = memlat_shards_init();

	if (ret)
		return ret;
	for_each_possible_cpu(cpu) {
		INIT_DELAYED_WORK(&per_cpu(collector, cpu).work, memlat_collect_work);
		per_cpu(collector, cpu).cpu = cpu;
	}
	collectors = alloc_workqueue("memlat", WQ_PERCPU | WQ_HIGHPRI, 0);
	if (collectors)
		return 0;
	memlat_shards_exit();
	return -ENOMEM;
}

/**
 * memlat_store_exit - free everything; no session runs
 */
void memlat_store_exit(void)
{
	store_enter();
	memlat_tables_free();
	store_leave();
	destroy_workqueue(collectors);
	memlat_shards_exit();
}

/**
 * memlat_store_cpu_memory - the most memory that a CPU's shards and counts may take
 *
 * Return: bytes.
 */
size_t memlat_store_cpu_memory(void)
{
	return max(memlat_shards_cpu_bytes(true, false), memlat_shards_cpu_bytes(false, true));
}

/**
 * memlat_store_cpu_prepare - allocate a CPU's shards, if it has none
 * @cpu: the CPU, not armed
 *
 * Return: 0 or -ENOMEM.
 */
int memlat_store_cpu_prepare(int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

	if (c->active)
		return 0;
	/* Hard, so that PREEMPT_RT runs it in the interrupt: its thread may be starved. */
	c->kick = IRQ_WORK_INIT_HARD(memlat_collect_irq);
	return memlat_shards_alloc(cpu, setup.call_graph, setup.stride);
}

/**
 * memlat_store_cpus_free - free the shards of all CPUs
 *
 * Called after memlat_store_unwatch(), or if no CPU was armed.
 */
void memlat_store_cpus_free(void)
{
	store_enter();
	memlat_shards_free_all();
	store_leave();
}

/**
 * memlat_store_reset - empty the tables and count from zero; a session continues
 */
void memlat_store_reset(void)
{
	int cpu;

	store_enter();
	tables_clear();
	memlat_shards_round();
	for_each_possible_cpu(cpu)
		memlat_discard_cpu(cpu);
	memlat_shards_round_forget();
	forget();
	memlat_publish(false);
	store_leave();
}

/* Add the samples that never reached the tables, by the counts, to those that were evicted. */
static void figures(struct memlat_totals *to, const struct memlat_figures *from)
{
	const u64 lost = to->sum.count[MEMLAT_COUNT_CELLS_LOST];

	to->lines = from[MEMLAT_LINES];
	to->sites = from[MEMLAT_SITES];
	to->accesses = from[MEMLAT_ACCESSES];
	to->threads = from[MEMLAT_THREADS];
	to->stacks = from[MEMLAT_STACKS];
	to->strides = from[MEMLAT_STRIDES];
	to->lines.evicted += lost;
	to->sites.evicted += lost;
	to->accesses.evicted += lost;
	to->threads.evicted += lost;
	to->strides.evicted += to->sum.count[MEMLAT_COUNT_PAIRS_LOST];
	to->sum.count[MEMLAT_COUNT_STACKS_LOST] += to->stacks.evicted;
	to->stacks.evicted = to->sum.count[MEMLAT_COUNT_STACKS_LOST];
}

static void memlat_totals_fill(struct memlat_totals *to)
{
	mutex_lock(&seen_lock);
	figures(to, seen.figures);
	to->bytes = seen.bytes;
	to->max_memory = seen.max_memory;
	to->merges = seen.merges;
	to->merged_ns = seen.merged_ns;
	mutex_unlock(&seen_lock);
}

/**
 * memlat_store_totals - the current counts, and figures of the tables as of the last merge
 * @to: filled in
 *
 * Does not wait for a merge, and does not cause one.
 */
void memlat_store_totals(struct memlat_totals *to)
{
	memlat_shards_count(&to->sum);
	memlat_totals_fill(to);
}

/**
 * memlat_store_top - copy the hottest lines, as of the last merge
 * @to: filled in: the lines with most HITM first, then by cost
 * @max: room in @to
 *
 * Does not wait for a merge, but starts one if the last was more than a second ago, so that the
 * next call sees all that was sampled until this one.
 *
 * Return: number of lines, at most 20.
 */
unsigned int memlat_store_top(struct memlat_rec_line *to, unsigned int max)
{
	unsigned int n;
	bool old;
	int cpu;

	mutex_lock(&seen_lock);
	n = min(max, seen.top_lines);
	memcpy(to, seen.top, n * sizeof(*to));
	old = ktime_get_ns() - seen.merged_ns > NSEC_PER_SEC;
	mutex_unlock(&seen_lock);

	cpus_read_lock();
	for_each_online_cpu(cpu)
		if (old && memlat_shards_due(cpu))
			memlat_collect_on(cpu, 0);
	cpus_read_unlock();
	return n;
}

/**
 * memlat_store_snapshot - copy everything of one moment
 * @to: filled in: everything but the tables
 * @core: filled in, memlat_cores_nr() elements, one per kind of core
 * @wanted: as for memlat_copy_tables()
 * @head: as for memlat_copy_tables()
 * @tail: as for memlat_copy_tables()
 *
 * Return: a copy with the records of lines first, then sites, accesses, threads, stacks and
 * strides; for memlat_copy_free(). NULL as from memlat_copy_tables().
 */
struct memlat_copy *memlat_store_snapshot(struct memlat_totals *to,
					  struct memlat_core_counts *core, u32 wanted, u32 head,
					  u32 tail)
{
	struct memlat_copy *copy;

	store_enter();
	/* Counts and tables have to describe the same instant. */
	memlat_shards_round();
	memlat_collect_all();
	memlat_shards_round_sum(&to->sum, core);
	memlat_totals_fill(to);

	copy = memlat_copy_tables(&tables, wanted, head, tail);
	store_leave();
	return copy;
}
