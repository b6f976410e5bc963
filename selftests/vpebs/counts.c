// SPDX-License-Identifier: GPL-2.0
/*
 * The events of each kind of core, by which memlat's counting mode is judged. Numbers and counters
 * are from Intel's lists (github.com/intel/perfmon, and Linux' tools/perf/pmu-events/arch/x86:
 * nehalemep, westmereep-dp, jaketown, ivytown, haswellx, broadwellx, skylakex, icelakex, alderlake,
 * sapphirerapids, graniterapids, meteorlake, lunarlake, arrowlake, sierraforest, grandridge,
 * novalake). An event that a list does not have counts nothing here. If a list has an event only
 * with a counter mask, the sum without the mask counts too, since the mask belongs to the counter.
 */
#include "counts.h"

static const char *const names[VP_COUNTS] = {
	[VP_CT_CYCLES]			= "cycles",
	[VP_CT_INSTRUCTIONS]		= "instructions",
	[VP_CT_READS_OUTSTANDING]	= "reads_outstanding",
	[VP_CT_READS_CYCLES]		= "reads_cycles",
	[VP_CT_DEMAND_OUTSTANDING]	= "demand_outstanding",
	[VP_CT_DEMAND_CYCLES]		= "demand_cycles",
	[VP_CT_RFO_OUTSTANDING]		= "rfo_outstanding",
	[VP_CT_RFO_CYCLES]		= "rfo_cycles",
	[VP_CT_CODE_OUTSTANDING]	= "code_outstanding",
	[VP_CT_CODE_CYCLES]		= "code_cycles",
	[VP_CT_L1D_PENDING]		= "l1d_pending",
	[VP_CT_L1D_PENDING_CYCLES]	= "l1d_pending_cycles",
	[VP_CT_LOADS]			= "loads",
	[VP_CT_STORES]			= "stores",
	[VP_CT_WALKS]			= "dtlb_load_walks",
	[VP_CT_READS]			= "reads",
	[VP_CT_L1_MISSES]		= "l1_misses",
	[VP_CT_L2_MISSES]		= "l2_misses",
	[VP_CT_LOAD_STALLS]		= "load_stalls",
	[VP_CT_STORE_STALLS]		= "store_stalls",
	[VP_CT_WALK_PENDING]		= "walk_pending",
	[VP_CT_DEMAND_READS]		= "demand_reads",
	[VP_CT_RFOS]			= "rfos",
	[VP_CT_HEAD_WAITS]		= "head_waits",
	[VP_CT_LOAD_LATENCY]		= "load_latency",
};

const char *vp_count_name(enum vp_count what)
{
	return (unsigned int)what < VP_COUNTS ? names[what] : "unknown";
}

#define C0	0x1	/* counter 0 alone */
#define C2	0x4
#define C03	0xf
#define C05	0x3f
#define C07	0xff
#define C09	0x3ff

