/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What counted events say about outstanding reads: how much of the time there are any, and how many
 * at once. The method is that of Intel's optimization manual ("Average Bus Queue Depth"), with the
 * events of today's CPUs.
 */
#ifndef MEMLAT_BUS_H
#define MEMLAT_BUS_H

#include <stdbool.h>

#include "../profile/snapshot.h"

/* One event on all CPUs. */
struct bus_event {
	unsigned int cpus;	/* CPUs that have the event */
	unsigned int silent;	/* those of them on which it never had a counter */
	__u64 value, enabled, running;	/* sums over the CPUs */
	double estimate;	/* sum of value, scaled on each CPU to all of its time */
	double wanted;		/* cycles that the estimate covers */
};

enum bus_kind {
	BUS_READS,		/* all data reads, prefetches too */
	BUS_DEMAND,		/* of these, those that the program waits for */
	BUS_RFO,		/* for ownership: stores */
	BUS_CODE,
	BUS_L1D,		/* loads that missed L1, wherever they are served from */
	BUS_KINDS
};

struct bus_kind_events {
	const char *name;	/* "reads", "demand", "rfo", "code", "l1d" */
	enum memlat_event_id outstanding, cycles;
};

extern const struct bus_kind_events bus_kinds[BUS_KINDS];

/* A quotient; not known if it would divide by zero. */
struct bus_figure {
	bool known;
	double value;
};

struct bus_traffic {
	struct bus_figure share;	/* cycles with at least one, of all cycles */
	struct bus_figure depth;	/* of these, how many at once on average */
};

/* What the figures mean. */
enum bus_reading {
	BUS_NOTHING,		/* no cycle was counted */
	BUS_UNKNOWN,		/* this CPU cannot count reads, or reads never had a counter */
	BUS_CACHED,		/* reads are hardly ever outstanding */
	BUS_CHAIN,		/* one at a time */
	BUS_SOME,		/* a few overlap */
	BUS_DEEP		/* many do */
};

struct bus {
	struct bus_event event[MEMLAT_EVENT_NR];
	struct bus_traffic traffic[BUS_KINDS];
	struct bus_figure instructions_per_cycle;
	struct bus_figure latency;	/* cycles that a data read is outstanding */
	struct bus_figure bytes_per_second;
	struct bus_figure walks_per_load;
	struct bus_figure misses_per_load;
	struct bus_figure counted;	/* the least share of time that an event was counted */
	__u32 doubtful;			/* figures that a known erratum affects (erratum.h) */
	/* Data reads, or demand reads if the CPU has no others or data reads are doubtful. */
	enum bus_kind main;
	enum bus_reading reading;
	bool prefetched;		/* the overlapping reads are mostly prefetches */
};

#define BUS_CACHED_SHARE	0.05	/* of the time: below it, memory is not the problem */
#define BUS_CHAIN_DEPTH		1.5
#define BUS_DEEP_DEPTH		4.0

/* Compute all figures. snap: of a session that counted events. */
void bus_compute(struct bus *bus, const struct snapshot *snap);

/* "reads_outstanding" and so on: as the ABI names them; NULL: not known here. */
const char *bus_event_name(unsigned int event);
/* "dependent_chain" and so on */
const char *bus_reading_name(enum bus_reading reading);

#endif
