/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a module costs: instructions in PMIs, and instructions outside of PMIs in its own code and
 * in all that it calls ("hook"). This does not depend on QEMU.
 *
 * - A PMI lasts from its delivery to the IRET that returns to where it was delivered; exceptions
 *   and NMIs in between are part of it.
 * - A hook begins with the first block of the module's text. It ends with the first block outside
 *   the text with RSP above its value at the beginning, because then the module has returned to its
 *   caller. A tail call counts as a call.
 * - An interrupt in between is not counted, nor is code on other stacks after RSP was loaded
 *   (softirqs, or other tasks after a context switch), until this or another CPU is back in the
 *   hook. Exceptions in the module or its callees are counted.
 * - Code of the module that runs in another interrupt is a separate hook.
 *
 * The instruction clock that is passed as `now` increases by one per instruction of that CPU.
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

/* Forget all PMIs and hooks that have begun. No CPU runs. */
void vp_cost_forget(struct vp_cost *cost);

/* For each CPU, by any thread, when a bracket begins and ends. */
void vp_cost_begin(struct vp_cost *cost, unsigned int cpu, uint64_t now);
void vp_cost_end(struct vp_cost *cost, unsigned int cpu, uint64_t now);

/* The functions below are called by the thread that runs the CPU, with the kernel's registers. */
enum vp_cost_watch vp_cost_watch(const struct vp_cost *cost, unsigned int cpu);

/* An interrupt was delivered. ip, rsp: of the interrupted code. */
void vp_cost_interrupt(struct vp_cost *cost, unsigned int cpu, uint64_t now,
		       enum vp_cost_interrupt kind, uint64_t ip, uint64_t rsp);

/* An IRET to this address was executed. */
void vp_cost_iret(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t ip,
		  uint64_t rsp, bool user);

/* A block of the module's text starts. */
void vp_cost_text(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp);

/*
 * Another block starts. True: the module has just returned, within an NMI that is not a PMI, and
 * RAX has its return value.
 */
bool vp_cost_outside(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp);

/* RSP was loaded, perhaps with another stack. */
void vp_cost_stack(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp);

/* Any thread: of the current or the last bracket. */
void vp_cost_read(struct vp_cost *cost, unsigned int cpu, uint64_t now,
		  struct vp_cost_figures *figures);

/* Hooks that could not be followed because too many slept at once. */
unsigned int vp_cost_lost(struct vp_cost *cost);

#endif
