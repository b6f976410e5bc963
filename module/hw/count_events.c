// SPDX-License-Identifier: GPL-2.0
/*
 * The events that can be counted, by generation of cores.
 *
 * Events, unit masks and counters: Intel's lists (github.com/intel/perfmon, as
 * Linux has them in tools/perf/pmu-events/arch/x86), and the constraints of Linux'
 * arch/x86/events/intel/core.c; where they differ, memlat uses the counters that both allow. An
 * event that a list does not name is left out, with one exception: a counter mask of 1 counts the
 * cycles of any event (SDM vol. 3B, "CMASK"), so the _CYCLES of named events are here too.
 */
#include <linux/kernel.h>
#include <uapi/linux/memlat.h>

#include "cpu_model.h"

#define ANY	0xffff
#define FOUR	0x000f		/* counters 0 to 3 */
#define ONE(n)	(1U << (n))

#define EVENT(what, select, on) \
	{ .id = MEMLAT_EVENT_##what, .event = (select), .counters = (on) }
#define CYCLES(what, select, on) MASKED(what, select, 1, on)
/* Events whose definition includes a counter mask. */
#define MASKED(what, select, mask, on) \
	{ .id = MEMLAT_EVENT_##what, .event = (select), .counters = (on), .cmask = (mask) }

/*
 * OFFCORE_REQUESTS_OUTSTANDING: unit mask 8 ALL_DATA_RD, 1 DEMAND_DATA_RD, 4 DEMAND_RFO,
 * 2 DEMAND_CODE_RD. 0x0148: L1D_PEND_MISS.PENDING. 0xd0: MEM_UOPS_RETIRED.ALL_LOADS and
 * .ALL_STORES, MEM_INST_RETIRED since Skylake. 0xa3: CYCLE_ACTIVITY.STALLS_L1D_PENDING, later
 * STALLS_L1D_MISS. 0x08a2: RESOURCE_STALLS.SB; 0x40a6: EXE_ACTIVITY.BOUND_ON_STORES.
 * 0x10 of 0x08 or 0x12: DTLB_LOAD_MISSES.WALK_DURATION, of the one page walker that cores
 * had until Broadwell, and WALK_PENDING of several.
 */

/* MEM_INST_RETIRED.LOADS and .STORES. The lists name no event of outstanding requests. */
static const struct memlat_count_event nhm[] = {
	EVENT(LOADS, 0x010b, FOUR),
	EVENT(STORES, 0x020b, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0208, FOUR),
};

const struct memlat_count_table memlat_count_nhm = {
	.event = nhm,
	.events = ARRAY_SIZE(nhm),
};

static const struct memlat_count_event wsm[] = {
	EVENT(READS_OUTSTANDING, 0x0860, ONE(0)),
	CYCLES(READS_CYCLES, 0x0860, ONE(0)),
	EVENT(DEMAND_OUTSTANDING, 0x0160, ONE(0)),
	CYCLES(DEMAND_CYCLES, 0x0160, ONE(0)),
	EVENT(RFO_OUTSTANDING, 0x0460, ONE(0)),
	CYCLES(RFO_CYCLES, 0x0460, ONE(0)),
	EVENT(CODE_OUTSTANDING, 0x0260, ONE(0)),
	CYCLES(CODE_CYCLES, 0x0260, ONE(0)),
	EVENT(LOADS, 0x010b, FOUR),
	EVENT(STORES, 0x020b, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0208, FOUR),
	EVENT(READS, 0x08b0, FOUR),
};

const struct memlat_count_table memlat_count_wsm = {
	.event = wsm,
	.events = ARRAY_SIZE(wsm),
};

static const struct memlat_count_event snb[] = {
	EVENT(READS_OUTSTANDING, 0x0860, FOUR),
	CYCLES(READS_CYCLES, 0x0860, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0160, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0160, FOUR),
	EVENT(RFO_OUTSTANDING, 0x0460, FOUR),
	CYCLES(RFO_CYCLES, 0x0460, FOUR),
	EVENT(L1D_PENDING, 0x0148, ONE(2)),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, ONE(2)),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0208, FOUR),
	EVENT(READS, 0x08b0, FOUR),
	MASKED(LOAD_STALLS, 0x06a3, 6, ONE(2)),
	EVENT(STORE_STALLS, 0x08a2, FOUR),
	EVENT(WALK_PENDING, 0x0408, FOUR),
};

