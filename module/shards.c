// SPDX-License-Identifier: GPL-2.0
/*
 * What the CPUs write: shards and counts.
 *
 * Each CPU has two of both. It writes one of each, and the other one is empty. To take them, an
 * interrupt on that CPU exchanges them. A drain runs in an NMI or with interrupts off, so that
 * interrupt never interrupts a drain, and the writer needs no lock.
 *
 * But an NMI may interrupt that interrupt. So one instruction exchanges both shard and
 * counts: what was drained before is in the old pair, with its counts, and what is drained later is
 * in the new pair. A caller that wants only the counts exchanges only these. The counts are then
 * ahead of the cells, but the next exchange of both takes every cell of what was counted until
 * then. So a snapshot balances, whatever was read before.
 */
#include <linux/cpu.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "hw/pmu.h"
#include "memlat.h"

/*
 * Protects the sums below, and which shard and counts each CPU writes. Nests inside
 * cpus_read_lock(); short critical sections only.
 */
static DEFINE_MUTEX(counts_lock);
/*
 * What all CPUs have counted, except what is still in the counts that they write now. Kept as a
 * sum, so that reading a status need not add up the counts of a thousand CPUs.
 */
struct sums {
	struct memlat_counts *all;		/* without raw words, and without room for them */
	struct memlat_core_counts *core;	/* for each kind of core that this machine has */
};

static struct sums sums;
/*
 * A round takes the shards of one CPU after the other, and needs what each CPU had counted when its
 * shard was taken. What CPUs up to @had_turn count after that is kept apart, in @later, until the
 * round is over.
 */
static bool in_round;
static int had_turn = -1;
static struct sums later;

static int __init memlat_sums_alloc(struct sums *s)
{
	s->all = kzalloc(MEMLAT_COUNTS_BYTES, GFP_KERNEL);
	s->core = kvcalloc(memlat_cores_nr(), sizeof(*s->core), GFP_KERNEL);
	return s->all && s->core ? 0 : -ENOMEM;
}

static void memlat_sums_free(struct sums *s)
{
	kfree(s->all);
	kvfree(s->core);
}

/**
 * memlat_shards_exit - free the sums; there are no shards
 */
void memlat_shards_exit(void)
{
	memlat_sums_free(&sums);
	memlat_sums_free(&later);
}

/**
 * memlat_shards_init - allocate the sums; the kinds of cores are known
 *
 * Return: 0 or -ENOMEM.
 */
int __init memlat_shards_init(void)
{
	const int ret = memlat_sums_alloc(&sums) ?: memlat_sums_alloc(&later);

	if (ret)
		memlat_shards_exit();
	return ret;
}

static void memlat_sums_clear(struct sums *s)
{
	unsigned int i;

	memset(s->all, 0, MEMLAT_COUNTS_BYTES);
	for (i = 0; i < memlat_cores_nr(); i++)
		memset(&s->core[i], 0, memlat_core_counts_bytes(memlat_cores_raws(i)));
}

static void memlat_cores_copy(struct memlat_core_counts *to, const struct memlat_core_counts *from)
{
	unsigned int i;

	for (i = 0; i < memlat_cores_nr(); i++)
		memcpy(&to[i], &from[i], memlat_core_counts_bytes(memlat_cores_raws(i)));
}

static void shard_free(struct memlat_shard *shard)
{
	if (shard) {
		kvfree(shard->stack);
		kvfree(shard->steps);
	}
	kvfree(shard);
}

static struct memlat_shard *shard_alloc(int node, bool call_graph, bool stride)
{
	struct memlat_shard *shard = kvzalloc_node(sizeof(*shard), MEMLAT_GFP, node);

	if (!shard)
		return NULL;
	if (call_graph)
		shard->stack = kvzalloc_node(MEMLAT_SHARD_STACKS * sizeof(*shard->stack),
					     MEMLAT_GFP, node);
	if (stride)
		shard->steps = kvzalloc_node(sizeof(*shard->steps), MEMLAT_GFP, node);
	if ((!call_graph || shard->stack) && (!stride || shard->steps))
		return shard;
	shard_free(shard);
	return NULL;
}

/* What kvmalloc() takes for so many bytes: above a page kmalloc() has sizes of 2^n pages. */
static size_t memlat_shards_allocated(size_t bytes)
{
	return roundup_pow_of_two(bytes);
}

/**
 * memlat_shards_cpu_bytes - memory that memlat_shards_alloc() allocates for a CPU
 * @call_graph: with room for call chains
 * @stride: with room for steps
 *
 * Return: bytes.
 */
size_t memlat_shards_cpu_bytes(bool call_graph, bool stride)
{
	size_t bytes = memlat_shards_allocated(sizeof(struct memlat_shard)) +
		       memlat_shards_allocated(sizeof(struct memlat_counts));

	if (call_graph)
		bytes += memlat_shards_allocated(MEMLAT_SHARD_STACKS * sizeof(struct memlat_shard_stack));
	if (stride)
		bytes += memlat_shards_allocated(sizeof(struct memlat_steps));
	return 2 * bytes;
}

