// SPDX-License-Identifier: GPL-2.0
/*
 * The store: one bounded set of tables for the session.
 *
 * What the CPUs collect in their shards is merged here, into tables that are
 * bounded by max_memory. Merging takes its time. So it is done by a worker, who
 * gives way often; and who only asks how things are does not wait for it, but
 * sees the exact counts of now beside the tables of the last merge.
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

#include "core/strides.h"
#include "core/tables.h"
#include "copies.h"
#include "hw/budget.h"
#include "hw/cpu.h"
#include "hw/memory.h"
#include "shards.h"
#include "store.h"
#include "task.h"

/*
 * A shard that is not crowded may wait so long: a merge wakes a worker and costs as
 * much as a dozen records, which is much where samples are few, and where they
 * are many they come together in the cells.
 */
#define MERGE_DELAY	(60 * HZ)
/* Lines that are kept ready for memlat_store_top(). */
#define TOP_READY	20

/* Tables, and every shard that was taken away. Held for long. */
static DEFINE_MUTEX(store_lock);
static struct memlat_tables tables;
static struct memlat_store_setup setup;

/* What the last merge left, for readers. Nests inside store_lock, and is held for short. */
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

/*
 * Each CPU merges what it has collected itself, before ordinary tasks run. So
 * nobody waits for another CPU's answer, no idle CPU is woken, and a CPU that
 * makes more than can be merged makes none meanwhile.
 */
struct collector {
	struct delayed_work work;
	int cpu;
};

static DEFINE_PER_CPU(struct collector, collector);
static struct workqueue_struct *collectors;

static void collect_on(int cpu, unsigned long delay)
{
	struct delayed_work *work = &per_cpu(collector, cpu).work;

	/* What is pending stays as it is, or comes earlier. */
	if (delay)
		queue_delayed_work_on(cpu, collectors, work, delay);
	else
		mod_delayed_work_on(cpu, collectors, work, 0);
}

/**
 * memlat_store_memory_max - largest bound that a session may ask for
 *
 * Half of the memory stays with the machine's own work; and records are numbered
 * with 32 bits, which 16 GiB of them fit with room to spare.
 *
 * Return: bytes.
 */
u64 memlat_store_memory_max(void)
{
	return min_t(u64, (u64)totalram_pages() * PAGE_SIZE / 2, 16ULL << 30);
}

/*
 * From an interrupt that a drain raised on its CPU: the shard was empty, or is to be
 * merged now. So a machine without samples sleeps undisturbed.
 */
static void kicked(struct irq_work *work)
{
	struct memlat_cpu *c = container_of(work, struct memlat_cpu, kick);
	struct memlat_shard *shard = READ_ONCE(c->active);
	bool due = shard && memlat_shard_is_due(shard, memlat_budget_is_on());

	collect_on(smp_processor_id(), due ? 0 : MERGE_DELAY);
}

static void tables_free(void)
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

