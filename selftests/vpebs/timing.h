/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A clock for one core, and what is under way at each of its cycles. A simple
 * out-of-order core:
 * - Instructions begin in order, one per cycle, and retire in order, any number per
 *   cycle. One begins only when the VP_ROB-th before it has retired.
 * - A load asks for its line as soon as the registers that form its address are
 *   there, a store when its data are too; what its instruction writes is there when
 *   the load is (and a cycle later if something is done with it), or a cycle
 *   after all that it reads. Every other instruction takes one cycle. Jumps are
 *   always predicted.
 * - An L1 miss takes one of the fill buffers from the end of its translation until its
 *   line arrives, and waits for one if all are taken.
 * - A store retires without waiting for its line, but keeps an entry of the store
 *   buffer until it and all stores before it are done.
 * - A locked instruction begins when all before it are done, and what follows it
 *   begins when it is.
 * - vp_timing_drain(): everything is waited for. That is so at each change of
 *   privilege and at instructions that are intercepted.
 *
 * LOAD_STALLS: cycles in which no instruction begins, because the reorder buffer is full,
 * while a load's L1 miss is under way. Silicon has no buffer to look at: there it is cycles
 * in which no micro-op executes. STORE_STALLS: no instruction begins for want of an entry in
 * the store buffer. WALK_PENDING: the sum of the page walks of loads, wherever their lines are.
 *
 * A read beyond the L2 is outstanding from the end of its translation until its line
 * arrives; a request for ownership likewise; a load's L1 miss likewise, wherever its
 * line is. What a prefetcher asks for from beyond the L2 is a read too, that nobody waits
 * for, not even vp_timing_drain(), and that takes no buffer: what it still keeps busy then
 * counts for who comes next. What is left out: a line on its way for a store that a load
 * waits for is not pending for L1D; vector registers make no dependency.
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
 * counts is what is counted into, but for instructions. NULL: no memory, or fills is 0
 * or too many.
 */
struct vp_timing *vp_timing_new(unsigned int fills, struct vp_counts *counts);
void vp_timing_free(struct vp_timing *t);
struct vp_cache_clock *vp_timing_clock(struct vp_timing *t);

/*
 * One instruction: begin, its accesses, end. For each access vp_timing_access() comes
 * before vp_cache_access(), which takes the clock from here, and vp_timing_accessed()
 * behind.
 */
void vp_timing_begin(struct vp_timing *t, const struct insn_regs *regs);
void vp_timing_access(struct vp_timing *t, const struct vp_access *access);
void vp_timing_accessed(struct vp_timing *t, const struct vp_access *access,
			const struct vp_outcome *outcome);
void vp_timing_end(struct vp_timing *t, const struct insn_regs *regs);

void vp_timing_drain(struct vp_timing *t);
/* Whose instructions follow. Drains if that changes. */
void vp_timing_privilege(struct vp_timing *t, bool user);
/* Count the cycles so far. */
void vp_timing_publish(struct vp_timing *t);

/* timing_busy.c: for how long there was any of several intervals. */
#define VP_BUSY_MAX	512

struct vp_busy {
	unsigned int n;
	uint64_t settled;		/* what begins before this time was counted */
	uint64_t total;			/* and is not yet told */
	struct {
		uint64_t from, to;
	} part[VP_BUSY_MAX];		/* in order; no two touch */
};

void vp_busy_add(struct vp_busy *busy, uint64_t from, uint64_t to);
/* What lies before this time is counted now: how long was there any, since the last call? */
uint64_t vp_busy_settle(struct vp_busy *busy, uint64_t before);

#endif
