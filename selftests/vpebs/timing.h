/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A clock for one core, and the requests that are under way in each of its cycles. The core is a
 * simple out-of-order one:
 * - Instructions begin in order, one per cycle, and retire in order, any number per cycle. An
 *   instruction begins only when the VP_ROB-th before it has retired.
 * - A load requests its line as soon as the registers of its address are ready, a store when its
 *   data are ready too. The result of an instruction is ready when its load is done (a cycle later
 *   if it is not just a move), or else a cycle after its operands. Every other instruction takes
 *   one cycle. Jumps are always predicted correctly.
 * - An L1 miss occupies a fill buffer from the end of its translation until its line arrives. If
 *   all are occupied, it waits for one.
 * - A store retires without waiting for its line, but occupies an entry of the store buffer until
 *   it and all stores before it are done.
 * - A locked instruction begins when all instructions before it are done, and the next begins when
 *   it is done.
 * - vp_timing_drain() waits for everything. This happens at each change of privilege, and at
 *   instructions that are intercepted.
 *
 * LOAD_STALLS are cycles in which no micro-op executes while a load's L1 miss is under way, as on
 * silicon (CYCLE_ACTIVITY.STALLS_L1D_MISS). An instruction executes when its operands are ready. One
 * that loads executes when its address is known and, if it does more than move, when it has loaded.
 * STORE_STALLS are cycles in which the store buffer is full and keeps an instruction from beginning,
 * while no load's L1 miss is under way (EXE_ACTIVITY.BOUND_ON_STORES: "and no outstanding load").
 * HEAD_WAITS are cycles in which the oldest instruction that has not retired is a load that missed
 * L1, and waits for its line (or for the page walk before it).
 * WALK_PENDING is the sum of the page walks of loads, wherever their lines are.
 *
 * A read beyond L2 is outstanding from the end of its translation until its line arrives. So is a
 * request for ownership, and so is a load's L1 miss, wherever its line is. A prefetch from beyond
 * L2 is a read too, but takes no buffer, and nothing waits for it, not even vp_timing_drain(). Its
 * cycles after that count for the privilege that comes next. Not modelled: an L1 miss of a store
 * that a load waits for is not pending for L1D, and vector registers make no dependency.
 */
#ifndef VPEBS_TIMING_H
#define VPEBS_TIMING_H

#include "cache.h"
#include "counts.h"
#include "insn_regs.h"

#define VP_ROB			224
#define VP_STORE_BUFFER		56
#define VP_TIMING_FILLS		16	/* at most */

struct vp_timing;

/*
 * counts: where all but instructions are counted. Returns NULL if out of memory, or if fills is 0
 * or too large.
 */
struct vp_timing *vp_timing_new(unsigned int fills, struct vp_counts *counts);
void vp_timing_free(struct vp_timing *t);
struct vp_cache_clock *vp_timing_clock(struct vp_timing *t);

/*
 * For one instruction: begin, its accesses, end. For each access, call vp_timing_access() before
 * vp_cache_access(), which reads this clock, and vp_timing_accessed() after it.
 */
void vp_timing_begin(struct vp_timing *t, const struct insn_regs *regs);
void vp_timing_access(struct vp_timing *t, const struct vp_access *access);
void vp_timing_accessed(struct vp_timing *t, const struct vp_access *access,
			const struct vp_outcome *outcome);
void vp_timing_end(struct vp_timing *t, const struct insn_regs *regs);

void vp_timing_drain(struct vp_timing *t);
/* Set the privilege of the next instructions. Drains if it changes. */
void vp_timing_privilege(struct vp_timing *t, bool user);
/* Count the cycles so far. */
void vp_timing_publish(struct vp_timing *t);

#endif
