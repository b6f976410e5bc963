/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steps: how far apart the operands of two loads are that one instruction of one
 * thread made one after the other. That takes neighbours in time, which only a burst
 * has; cells forget who came after whom.
 */
#ifndef MEMLAT_CORE_STEPS_H
#define MEMLAT_CORE_STEPS_H

#include "counts.h"
#include "sample.h"

#define MEMLAT_STEPS		2048
#define MEMLAT_STEP_PAIRS	(~0U)	/* of one step between two merges; more are lost */
#define MEMLAT_STEP_IPS		64	/* a loop has fewer instructions that load */

/**
 * struct memlat_step - pairs of loads that are alike
 * @ip: the instruction
 * @step: bytes from the first one's operand to the second's, modulo 2^64
 * @tgid: process
 * @gen: generation of the process
 * @latency_sum: sum of the second loads' latencies
 * @pairs: how many; it takes no more than MEMLAT_STEP_PAIRS, and so none below overflows
 * @stlb_miss: second loads that missed the second-level TLB
 * @new_page: second loads in another page than the first
 * @onward: went the same way, up or down, as this instruction's step before in the burst
 * @turned: went the other way
 * @round: one more than the table's @emptied when it was filled in; else it is free
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
 * @burst: in which burst that was; an earlier one's says nothing
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
 * @ip: by a hash of the instruction; a later one takes the place of an earlier one
 * @place: places of @step that are taken
 * @used: how many
 * @emptied: how often it was, so that nothing needs clearing
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

/* In NMI: bounded, no allocation, no lock. */
void memlat_steps_load(struct memlat_steps *steps, struct memlat_counts *counts,
		       const struct memlat_sample *s);

/**
 * memlat_steps_begin - what comes next is a burst of its own
 * @steps: of this CPU
 */
static inline void memlat_steps_begin(struct memlat_steps *steps)
{
	steps->burst++;
}

/**
 * memlat_steps_is_crowded - must they be merged soon?
 * @steps: NULL: nobody asked for any
 *
 * A look-up ends after a few places, so an eighth is enough.
 */
static inline bool memlat_steps_is_crowded(const struct memlat_steps *steps)
{
	return steps && steps->used > MEMLAT_STEPS / 8;
}

/* By the merge, when no CPU writes them. */
void memlat_steps_clear(struct memlat_steps *steps);

#endif /* MEMLAT_CORE_STEPS_H */
