/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a module costs: instructions in PMIs, and those in its own code and
 * whatever that calls outside of PMIs ("hook"). Knows nothing of QEMU.
 *
 * - A PMI lasts from its delivery to the IRET that goes back to where it came
 *   in; exceptions and NMIs inside are part of it.
 * - A hook begins with the first block of the module's text and ends with the
 *   first block outside with RSP above what it was then: the module has
 *   returned to its caller. A tail call is a callee.
 * - An interrupt that comes in between is not the module's, nor what runs on
 *   other stacks after RSP was loaded (softirqs, other tasks after a context
 *   switch). Both end when the CPU, or another one, is back. Exceptions that
 *   the module or its callees take are theirs.
 * - Code of the module that runs in another interrupt is a hook of its own.
 *
 * The instruction clock that is passed as `now` goes up by one per
 * instruction of that CPU.
 */
#ifndef VPEBS_COST_H
#define VPEBS_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

struct vp_cost;

/* What has to be watched on a CPU. */
enum vp_cost_watch {
	VP_COST_TEXT,		/* blocks of the module: is one entered? */
	VP_COST_OUTSIDE,	/* all others: has it returned? */
	VP_COST_NEITHER,	/* in a PMI */
};

enum vp_cost_interrupt {
	VP_COST_IRQ,
	VP_COST_NMI,		/* not a PMI */
	VP_COST_PMI,
};

struct vp_cost_figures {
	uint64_t instructions;	/* all, of everybody */
	uint64_t pmi;		/* in PMIs */
	uint64_t pmi_count;
	uint64_t longest_pmi;
	uint64_t hook;
	uint64_t hook_count;	/* that came to their end */
	uint64_t longest_hook;
};

struct vp_cost *vp_cost_new(unsigned int cpus);		/* NULL and errno: EINVAL, ENOMEM */
void vp_cost_free(struct vp_cost *cost);

/* Nothing is under way. No CPU runs. */
void vp_cost_forget(struct vp_cost *cost);

/* For each CPU, by any thread, when a bracket begins and ends. */
void vp_cost_begin(struct vp_cost *cost, unsigned int cpu, uint64_t now);
void vp_cost_end(struct vp_cost *cost, unsigned int cpu, uint64_t now);

/* The rest is called by the thread that runs the CPU. Its registers are the kernel's. */
enum vp_cost_watch vp_cost_watch(const struct vp_cost *cost, unsigned int cpu);

/* Delivered. ip, rsp: of what was interrupted. */
void vp_cost_interrupt(struct vp_cost *cost, unsigned int cpu, uint64_t now,
		       enum vp_cost_interrupt kind, uint64_t ip, uint64_t rsp);

/* An IRET was run that goes there. */
void vp_cost_iret(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t ip,
		  uint64_t rsp, bool user);

/* A block of the module's starts. */
void vp_cost_text(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp);

/*
 * Another block starts. True: the module has just returned, from within an
 * NMI that is no PMI; what it returned is in RAX.
 */
bool vp_cost_outside(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp);

/* RSP was loaded with something: perhaps another stack. */
void vp_cost_stack(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp);

/* Any thread: of the current or the last bracket. */
void vp_cost_read(struct vp_cost *cost, unsigned int cpu, uint64_t now,
		  struct vp_cost_figures *figures);

/* Hooks that could not be followed because too many slept at once. */
unsigned int vp_cost_lost(struct vp_cost *cost);

#endif