const struct memlat_count_table memlat_count_snb = {
	.event = snb,
	.events = ARRAY_SIZE(snb),
	.alone = true,
};

static const struct memlat_count_event ivb[] = {
	EVENT(READS_OUTSTANDING, 0x0860, FOUR),
	CYCLES(READS_CYCLES, 0x0860, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0160, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0160, FOUR),
	EVENT(RFO_OUTSTANDING, 0x0460, FOUR),
	CYCLES(RFO_CYCLES, 0x0460, FOUR),
	EVENT(CODE_OUTSTANDING, 0x0260, FOUR),
	CYCLES(CODE_CYCLES, 0x0260, FOUR),
	EVENT(L1D_PENDING, 0x0148, ONE(2)),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, ONE(2)),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x8208, FOUR),
	EVENT(READS, 0x08b0, FOUR),
	EVENT(L1_MISSES, 0x08d1, FOUR),
	EVENT(L2_MISSES, 0x10d1, FOUR),
	MASKED(LOAD_STALLS, 0x0ca3, 12, ONE(2)),
	EVENT(STORE_STALLS, 0x08a2, FOUR),
	EVENT(WALK_PENDING, 0x8408, FOUR),
};

const struct memlat_count_table memlat_count_ivb = {
	.event = ivb,
	.events = ARRAY_SIZE(ivb),
	.alone = true,
};

/* Some of these have errata, which are bits of the rows' @errata (cpu_model.h). */
static const struct memlat_count_event hsw[] = {
	EVENT(READS_OUTSTANDING, 0x0860, FOUR),
	CYCLES(READS_CYCLES, 0x0860, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0160, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0160, FOUR),
	EVENT(RFO_OUTSTANDING, 0x0460, FOUR),
	CYCLES(RFO_CYCLES, 0x0460, FOUR),
	EVENT(CODE_OUTSTANDING, 0x0260, FOUR),
	CYCLES(CODE_CYCLES, 0x0260, FOUR),
	EVENT(L1D_PENDING, 0x0148, ONE(2)),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, ONE(2)),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0e08, FOUR),
	EVENT(READS, 0x08b0, FOUR),
	EVENT(L1_MISSES, 0x08d1, FOUR),
	EVENT(L2_MISSES, 0x10d1, FOUR),
	MASKED(LOAD_STALLS, 0x0ca3, 12, ONE(2)),
	EVENT(STORE_STALLS, 0x08a2, FOUR),
	EVENT(WALK_PENDING, 0x1008, FOUR),
};

const struct memlat_count_table memlat_count_hsw = {
	.event = hsw,
	.events = ARRAY_SIZE(hsw),
	.alone = true,
};

const struct memlat_count_table memlat_count_bdw = {
	.event = hsw,
	.events = ARRAY_SIZE(hsw),
};

static const struct memlat_count_event skl[] = {
	EVENT(READS_OUTSTANDING, 0x0860, FOUR),
	CYCLES(READS_CYCLES, 0x0860, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0160, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0160, FOUR),
	EVENT(RFO_OUTSTANDING, 0x0460, FOUR),
	CYCLES(RFO_CYCLES, 0x0460, FOUR),
	EVENT(CODE_OUTSTANDING, 0x0260, FOUR),
	CYCLES(CODE_CYCLES, 0x0260, FOUR),
	EVENT(L1D_PENDING, 0x0148, FOUR),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, FOUR),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0e08, FOUR),
	EVENT(READS, 0x08b0, FOUR),
	EVENT(L1_MISSES, 0x08d1, FOUR),
	EVENT(L2_MISSES, 0x10d1, FOUR),
	MASKED(LOAD_STALLS, 0x0ca3, 12, FOUR),
	EVENT(STORE_STALLS, 0x40a6, FOUR),
	EVENT(WALK_PENDING, 0x1008, FOUR),
};

const struct memlat_count_table memlat_count_skl = {
	.event = skl,
	.events = ARRAY_SIZE(skl),
};