/**
 * memlat_shards_alloc - allocate a CPU's shards and counts
 * @cpu: the CPU, not armed, without shards
 * @call_graph: with room for call chains
 * @stride: with room for steps
 *
 * Return: 0 or -ENOMEM; memlat_shards_free_all() also frees a part of the allocations.
 */
int memlat_shards_alloc(int cpu, bool call_graph, bool stride)
{
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
	const int node = cpu_to_node(cpu);
	int i;

	for (i = 0; i < 2; i++) {
		if (!c->shard[i])
			c->shard[i] = shard_alloc(node, call_graph, stride);
		if (!c->counts_pair[i])
			c->counts_pair[i] = kvzalloc_node(sizeof(*c->counts), MEMLAT_GFP, node);
		if (!c->shard[i] || !c->counts_pair[i])
			return -ENOMEM;
	}
	mutex_lock(&counts_lock);
	c->counts = c->counts_pair[0];
	c->active = c->shard[0];
	mutex_unlock(&counts_lock);
	return 0;
}

static bool any(const struct memlat_counts *counts)
{
	unsigned int i;

	for (i = 0; counts && i < MEMLAT_COUNT_NR; i++)
		if (READ_ONCE(counts->count[i]))
			return true;
	return false;
}

/* Add counts that no CPU writes to the sums, and clear them. */
static void memlat_counts_fold(int cpu, struct memlat_counts *counts)
{
	struct sums *to = cpu <= had_turn ? &later : &sums;
	const unsigned int core = memlat_cores_of(cpu);
	unsigned int raws;

	if (!any(counts))
		return;
	raws = memlat_cores_raws(core);
	memlat_counts_merge(to->all, counts);
	memlat_core_counts_add(&to->core[core], counts, raws);
	memset(counts, 0, MEMLAT_COUNTS_BYTES + raws * sizeof(counts->raw[0]));
}

static void cpu_free(int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
	int i;

	memlat_counts_fold(cpu, c->counts);
	c->active = NULL;
	c->counts = NULL;
	for (i = 0; i < 2; i++) {
		shard_free(c->shard[i]);
		c->shard[i] = NULL;
		kvfree(c->counts_pair[i]);
		c->counts_pair[i] = NULL;
	}
}

/**
 * memlat_shards_free_all - free the shards and counts of all CPUs
 *
 * Called while no CPU is armed and no merge takes shards, after all shards were emptied. Counts are
 * added to the sums.
 */
void memlat_shards_free_all(void)
{
	int cpu;

	mutex_lock(&counts_lock);
	for_each_possible_cpu(cpu) {
		cpu_free(cpu);
		cond_resched();
	}
	mutex_unlock(&counts_lock);
}

static struct memlat_counts *other_counts(const struct memlat_cpu *c)
{
	return c->counts_pair[c->counts == c->counts_pair[0]];
}

static struct memlat_shard *other_shard(const struct memlat_cpu *c)
{
	return c->shard[c->active == c->shard[0]];
}

/*
 * Exchange shard and counts at once. Runs on the CPU that writes them, or for a CPU that is
 * offline. Every CPU with PEBS load latency has cmpxchg16b. It needs no lock prefix, because no
 * other CPU accesses the pair.
 */
static void memlat_exchange_both(struct memlat_cpu *c)
{
	struct memlat_shard *shard = c->active;
	struct memlat_counts *counts = c->counts;

	static_assert(offsetof(struct memlat_cpu, active) % 16 == 0 &&
		      offsetof(struct memlat_cpu, counts) ==
		      offsetof(struct memlat_cpu, active) + sizeof(void *));

	asm volatile("cmpxchg16b %[pair]"
		     : [pair] "+m" (*(unsigned __int128 *)&c->active),
		       "+a" (shard), "+d" (counts)
		     : "b" (other_shard(c)), "c" (other_counts(c))
		     : "cc", "memory");
}

static void memlat_exchange_both_here(void *unused)
{
	memlat_exchange_both(this_cpu_ptr(memlat_cpu));
}

static void memlat_exchange_shard(struct memlat_cpu *c)
{
	WRITE_ONCE(c->active, other_shard(c));
}

static void memlat_exchange_shard_here(void *unused)
{
	memlat_exchange_shard(this_cpu_ptr(memlat_cpu));
}

static void memlat_exchange_counts(struct memlat_cpu *c)
{
	WRITE_ONCE(c->counts, other_counts(c));
}

static void memlat_exchange_counts_here(void *unused)
{
	memlat_exchange_counts(this_cpu_ptr(memlat_cpu));
}

/* Has the CPU counted anything? Racy on purpose: the next call sees what it counts right now. */
static bool memlat_counts_due(int cpu, void *unused)
{
	return any(per_cpu_ptr(memlat_cpu, cpu)->counts);
}

/**
 * memlat_shards_due - check whether a CPU has samples to merge
 * @cpu: the CPU; CPU hotplug is locked out
 */
