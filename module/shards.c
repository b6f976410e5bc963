// SPDX-License-Identifier: GPL-2.0
/*
 * What the CPUs write: shards and counts.
 *
 * Each CPU has two of both. It writes one of each; the other is empty and waits.
 * To take them away, an interrupt on that CPU exchanges them: a drain runs in an
 * NMI or with interrupts off, so it is never half done when that interrupt
 * comes, and the writer needs no lock.
 *
 * An NMI may come in the middle of that interrupt. So shard and counts are
 * exchanged by one instruction: what was drained before is in the old pair, with
 * its counts, and what is drained after in the new one. Whoever wants the counts
 * alone exchanges these alone. Then they are ahead of the cells, but the next
 * exchange of both brings every cell of what was counted until then: a snapshot
 * balances, whatever was read before.
 */
#include <linux/cpu.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "hw/cores.h"
#include "hw/cpu.h"
#include "hw/memory.h"
#include "shards.h"

/* Counts, and who writes which. Held for short; inside cpus_read_lock(). */
static DEFINE_MUTEX(counts_lock);
/*
 * What all CPUs have counted, but for what the counts hold that they write now: nobody adds
 * up what a thousand CPUs have counted to read a status.
 */
struct sums {
	struct memlat_counts all;	/* no raw words */
	struct memlat_core_counts core[MEMLAT_CORES_MAX];
};

static struct sums sums;
/*
 * A round takes from one CPU after the other, and has to know what each had counted when its
 * turn came, and no more. What CPUs up to this one have counted since is kept apart until
 * the round is over.
 */
static bool in_round;
static int had_turn = -1;
static struct sums later;

static void sums_clear(struct sums *s)
{
	unsigned int i;

	memset(&s->all, 0, MEMLAT_COUNTS_BYTES);
	for (i = 0; i < memlat_cores_nr(); i++)
		memset(&s->core[i], 0, memlat_core_counts_bytes(memlat_cores_raws(i)));
}

static void cores_copy(struct memlat_core_counts *to, const struct memlat_core_counts *from)
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

/**
 * memlat_shards_cpu_bytes - what memlat_shards_alloc() takes for a CPU
 * @call_graph: with room for call chains
 * @stride: with room for steps
 *
 * Return: bytes.
 */
size_t memlat_shards_cpu_bytes(bool call_graph, bool stride)
{
	size_t bytes = 2 * (sizeof(struct memlat_shard) + sizeof(struct memlat_counts));

	if (call_graph)
		bytes += 2 * MEMLAT_SHARD_STACKS * sizeof(struct memlat_shard_stack);
	if (stride)
		bytes += 2 * sizeof(struct memlat_steps);
	return bytes;
}

/**
 * memlat_shards_alloc - give a CPU what it will write
 * @cpu: the CPU, not armed, without shards
 * @call_graph: with room for call chains
 * @stride: with room for steps
 *
 * Return: 0 or -ENOMEM; memlat_shards_free_all() frees also what one got in
 * part.
 */
int memlat_shards_alloc(int cpu, bool call_graph, bool stride)
{
	struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);
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

/* Take over what counts hold that nobody writes. */
static void fold(int cpu, struct memlat_counts *counts)
{
	struct sums *to = cpu <= had_turn ? &later : &sums;
	const unsigned int core = memlat_cores_of(cpu);
	unsigned int raws;

	if (!any(counts))
		return;
	raws = memlat_cores_raws(core);
	memlat_counts_merge(&to->all, counts);
	memlat_core_counts_add(&to->core[core], counts, raws);
	memset(counts, 0, MEMLAT_COUNTS_BYTES + raws * sizeof(counts->raw[0]));
}

static void cpu_free(int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);
	int i;

	fold(cpu, c->counts);
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
 * memlat_shards_free_all - take back what all CPUs were given
 *
 * No CPU is armed, nobody takes shards meanwhile, and all that they held was taken. What
 * they have counted goes into the sum.
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
 * On the CPU that writes them, or for one that is offline. Every CPU with PEBS
 * load latency has this instruction; without a lock prefix, as no other CPU
 * takes part.
 */
static void exchange_both(struct memlat_cpu *c)
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

static void exchange_both_here(void *unused)
{
	exchange_both(this_cpu_ptr(&memlat_cpu));
}

static void exchange_shard(struct memlat_cpu *c)
{
	WRITE_ONCE(c->active, other_shard(c));
}

static void exchange_shard_here(void *unused)
{
	exchange_shard(this_cpu_ptr(&memlat_cpu));
}

static void exchange_counts(struct memlat_cpu *c)
{
	WRITE_ONCE(c->counts, other_counts(c));
}

static void exchange_counts_here(void *unused)
{
	exchange_counts(this_cpu_ptr(&memlat_cpu));
}