/* Ice, Rocket and Tiger Lake: of code reads the lists name only the cycles. */
static const struct memlat_count_event icl[] = {
	EVENT(READS_OUTSTANDING, 0x0860, FOUR),
	CYCLES(READS_CYCLES, 0x0860, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0160, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0160, FOUR),
	EVENT(RFO_OUTSTANDING, 0x0460, FOUR),
	CYCLES(RFO_CYCLES, 0x0460, FOUR),
	CYCLES(CODE_CYCLES, 0x0260, FOUR),
	EVENT(L1D_PENDING, 0x0148, FOUR),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, FOUR),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0e08, FOUR),
	EVENT(READS, 0x08b0, FOUR),
	EVENT(L1_MISSES, 0x08d1, FOUR),
	EVENT(L2_MISSES, 0x10d1, FOUR),
	MASKED(LOAD_STALLS, 0x0ca3, 12, FOUR),
	MASKED(STORE_STALLS, 0x40a6, 2, FOUR),
	EVENT(WALK_PENDING, 0x1008, FOUR),
};

const struct memlat_count_table memlat_count_icl = {
	.event = icl,
	.events = ARRAY_SIZE(icl),
};

/* Ice Lake-SP: of reads for ownership the list names only the cycles. */
static const struct memlat_count_event icx[] = {
	EVENT(READS_OUTSTANDING, 0x0860, FOUR),
	CYCLES(READS_CYCLES, 0x0860, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0160, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0160, FOUR),
	EVENT(CODE_OUTSTANDING, 0x0260, FOUR),
	CYCLES(CODE_CYCLES, 0x0260, FOUR),
	CYCLES(RFO_CYCLES, 0x0460, FOUR),
	EVENT(L1D_PENDING, 0x0148, FOUR),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, FOUR),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0e08, FOUR),
	EVENT(READS, 0x08b0, FOUR),
	EVENT(L1_MISSES, 0x08d1, FOUR),
	EVENT(L2_MISSES, 0x10d1, FOUR),
	MASKED(LOAD_STALLS, 0x0ca3, 12, FOUR),
	MASKED(STORE_STALLS, 0x40a6, 2, FOUR),
	EVENT(WALK_PENDING, 0x1008, FOUR),
};

const struct memlat_count_table memlat_count_icx = {
	.event = icx,
	.events = ARRAY_SIZE(icx),
};

/* The same events with other numbers. Alder Lake's row has an erratum, the servers' rows do not. */
static const struct memlat_count_event glc[] = {
	EVENT(READS_OUTSTANDING, 0x0820, FOUR),
	CYCLES(READS_CYCLES, 0x0820, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0120, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0120, FOUR),
	EVENT(CODE_OUTSTANDING, 0x0220, FOUR),
	CYCLES(CODE_CYCLES, 0x0220, FOUR),
	CYCLES(RFO_CYCLES, 0x0420, FOUR),
	EVENT(L1D_PENDING, 0x0148, FOUR),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, FOUR),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0e12, FOUR),
	EVENT(READS, 0x0821, FOUR),
	EVENT(L1_MISSES, 0x08d1, FOUR),
	EVENT(L2_MISSES, 0x10d1, FOUR),
	MASKED(LOAD_STALLS, 0x0ca3, 12, FOUR),
	MASKED(STORE_STALLS, 0x40a6, 2, FOUR),
	EVENT(WALK_PENDING, 0x1012, FOUR),
};

const struct memlat_count_table memlat_count_glc = {
	.event = glc,
	.events = ARRAY_SIZE(glc),
};

static const struct memlat_count_event rwc[] = {
	EVENT(READS_OUTSTANDING, 0x0820, FOUR),
	CYCLES(READS_CYCLES, 0x0820, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0120, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0120, FOUR),
	EVENT(RFO_OUTSTANDING, 0x0420, FOUR),
	CYCLES(RFO_CYCLES, 0x0420, FOUR),
	EVENT(CODE_OUTSTANDING, 0x0220, FOUR),
	CYCLES(CODE_CYCLES, 0x0220, FOUR),
	EVENT(L1D_PENDING, 0x0148, FOUR),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, FOUR),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0e12, FOUR),
	EVENT(READS, 0x0821, FOUR),
	EVENT(L1_MISSES, 0x08d1, FOUR),
	EVENT(L2_MISSES, 0x10d1, FOUR),
	MASKED(LOAD_STALLS, 0x0ca3, 12, FOUR),
	MASKED(STORE_STALLS, 0x40a6, 2, FOUR),
	EVENT(WALK_PENDING, 0x1012, FOUR),
};

