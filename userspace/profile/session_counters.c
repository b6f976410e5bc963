// SPDX-License-Identifier: GPL-2.0
#include "session_counters.h"

#include "snapshot_rows.h"

#define COUNTER(merge, member, unit, meaning) \
	{ #member, offsetof(struct memlat_status, member), merge, unit, meaning }
#define SUM(member, unit, meaning)	COUNTER(COUNTER_SUM, member, unit, meaning)
#define MOST(member, unit, meaning)	COUNTER(COUNTER_MOST, member, unit, meaning)
#define BOUND(member, unit, meaning)	COUNTER(COUNTER_BOUND, member, unit, meaning)
#define OTHER(member, unit, meaning)	COUNTER(COUNTER_OTHER, member, unit, meaning)

const struct counter counters[] = {
	SUM(records, "", "records that hardware wrote and memlat took out"),
	SUM(samples, "", "of these: aggregated"),
	SUM(loads, "", "of the samples"),
	SUM(stores, "", "of the samples"),
	SUM(weight_loads, "", "loads longer than ldlat that the samples stand for"),
	SUM(weight_stores, "", "stores that the samples stand for"),
	SUM(filtered, "", "of the records: left out by -p, --tid or --cgroup, not lost"),
	SUM(malformed, "", "of the records, lost: no valid record"),
	SUM(collision, "", "of the records, lost: not of one of memlat's counters alone"),
	SUM(full_pmis, "", "drains that found the buffer full (perf: throttled): records may be missing"),
	SUM(cells_lost, "", "samples that reached no table but the buckets"),
	OTHER(lines, "", "cache lines in the store"),
	SUM(lines_evicted, "", "samples whose line was evicted: they are in buckets, not in lines"),
	BOUND(lines_error, "", "the most samples that an evicted line may have had"),
	OTHER(sites, "", "instructions in the store"),
	SUM(sites_evicted, "", "samples whose site was evicted"),
	BOUND(sites_error, "", "as lines_error"),
	OTHER(accesses, "", "accesses (address, instruction, thread) in the store"),
	SUM(accesses_evicted, "", "samples whose access was evicted"),
	BOUND(accesses_error, "", "as lines_error"),
	OTHER(threads, "", "threads in the store"),
	SUM(threads_evicted, "", "samples whose thread was evicted"),
	BOUND(threads_error, "", "as lines_error"),
	OTHER(stacks, "", "call chains in the store"),
	SUM(stacks_lost, "", "samples without a call chain, though asked for"),
	SUM(pairs, "", "neighbouring loads of one instruction, with --stride"),
	OTHER(strides, "", "steps of sites in the store"),
	SUM(strides_evicted, "", "pairs whose step was evicted"),
	BOUND(strides_error, "", "as lines_error, in pairs"),
	SUM(forks_lost, "", "children that were not followed, because their table was full"),
	SUM(suspends, "", "times that the machine slept while the session ran"),
	OTHER(cpus_still, "", "armed CPUs that are busy, but on which nothing is counted"),
	SUM(pmis, "", "interrupts taken"),
	SUM(late_pmis, "", "interrupts that came after disarming"),
	SUM(switch_drains, "", "drains at a task switch that found records"),
	SUM(merges, "", "per-CPU tables merged into the store"),
	MOST(store_bytes, "bytes", "memory of the store"),
	MOST(max_memory, "bytes", "its bound"),
	SUM(latency_sum, "cycles", "sum of all samples' latencies"),
	MOST(latency_max, "cycles", "largest latency of a sample"),
	SUM(cache_latency_sum, "cycles", "of latency_sum, loads whose latency is the cache latency"),
	SUM(use_latency_sum, "cycles", "sum of their use latencies"),
	SUM(blocked_data, "", "loads that waited for a store's data, where the CPU reports it"),
	SUM(blocked_addr, "", "loads that waited for a store's address"),
	SUM(load_turn, "cycles", "in which loads were sampled, where loads and stores take turns"),
	SUM(store_turn, "cycles", "in which stores were sampled"),
	OTHER(busy_cycles, "cycles", "that the armed CPUs were not idle; 0 with fixed periods"),
	OTHER(own_cycles, "cycles", "of these, memlat's own"),
	OTHER(sampled_cycles, "cycles", "of these, in which tasks ran that are sampled"),
	SUM(guest_entries, "", "VM entries, between which and the exits nothing is sampled"),
	SUM(guest_ns, "ns", "that guests ran, on all armed CPUs together"),
	OTHER(guest_cpus, "", "CPUs on which guests ran more than half of the time"),
};

const size_t nr_counters = sizeof(counters) / sizeof(counters[0]);

__u64 counter_of(const struct memlat_status *status, const struct counter *counter)
{
	return row_figure(status, counter->offset);
}

void counters_merge(struct memlat_status *into, const struct memlat_status *other)
{
	const bool one = counters_of_one(into, other);
	size_t i;

	for (i = 0; i < nr_counters; i++) {
		const enum counter_merge merge = counters[i].merge;
		__u64 a = counter_of(into, &counters[i]), b = counter_of(other, &counters[i]);

		if (merge == COUNTER_SUM || (merge == COUNTER_BOUND && !one))
			a += b;
		else if (merge != COUNTER_OTHER && b > a)
			a = b;
		row_put_figure(into, counters[i].offset, a);
	}
}