#define PLAIN(number, count, on)						\
	{ .event = (number), .what = VP_CT_##count, .busy = VP_COUNTS, .counters = (on) }
#define MASKED(number, count, with, on)						\
	{ .event = (number), .what = VP_CT_##count, .busy = VP_COUNTS, .mask = (with),	\
	  .counters = (on) }
#define QUEUE(number, count, cycles, on)					\
	{ .event = (number), .what = VP_CT_##count, .busy = VP_CT_##cycles, .counters = (on) }

/* OFFCORE_REQUESTS_OUTSTANDING. Its number has changed, its unit masks have not. */
#define OUTSTANDING(unit, on)						\
	QUEUE(0x0100 | (unit), DEMAND_OUTSTANDING, DEMAND_CYCLES, on),	\
	QUEUE(0x0400 | (unit), RFO_OUTSTANDING, RFO_CYCLES, on),	\
	QUEUE(0x0800 | (unit), READS_OUTSTANDING, READS_CYCLES, on)
#define OUTSTANDING_CODE(unit, on)	QUEUE(0x0200 | (unit), CODE_OUTSTANDING, CODE_CYCLES, on)

/* OFFCORE_REQUESTS. */
#define REQUESTS(unit, on)						\
	PLAIN(0x0100 | (unit), DEMAND_READS, on),			\
	PLAIN(0x0400 | (unit), RFOS, on),				\
	PLAIN(0x0800 | (unit), READS, on)

#define L1D(on)		QUEUE(0x0148, L1D_PENDING, L1D_PENDING_CYCLES, on)
#define RETIRED(on)	PLAIN(0x81d0, LOADS, on), PLAIN(0x82d0, STORES, on)
#define MISSES(on)	PLAIN(0x08d1, L1_MISSES, on), PLAIN(0x10d1, L2_MISSES, on)
#define RETIRED_NHM	PLAIN(0x010b, LOADS, C03), PLAIN(0x020b, STORES, C03)
/*
 * CYCLE_ACTIVITY.STALLS_L1D_MISS; RESOURCE_STALLS.SB and EXE_ACTIVITY.BOUND_ON_STORES;
 * DTLB_LOAD_MISSES.WALK_DURATION and .WALK_PENDING. On E-cores MEM_BOUND_STALLS.LOAD,
 * MEM_BOUND_STALLS_LOAD.ALL and .SBFULL.
 */
#define STALLS_OLD(walk)	MASKED(0x0ca3, LOAD_STALLS, 12, C2),	\
	PLAIN(0x08a2, STORE_STALLS, C03), PLAIN(walk, WALK_PENDING, C03)
#define END		{ .event = 0 }

const struct vp_event_row vp_events_nhm[] = { RETIRED_NHM, PLAIN(0x0208, WALKS, C03), END };

const struct vp_event_row vp_events_wsm[] = {
	RETIRED_NHM, PLAIN(0x0208, WALKS, C03),
	OUTSTANDING(0x60, C0), OUTSTANDING_CODE(0x60, C0), REQUESTS(0xb0, C03), END
};

const struct vp_event_row vp_events_snb[] = {
	RETIRED(C03), PLAIN(0x0208, WALKS, C03),
	OUTSTANDING(0x60, C03), REQUESTS(0xb0, C03), L1D(C2),
	MASKED(0x06a3, LOAD_STALLS, 6, C2), PLAIN(0x08a2, STORE_STALLS, C03),
	PLAIN(0x0408, WALK_PENDING, C03), END
};

const struct vp_event_row vp_events_ivb[] = {
	RETIRED(C03), PLAIN(0x8208, WALKS, C03), MISSES(C03),
	OUTSTANDING(0x60, C03), OUTSTANDING_CODE(0x60, C03), REQUESTS(0xb0, C03), L1D(C2),
	STALLS_OLD(0x8408), END
};

const struct vp_event_row vp_events_hsw[] = {
	RETIRED(C03), PLAIN(0x0e08, WALKS, C03), MISSES(C03),
	OUTSTANDING(0x60, C03), OUTSTANDING_CODE(0x60, C03), REQUESTS(0xb0, C03), L1D(C2),
	STALLS_OLD(0x1008), END
};

const struct vp_event_row vp_events_skl[] = {
	RETIRED(C03), PLAIN(0x0e08, WALKS, C03), MISSES(C03),
	OUTSTANDING(0x60, C03), OUTSTANDING_CODE(0x60, C03), REQUESTS(0xb0, C03), L1D(C03),
	MASKED(0x0ca3, LOAD_STALLS, 12, C03), PLAIN(0x40a6, STORE_STALLS, C03),
	PLAIN(0x1008, WALK_PENDING, C03), END
};

/* Eight counters, but these events are on the first four. */
const struct vp_event_row vp_events_icl[] = {
	RETIRED(C03), PLAIN(0x0e08, WALKS, C03), MISSES(C03),
	OUTSTANDING(0x60, C03), OUTSTANDING_CODE(0x60, C03), REQUESTS(0xb0, C03), L1D(C03),
	MASKED(0x0ca3, LOAD_STALLS, 12, C03), MASKED(0x40a6, STORE_STALLS, 2, C07),
	PLAIN(0x1008, WALK_PENDING, C03), END
};

const struct vp_event_row vp_events_glc[] = {
	RETIRED(C03), PLAIN(0x0e12, WALKS, C03), MISSES(C03),
	OUTSTANDING(0x20, C03), OUTSTANDING_CODE(0x20, C03), REQUESTS(0x21, C03), L1D(C03),
	MASKED(0x0ca3, LOAD_STALLS, 12, C03), MASKED(0x40a6, STORE_STALLS, 2, C07),
	PLAIN(0x1012, WALK_PENDING, C03), END
};

/* L1D_PENDING.LOAD: counter 2 again. */
const struct vp_event_row vp_events_lnc[] = {
	RETIRED(C03), PLAIN(0x0e12, WALKS, C09), MISSES(C03),
	OUTSTANDING(0x20, C03), OUTSTANDING_CODE(0x20, C03), REQUESTS(0x21, C09), L1D(C2),
	MASKED(0x40a6, STORE_STALLS, 2, C09), PLAIN(0x1012, WALK_PENDING, C09), END
};

/* MEM_LOAD_RETIRED has other unit masks than before. */
const struct vp_event_row vp_events_pnc[] = {
	RETIRED(C03), PLAIN(0x0e12, WALKS, C07), PLAIN(0x10d1, L1_MISSES, C03),
	PLAIN(0x00d1, L2_MISSES, C03), L1D(C03), END
};

/* E-cores have no events for queues. */
const struct vp_event_row vp_events_grt[] = {
	RETIRED(C05), PLAIN(0x0e08, WALKS, C05), MISSES(C05),
	PLAIN(0x0734, LOAD_STALLS, C05), END
};

const struct vp_event_row vp_events_cmt[] = {
	RETIRED(C07), PLAIN(0x0e08, WALKS, C07), PLAIN(0x40d1, L1_MISSES, C07),
	PLAIN(0x7f34, LOAD_STALLS, C07), PLAIN(0x8034, STORE_STALLS, C07),
	PLAIN(0x1008, WALK_PENDING, C07), END
};

/* Darkmont's list has none of these. */
const struct vp_event_row vp_events_dkm[] = {
	RETIRED(C07), PLAIN(0x0e08, WALKS, C07), PLAIN(0x40d1, L1_MISSES, C07), END
};

#define EVTSEL_EDGE	(1ULL << 18)
#define EVTSEL_INV	(1ULL << 23)

static enum vp_count counts_with(const struct vp_event_row *row, unsigned int mask)
{
	if (mask == row->mask)
		return (enum vp_count)row->what;
	return (enum vp_count)(mask == 1 && !row->mask ? row->busy : VP_COUNTS);
}

enum vp_count vp_event_counts(const struct vp_event_row *rows, uint64_t evtsel,
			      unsigned int counter)
{
	const unsigned int mask = evtsel >> 24 & 0xff;

	if (!rows || evtsel & (EVTSEL_EDGE | EVTSEL_INV))
		return VP_COUNTS;
	for (; rows->event; rows++)
		if (rows->event == (evtsel & 0xffff))
			return rows->counters >> counter & 1 ? counts_with(rows, mask) : VP_COUNTS;
	return VP_COUNTS;
}
