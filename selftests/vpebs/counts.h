/* SPDX-License-Identifier: GPL-2.0 */
/* The events that general counters can count in addition to those that are sampled. */
#ifndef VPEBS_COUNTS_H
#define VPEBS_COUNTS_H

#include <stdatomic.h>

#include "machine.h"

/*
 * In the order of memlat's enum memlat_event_id, with four more at the end. OUTSTANDING and PENDING
 * add, in each cycle, the number of requests under way; CYCLES are the cycles with any.
 */
enum vp_count {
	VP_CT_CYCLES,
	VP_CT_INSTRUCTIONS,
	VP_CT_READS_OUTSTANDING,	/* of all data, beyond the L2 */
	VP_CT_READS_CYCLES,
	VP_CT_DEMAND_OUTSTANDING,	/* the same, without prefetches */
	VP_CT_DEMAND_CYCLES,
	VP_CT_RFO_OUTSTANDING,
	VP_CT_RFO_CYCLES,
	VP_CT_CODE_OUTSTANDING,		/* no fetches are modelled: 0 */
	VP_CT_CODE_CYCLES,
	VP_CT_L1D_PENDING,
	VP_CT_L1D_PENDING_CYCLES,
	VP_CT_LOADS,
	VP_CT_STORES,
	VP_CT_WALKS,			/* of loads */
	VP_CT_READS,
	VP_CT_L1_MISSES,		/* of loads */
	VP_CT_L2_MISSES,		/* likewise */
	VP_CT_LOAD_STALLS,		/* cycles, see timing.h */
	VP_CT_STORE_STALLS,		/* likewise */
	VP_CT_WALK_PENDING,		/* of loads */
	VP_CT_DEMAND_READS,
	VP_CT_RFOS,
	VP_CT_HEAD_WAITS,		/* cycles, see timing.h; no event of any CPU */
	VP_CT_LOAD_LATENCY,		/* of loads that miss L1, summed; likewise */
	VP_COUNTS
};

/* Key in the truth's JSON. */
const char *vp_count_name(enum vp_count what);

/* Counts of one CPU. Only its own thread writes them; any thread reads them. They only grow. */
struct vp_counts {
	_Atomic uint64_t by[2][VP_COUNTS];	/* in the kernel, in user mode */
	_Atomic uint64_t counted[VP_COUNTS];	/* while fixed counter 1 counted */
};

static inline void vp_counts_add(_Atomic uint64_t *to, uint64_t n)
{
	uint64_t was = atomic_load_explicit(to, memory_order_relaxed);

	atomic_store_explicit(to, was + n, memory_order_relaxed);
}

/* Is it counted by accesses alone? All others need a clock. */
static inline bool vp_count_is_of_accesses(enum vp_count what)
{
	return what >= VP_CT_LOADS && what < VP_CT_HEAD_WAITS &&
	       (what < VP_CT_LOAD_STALLS || what > VP_CT_WALK_PENDING);
}

static inline bool vp_access_counts(enum vp_count what, const struct vp_access *a,
				    const struct vp_outcome *o)
{
	const bool beyond_l2 = o->code >= VP_L3, own = a->store || a->locked;

	switch (what) {
	case VP_CT_LOADS:
		return !a->store;
	case VP_CT_STORES:
		return a->store;
	case VP_CT_WALKS:
		return !a->store && o->stlb_miss;
	case VP_CT_READS:
	case VP_CT_DEMAND_READS:
		return beyond_l2 && !own;
	/* Locked loads count as L1_HIT by Intel's lists, wherever they are served from. */
	case VP_CT_L1_MISSES:
		return !own && o->code >= VP_L2;
	case VP_CT_L2_MISSES:
		return !own && beyond_l2;
	case VP_CT_RFOS:
		return beyond_l2 && own;
	default:
		return false;
	}
}

/* An event select's low 16 bits, and what it counts on which general counters. */
struct vp_event_row {
	uint16_t event;			/* 0: the end */
	uint8_t what;			/* enum vp_count */
	uint8_t busy;			/* with a counter mask of 1; VP_COUNTS: nothing */
	uint8_t mask;			/* it counts with this counter mask alone; 0: without */
	uint32_t counters;
};

extern const struct vp_event_row vp_events_nhm[], vp_events_wsm[], vp_events_snb[],
	vp_events_ivb[], vp_events_hsw[], vp_events_skl[], vp_events_icl[], vp_events_glc[],
	vp_events_lnc[], vp_events_pnc[], vp_events_grt[], vp_events_cmt[], vp_events_dkm[];

/* VP_COUNTS: this event select counts nothing of this list on that counter. */
enum vp_count vp_event_counts(const struct vp_event_row *rows, uint64_t evtsel,
			      unsigned int counter);

#endif
