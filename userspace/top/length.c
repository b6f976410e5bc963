// SPDX-License-Identifier: GPL-2.0
#include "length.h"

/*
 * Reading an interval may take a two hundredth of the time of all CPUs, half of what the module
 * itself may take.
 */
#define CPU_PART	200
/*
 * On a busy machine, memlat-ctl's own loads may have a two hundred and fiftieth of all sampled
 * latency. On an idle one, reading is limited by a two thousandth of the time of all CPUs instead.
 */
#define LATENCY_PART	250
#define NOTHING_PART	2000

#define MS_NS	1000000

static __u64 lesser(__u64 cost[2], __u64 now)
{
	cost[1] = cost[0];
	cost[0] = now;
	return cost[0] < cost[1] ? cost[0] : cost[1];
}

/* The interval after which memlat-ctl's latency is a small part of all latency. */
static __u64 latency_ms(struct length *length, const struct length_cost *cost)
{
	const __u64 others = cost->all > cost->own ? cost->all - cost->own : 0;
	double ms;

	if (!cost->interval_ns)
		return 0;
	/* If nothing else waits, no interval would be long enough. Then go by processor time. */
	ms = (double)lesser(length->own, cost->own) * LATENCY_PART / (others ? (double)others : 1) *
	     (double)cost->interval_ns / MS_NS;
	return ms < LENGTH_MOST_MS ? (__u64)ms : LENGTH_MOST_MS;
}

__u64 length_next(struct length *length, const struct length_cost *cost)
{
	const __u64 cpu_ns = lesser(length->cpu_ns, cost->cpu_ns) / (cost->cpus ? cost->cpus : 1);
	const __u64 least = cpu_ns * CPU_PART / MS_NS, most = cpu_ns * NOTHING_PART / MS_NS;
	__u64 ms = latency_ms(length, cost);

	if (ms > most)
		ms = most;
	if (ms < least)
		ms = least;
	return ms < LENGTH_MOST_MS ? ms : LENGTH_MOST_MS;
}