/* The indexes. Records are allocated as they come. */
static int tables_alloc(void)
{
	struct memlat_table *table;

	memlat_tables_plan(&tables, setup.max_memory, setup.call_graph, setup.stride, PAGE_SIZE);
	for (table = tables.table; table < tables.table + MEMLAT_TABLES; table++) {
		if (!table->sets)
			continue;
		table->set = __vmalloc(array_size(table->sets, sizeof(*table->set)),
				       MEMLAT_GFP | __GFP_ZERO);
		table->chunk = __vmalloc(array_size(table->max_chunks, sizeof(*table->chunk)),
					 MEMLAT_GFP | __GFP_ZERO);
		if (!table->set || !table->chunk) {
			tables_free();
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * Room for what a batch may bring. Without memory the tables make do with what they have: they
 * evict, and count that. Return: cycles that it took, those of others too while it slept; 0
 * where it woke up on another CPU, whose cycle counter is another one.
 */
static u64 tables_grow(void)
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

/* Let others see how the tables are now. Return: cycles that it took. */
static u64 publish(bool merged)
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
		seen.top[i] = *tables.top.line[i];
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

static void find_home(struct memlat_rec_line *line)
{
	/* It may be a minute old, and its memory gone: then there is no struct page any more. */
	const struct page *page = pfn_to_online_page(PHYS_PFN(line->phys));

	if (page)
		line->home = page_to_nid(page);
}

/*
 * Cells merged between two chances for others to run. Returns where to go on: the
 * spill comes first, then the cells.
 */
static unsigned int merge_batch(const struct memlat_shard *shard, unsigned int at, int cpu)
{
	const unsigned int end = shard->spilled + shard->used;
	const struct memlat_cell *cell[MEMLAT_TABLES_BATCH];
	struct memlat_rec_line *line[MEMLAT_TABLES_BATCH];
	unsigned int i, n;

	for (n = 0; at < end && n < MEMLAT_TABLES_BATCH; at++, n++) {
		if (at < shard->spilled)
			cell[n] = &shard->spill[at];
		else
			cell[n] = &shard->cell[shard->place[at - shard->spilled]];
	}
	memlat_tables_add(&tables, shard, cell, n, cpu, cpu_to_node(cpu), line);
	for (i = 0; i < n; i++)
		if (line[i] && line[i]->phys && line[i]->home == MEMLAT_NODE_UNKNOWN)
			find_home(line[i]);
	return at;
}

/* The same of steps, which come after the cells. */
static unsigned int merge_steps(const struct memlat_steps *steps, unsigned int at)
{
	unsigned int n;

	for (n = 0; at < steps->used && n < MEMLAT_TABLES_BATCH; at++, n++)
		memlat_strides_add(&tables.table[MEMLAT_STRIDES], &steps->step[steps->place[at]]);
	return at;
}

/*
 * Merge a shard, and leave it empty. What that takes is on the account of the
 * CPU whose samples they are; each batch is measured on one CPU.
 */
static void merge(struct memlat_shard *shard, int cpu)
{
	const unsigned int cells = shard->spilled + shard->used;
	const unsigned int end = cells + (shard->steps ? shard->steps->used : 0);
	unsigned int at = 0;
	u64 from, spent = 0;

	while (at < end) {
		spent += tables_grow();
		preempt_disable();
		from = memlat_budget_now();
		at = at < cells ? merge_batch(shard, at, cpu) :
				  cells + merge_steps(shard->steps, at - cells);
		if (at == end)
			memlat_shard_clear(shard);
		spent += memlat_budget_now() - from;
		preempt_enable();
		cond_resched();
	}
	memlat_budget_charge(cpu, spent + publish(true));
}

static void collect_cpu(int cpu)
{
	struct memlat_shard *full = memlat_shards_take(cpu);

	if (!full)
		return;
	if (full->used)
		merge(full, cpu);
	else
		memlat_shard_clear(full);
}

static void collect_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		collect_cpu(cpu);
}

static void collect(struct work_struct *work)
{
	int cpu = container_of(work, struct collector, work.work)->cpu;

	store_enter();
	collect_cpu(cpu);
	store_leave();
}

static void discard_cpu(int cpu)
{
	struct memlat_shard *full = memlat_shards_take(cpu);

	if (full)
		memlat_shard_clear(full);
}

/**
 * memlat_store_start - empty tables for a new session
 * @wanted: what it wants of them
 *
 * Return: 0 or -ENOMEM; then the old tables are gone too.
 */
int memlat_store_start(const struct memlat_store_setup *wanted)
{
	int ret;

	store_enter();
	tables_free();
	setup = *wanted;
	memlat_shards_forget();
	forget();
	ret = tables_alloc();
	publish(false);
	store_leave();
	return ret;
}

/**
 * memlat_store_unwatch - collect a last time, from CPUs that are disarmed
 */
void memlat_store_unwatch(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(memlat_cpu, cpu).kick);
	for_each_possible_cpu(cpu)
		cancel_delayed_work_sync(&per_cpu(collector, cpu).work);
	store_enter();
	collect_all();
	store_leave();
}

/**
 * memlat_store_init - be ready for a session
 *
 * Return: 0 or -ENOMEM.
 */
int __init memlat_store_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		INIT_DELAYED_WORK(&per_cpu(collector, cpu).work, collect);
		per_cpu(collector, cpu).cpu = cpu;
	}
	collectors = alloc_workqueue("memlat", WQ_PERCPU | WQ_HIGHPRI, 0);
	return collectors ? 0 : -ENOMEM;
}