const struct memlat_count_table memlat_count_rwc = {
	.event = rwc,
	.events = ARRAY_SIZE(rwc),
};

/* L1D_PENDING.LOAD. There are events of stalls by level, but none of all stalls. */
static const struct memlat_count_event lnc[] = {
	EVENT(READS_OUTSTANDING, 0x0820, FOUR),
	CYCLES(READS_CYCLES, 0x0820, FOUR),
	EVENT(DEMAND_OUTSTANDING, 0x0120, FOUR),
	CYCLES(DEMAND_CYCLES, 0x0120, FOUR),
	EVENT(RFO_OUTSTANDING, 0x0420, FOUR),
	CYCLES(RFO_CYCLES, 0x0420, FOUR),
	EVENT(CODE_OUTSTANDING, 0x0220, FOUR),
	CYCLES(CODE_CYCLES, 0x0220, FOUR),
	EVENT(L1D_PENDING, 0x0148, ONE(2)),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, ONE(2)),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0e12, ANY),
	EVENT(READS, 0x0821, ANY),
	EVENT(L1_MISSES, 0x08d1, FOUR),
	EVENT(L2_MISSES, 0x10d1, FOUR),
	MASKED(STORE_STALLS, 0x40a6, 2, ANY),
	EVENT(WALK_PENDING, 0x1012, ANY),
};

const struct memlat_count_table memlat_count_lnc = {
	.event = lnc,
	.events = ARRAY_SIZE(lnc),
};

/* MEM_LOAD_RETIRED has other unit masks. No event counts what is outstanding beyond L2. */
static const struct memlat_count_event pnc[] = {
	EVENT(L1D_PENDING, 0x0148, FOUR),
	CYCLES(L1D_PENDING_CYCLES, 0x0148, FOUR),
	EVENT(LOADS, 0x81d0, FOUR),
	EVENT(STORES, 0x82d0, FOUR),
	EVENT(DTLB_LOAD_WALKS, 0x0e12, ANY),
	EVENT(L1_MISSES, 0x10d1, FOUR),
	EVENT(L2_MISSES, 0x00d1, FOUR),
};

const struct memlat_count_table memlat_count_pnc = {
	.event = pnc,
	.events = ARRAY_SIZE(pnc),
};

/* E-cores have no counts of requests. */
static const struct memlat_count_event grt[] = {
	EVENT(LOADS, 0x81d0, ANY),
	EVENT(STORES, 0x82d0, ANY),
	EVENT(DTLB_LOAD_WALKS, 0x0e08, ANY),
	EVENT(L1_MISSES, 0x08d1, ANY),
	EVENT(L2_MISSES, 0x10d1, ANY),
	EVENT(LOAD_STALLS, 0x0734, ANY),
};

const struct memlat_count_table memlat_count_grt = {
	.event = grt,
	.events = ARRAY_SIZE(grt),
};

static const struct memlat_count_event cmt[] = {
	EVENT(LOADS, 0x81d0, ANY),
	EVENT(STORES, 0x82d0, ANY),
	EVENT(DTLB_LOAD_WALKS, 0x0e08, ANY),
	EVENT(L1_MISSES, 0x40d1, ANY),
	EVENT(LOAD_STALLS, 0x7f34, ANY),
	EVENT(STORE_STALLS, 0x8034, ANY),
	EVENT(WALK_PENDING, 0x1008, ANY),
};

const struct memlat_count_table memlat_count_cmt = {
	.event = cmt,
	.events = ARRAY_SIZE(cmt),
};

/* Darkmont: the lists have only parts of stalls and of walks under way, or nothing. */
static const struct memlat_count_event dkm[] = {
	EVENT(LOADS, 0x81d0, ANY),
	EVENT(STORES, 0x82d0, ANY),
	EVENT(DTLB_LOAD_WALKS, 0x0e08, ANY),
	EVENT(L1_MISSES, 0x40d1, ANY),
};

const struct memlat_count_table memlat_count_dkm = {
	.event = dkm,
	.events = ARRAY_SIZE(dkm),
};

/* Intel's list has none of these, so only cycles and instructions, which have fixed counters. */
const struct memlat_count_table memlat_count_arw = { };