/* Has it counted anything? Racy on purpose: the next call sees what it counts just now. */
static bool counts_due(int cpu, void *unused)
{
	return any(per_cpu(memlat_cpu, cpu).counts);
}

/**
 * memlat_shards_due - has a CPU samples to be merged?
 * @cpu: the CPU; hotplug is held off
 */
bool memlat_shards_due(int cpu)
{
	struct memlat_shard *shard;
	bool due;

	/* Shards come and go with the lock held. */
	mutex_lock(&counts_lock);
	shard = per_cpu(memlat_cpu, cpu).active;
	due = shard && READ_ONCE(shard->used);
	mutex_unlock(&counts_lock);
	return due;
}

/*
 * An idle CPU that has nothing is not woken up for it: if it has no cells at the
 * first look and no counts at the second, then neither at the second. A CPU
 * that is offline was disarmed before it went, so nobody writes its shard and
 * it can be exchanged from here.
 */
static struct memlat_shard *take_both(int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);
	struct memlat_shard *full = c->active;

	if (!full || (!READ_ONCE(full->used) && !counts_due(cpu, NULL)))
		return NULL;
	if (smp_call_function_single(cpu, exchange_both_here, NULL, 1))
		exchange_both(c);
	fold(cpu, other_counts(c));
	return full;
}

/* Counts are 9 KB to read, add up and clear, and a merge has no use for them: they stay. */
static struct memlat_shard *take_shard(int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);
	struct memlat_shard *full = c->active;

	if (!full || !READ_ONCE(full->used))
		return NULL;
	if (smp_call_function_single(cpu, exchange_shard_here, NULL, 1))
		exchange_shard(c);
	return full;
}

/**
 * memlat_shards_take - take away what a CPU has collected
 * @cpu: the CPU; in a round, in ascending order
 *
 * Only in a round are its counts taken with it.
 *
 * One caller at a time. Return: its shard, which is to be empty before the next
 * call; NULL when there is nothing in it.
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
	/* In a round there are as many of these as CPUs. */
	cond_resched();
	return full;
}

/**
 * memlat_shards_round - from here on shards are taken of all CPUs
 *
 * Until memlat_shards_round_sum() or memlat_shards_round_forget(). One caller at a time.
 */
void memlat_shards_round(void)
{
	mutex_lock(&counts_lock);
	in_round = true;
	mutex_unlock(&counts_lock);
}

static void round_over(void)
{
	sums_clear(&later);
	in_round = false;
	had_turn = -1;
}

/**
 * memlat_shards_round_sum - what the CPUs had counted, each until its shard was taken
 * @sum: where to; it gets no raw words
 * @core: the same by kind of core: memlat_cores_nr() of them
 */
void memlat_shards_round_sum(struct memlat_counts *sum, struct memlat_core_counts *core)
{
	unsigned int i;

	mutex_lock(&counts_lock);
	memcpy(sum, &sums.all, MEMLAT_COUNTS_BYTES);
	cores_copy(core, sums.core);
	memlat_counts_merge(&sums.all, &later.all);
	for (i = 0; i < memlat_cores_nr(); i++)
		memlat_core_counts_merge(&sums.core[i], &later.core[i], memlat_cores_raws(i));
	round_over();
	mutex_unlock(&counts_lock);
}

/**
 * memlat_shards_round_forget - of what they had counted until then, count from zero
 */
void memlat_shards_round_forget(void)
{
	mutex_lock(&counts_lock);
	memcpy(&sums.all, &later.all, MEMLAT_COUNTS_BYTES);
	cores_copy(sums.core, later.core);
	round_over();
	mutex_unlock(&counts_lock);
}

/**
 * memlat_shards_count - what all CPUs have counted, as of now
 * @sum: where to; it gets no raw words
 *
 * The shards stay where they are. All CPUs that have counted anything are
 * interrupted at once; of the others nothing is looked at but whether they have.
 */
void memlat_shards_count(struct memlat_counts *sum)
{
	int cpu;

	cpus_read_lock();
	mutex_lock(&counts_lock);
	on_each_cpu_cond(counts_due, exchange_counts_here, NULL, true);
	for_each_possible_cpu(cpu) {
		struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);

		if (!c->counts)
			continue;
		if (!cpu_online(cpu) && counts_due(cpu, NULL))
			exchange_counts(c);
		fold(cpu, other_counts(c));
		cond_resched();
	}
	memcpy(sum, &sums.all, MEMLAT_COUNTS_BYTES);
	if (in_round)
		memlat_counts_merge(sum, &later.all);
	mutex_unlock(&counts_lock);
	cpus_read_unlock();
}

/**
 * memlat_shards_forget - count from zero; no CPU is armed, and no round is under way
 */
void memlat_shards_forget(void)
{
	mutex_lock(&counts_lock);
	sums_clear(&sums);
	mutex_unlock(&counts_lock);
}