/**
 * memlat_store_exit - give back everything; no session runs
 */
void memlat_store_exit(void)
{
	store_enter();
	tables_free();
	store_leave();
	destroy_workqueue(collectors);
}

/**
 * memlat_store_cpu_memory - what a CPU's shards take at most
 *
 * Return: bytes.
 */
size_t memlat_store_cpu_memory(void)
{
	return max(memlat_shards_cpu_bytes(true, false), memlat_shards_cpu_bytes(false, true));
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

	if (c->active)
		return 0;
	/* In the interrupt on PREEMPT_RT too: a real-time task may keep its thread from running. */
	c->kick = IRQ_WORK_INIT_HARD(kicked);
	return memlat_shards_alloc(cpu, setup.call_graph, setup.stride);
}

/**
 * memlat_store_cpus_free - take the shards of all CPUs back
 *
 * After memlat_store_unwatch(), or when no CPU was armed.
 */
void memlat_store_cpus_free(void)
{
	store_enter();
	memlat_shards_free_all();
	store_leave();
}

/**
 * memlat_store_reset - forget everything, keep counting
 */
void memlat_store_reset(void)
{
	int cpu;

	store_enter();
	tables_clear();
	memlat_shards_round();
	for_each_possible_cpu(cpu)
		discard_cpu(cpu);
	memlat_shards_round_forget();
	forget();
	publish(false);
	store_leave();
}

/* What the counts say of the tables: samples that never came there. */
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

static void totals_fill(struct memlat_totals *to)
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
 * memlat_store_totals - everything but the tables: counts as of now
 * @to: where to
 *
 * Does not wait for a merge, and causes none.
 */
void memlat_store_totals(struct memlat_totals *to)
{
	memlat_shards_count(&to->sum);
	totals_fill(to);
}

/**
 * memlat_store_top - the hottest lines, as of the last merge
 * @to: where to
 * @max: at most so many
 *
 * Does not wait for a merge, but asks for one when the last was more than a
 * second ago: whoever looks again sees what there was at this look.
 *
 * Most HITM first, then most cost. Return: how many, 20 at most.
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
			collect_on(cpu, 0);
	cpus_read_unlock();
	return n;
}

/**
 * memlat_store_snapshot - a consistent copy
 * @to: everything but the tables
 * @core: what each kind of core counted, memlat_cores_nr() of them
 * @wanted: as memlat_copy_tables() has it
 * @head: likewise
 * @tail: likewise
 *
 * Return: a copy with the records of lines first, then sites, accesses, threads, stacks and
 * strides; for memlat_copy_free(). NULL without memory, or where there are so many copies that
 * this one would be over the bound of all.
 */
struct memlat_copy *memlat_store_snapshot(struct memlat_totals *to,
					  struct memlat_core_counts *core, u32 wanted, u32 head,
					  u32 tail)
{
	struct memlat_copy *copy;

	store_enter();
	/* Counts and tables have to describe the same instant. */
	memlat_shards_round();
	collect_all();
	memlat_shards_round_sum(&to->sum, core);
	totals_fill(to);

	copy = memlat_copy_tables(&tables, wanted, head, tail);
	store_leave();
	return copy;
}