bool memlat_shards_due(int cpu)
{
	struct memlat_shard *shard;
	bool due;

	/* Shards are allocated and freed with the lock held. */
	mutex_lock(&counts_lock);
	shard = per_cpu_ptr(memlat_cpu, cpu)->active;
	due = shard && READ_ONCE(shard->used);
	mutex_unlock(&counts_lock);
	return due;
}

/*
 * Do not interrupt a CPU that has nothing, as it may be idle. Cells are checked before counts:
 * cells never appear without counts, so if there are no counts at the second check, there still are
 * no cells. An offline CPU was disarmed before it went offline; no CPU writes its shard, so this
 * CPU can exchange it.
 */
static struct memlat_shard *take_both(int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
	struct memlat_shard *full = c->active;

	if (!full || (!READ_ONCE(full->used) && !memlat_counts_due(cpu, NULL)))
		return NULL;
	if (smp_call_function_single(cpu, memlat_exchange_both_here, NULL, 1))
		memlat_exchange_both(c);
	memlat_counts_fold(cpu, other_counts(c));
	return full;
}

/* Leave the counts: they are 9 KB to read, add up and clear, and a merge does not use them. */
static struct memlat_shard *take_shard(int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
	struct memlat_shard *full = c->active;

	if (!full || !READ_ONCE(full->used))
		return NULL;
	if (smp_call_function_single(cpu, memlat_exchange_shard_here, NULL, 1))
		memlat_exchange_shard(c);
	return full;
}

/**
 * memlat_shards_take - take what a CPU has collected
 * @cpu: the CPU; in a round, called for all CPUs in ascending order
 *
 * A round takes the CPU's counts too. One caller at a time.
 *
 * Return: the shard, which the caller has to empty before the next call; NULL if the CPU has
 * collected nothing.
 */
struct memlat_shard *memlat_shards_take(int cpu)
{
	struct memlat_shard *full;

	cpus_read_lock();
	mutex_lock(&counts_lock);
	if (in_round) {
		full = take_both(cpu);
		had_turn = cpu;
	} else {
		full = take_shard(cpu);
	}
	mutex_unlock(&counts_lock);
	cpus_read_unlock();
	/* A round calls this once for each CPU. */
	cond_resched();
	return full;
}

/**
 * memlat_shards_round - begin a round, which takes the shards of all CPUs
 *
 * memlat_shards_round_sum() or memlat_shards_round_forget() ends it. One caller at a time.
 */
void memlat_shards_round(void)
{
	mutex_lock(&counts_lock);
	in_round = true;
	mutex_unlock(&counts_lock);
}

static void round_over(void)
{
	memlat_sums_clear(&later);
	in_round = false;
	had_turn = -1;
}

/**
 * memlat_shards_round_sum - end a round, and sum what each CPU counted until its shard was taken
 * @sum: filled in, without raw words
 * @core: filled in by kind of core, memlat_cores_nr() elements
 */
void memlat_shards_round_sum(struct memlat_counts *sum, struct memlat_core_counts *core)
{
	unsigned int i;

	mutex_lock(&counts_lock);
	memcpy(sum, sums.all, MEMLAT_COUNTS_BYTES);
	memlat_cores_copy(core, sums.core);
	memlat_counts_merge(sums.all, later.all);
	for (i = 0; i < memlat_cores_nr(); i++)
		memlat_core_counts_merge(&sums.core[i], &later.core[i], memlat_cores_raws(i));
	round_over();
	mutex_unlock(&counts_lock);
}

/**
 * memlat_shards_round_forget - end a round, and forget what each CPU counted until its shard was
 *	taken
 */
void memlat_shards_round_forget(void)
{
	mutex_lock(&counts_lock);
	memcpy(sums.all, later.all, MEMLAT_COUNTS_BYTES);
	memlat_cores_copy(sums.core, later.core);
	round_over();
	mutex_unlock(&counts_lock);
}

/**
 * memlat_shards_count - sum what all CPUs have counted until now
 * @sum: filled in, without raw words
 *
 * Does not take the shards. Interrupts, all at once, the CPUs that have counted anything.
 */
void memlat_shards_count(struct memlat_counts *sum)
{
	int cpu;

	cpus_read_lock();
	mutex_lock(&counts_lock);
	on_each_cpu_cond(memlat_counts_due, memlat_exchange_counts_here, NULL, true);
	for_each_possible_cpu(cpu) {
		struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

		if (!c->counts)
			continue;
		if (!cpu_online(cpu) && memlat_counts_due(cpu, NULL))
			memlat_exchange_counts(c);
		memlat_counts_fold(cpu, other_counts(c));
		cond_resched();
	}
	memcpy(sum, sums.all, MEMLAT_COUNTS_BYTES);
	if (in_round)
		memlat_counts_merge(sum, later.all);
	mutex_unlock(&counts_lock);
	cpus_read_unlock();
}

/**
 * memlat_shards_forget - count from zero; no CPU is armed, and there is no round
 */
void memlat_shards_forget(void)
{
	mutex_lock(&counts_lock);
	memlat_sums_clear(&sums);
	mutex_unlock(&counts_lock);
}
