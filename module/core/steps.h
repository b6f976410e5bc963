/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps: the distance between the operands of two successive loads of one instruction in one
 * thread. Only a burst samples successive loads, and cells do not keep their order, so steps are
 * recorded here.
 */
#ifndef MEMLAT_CORE_STEPS_H
#define MEMLAT_CORE_STEPS_H

#include "counts.h"
#include "sample.h"

#define MEMLAT_STEPS		2048
#define MEMLAT_STEP_PAIRS	(~0U)	/* most pairs of a step between two merges; more are lost */
#define MEMLAT_STEP_IPS		64	/* more than a loop has instructions that load */

/**
 * struct memlat_step - pairs of loads that are alike
 * @ip: the instruction
 * @step: bytes from the first one's operand to the second's, modulo 2^64
 * @tgid: process
 * @gen: generation of the process
 * @latency_sum: sum of the second loads' latencies
 * @pairs: number of pairs, at most MEMLAT_STEP_PAIRS, so no count below overflows
 * @stlb_miss: second loads that missed the second-level TLB
 * @new_page: second loads in another page than the first
 * @onward: pairs whose step had the same direction as this instruction's previous step in the burst
 * @turned: pairs whose step had the other direction
 * @round: the table's @emptied plus 1 when it was filled in; any other value: it is free
 * @pad: not used
 *
 * One cache line; the first 24 bytes are the key.
 */

struct memlat_step {
	u64 ip;
	u64 step;
	u32 tgid;
	u32 gen;
	u64 latency_sum;
	u32 pairs;
	u32 stlb_miss;
	u32 new_page;
	u32 onward;
	u32 turned;
	u32 round;
	u64 pad;
};

/**
 * struct memlat_step_ip - the last load of an instruction
 * @ip: the instruction
 * @addr: its operand
 * @burst: number of its burst; a load of an earlier burst makes no pair
 * @step: its last step in that burst that was not 0; 0: none yet
 */
struct memlat_step_ip {
	u64 ip;
	u64 addr;
	u64 burst;
	u64 step;
};

/**
 * struct memlat_steps - the steps of one CPU between two merges
 * @step: the table
 * @ip: by a hash of the instruction; a later instruction overwrites an earlier one
 * @place: indices of @step that are taken
 * @used: number of these
 * @emptied: how often the table was emptied, so that @step need not be cleared
 * @burst: number of the burst that is being read
 *
 * Only that CPU writes it, in NMI or with interrupts off.
 */
struct memlat_steps {
	struct memlat_step step[MEMLAT_STEPS];
	struct memlat_step_ip ip[MEMLAT_STEP_IPS];
	u16 place[MEMLAT_STEPS];
	u32 used;
	u32 emptied;
	u64 burst;
};

/* Runs in NMI: its time is bounded, and it neither allocates nor locks. */
void memlat_steps_load(struct memlat_steps *steps, struct memlat_counts *counts,
		       const struct memlat_sample *s);

/**
 * memlat_steps_begin - a new burst begins
 * @steps: of this CPU
 */
static inline void memlat_steps_begin(struct memlat_steps *steps)
{
	steps->burst++;
}

/**
 * memlat_steps_is_crowded - check whether steps have to be merged soon
 * @steps: the steps; NULL: steps are not wanted
 *
 * A look-up tries only a few places, so that is so when an eighth is used.
 */
static inline bool memlat_steps_is_crowded(const struct memlat_steps *steps)
{
	return steps && steps->used > MEMLAT_STEPS / 8;
}

/* Called by the merge, while no CPU writes the steps. */
void memlat_steps_clear(struct memlat_steps *steps);

#endif /* MEMLAT_CORE_STEPS_H */
