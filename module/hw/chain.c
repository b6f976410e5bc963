// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains, recorded in the PMI of the record that they belong to.
 */
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/segment.h>
#include <asm/unwind.h>

#include "chain.h"

static bool push(struct memlat_chain *chain, u64 address)
{
	if (!address || chain->frames == MEMLAT_STACK_FRAMES)
		return false;
	chain->frame[chain->frames++] = address;
	return true;
}

/* Skip the first address, which is where the PMI came: the record's ip is there instead. */
static void memlat_walk_kernel(struct memlat_chain *chain, struct pt_regs *regs)
{
	struct unwind_state state;
	bool first = true;

	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		u64 address = unwind_get_return_address(&state);

		if (!address || (!first && !push(chain, address)))
			break;
		first = false;
	}
	chain->kernel_frames = chain->frames;
}

/*
 * Walk by frame pointers. Each frame begins with the caller's frame pointer and the return address.
 * Frames must have rising addresses, or this is not a chain.
 */
static void memlat_walk_user(struct memlat_chain *chain, const struct pt_regs *regs)
{
	const bool compat = regs->cs == __USER32_CS;
	const unsigned int word = compat ? sizeof(u32) : sizeof(u64);
	u64 fp = compat ? (u32)regs->bp : regs->bp, last = 0;

	while (fp > last && !(fp % word)) {
		u64 frame[2];
		u32 narrow[2];

		if (copy_from_user_nmi(compat ? (void *)narrow : (void *)frame,
				       (void __user *)fp, 2 * word))
			return;
		if (compat) {
			frame[0] = narrow[0];
			frame[1] = narrow[1];
		}
		/* Without frame pointers, this may be any value. */
		if ((s64)frame[1] < 0 || !push(chain, frame[1]))
			return;
		last = fp;
		fp = frame[0];
	}
}

/**
 * memlat_chain_walk - record the call chain of a sampled instruction
 * @chain: filled in
 * @regs: of the PMI that the record raised
 * @ip: the record's instruction
 *
 * The PMI comes a little after the record, sometimes after an entry to the kernel or a return from
 * it. Then only a part of the stack belongs to the instruction, and only that part is walked.
 *
 * Runs in NMI, and reads only user memory that needs no page fault.
 */
void memlat_chain_walk(struct memlat_chain *chain, struct pt_regs *regs, u64 ip)
{
	const bool kernel = (s64)ip < 0;

	chain->frames = 0;
	chain->kernel_frames = 0;
	push(chain, ip);
	if (kernel) {
		chain->kernel_frames = chain->frames;
		if (!user_mode(regs))
			memlat_walk_kernel(chain, regs);
	}
	/* A kernel thread has no callers in user mode. */
	if (!current->mm || (current->flags & PF_KTHREAD))
		return;
	if (!user_mode(regs))
		regs = task_pt_regs(current);
	if (!kernel || push(chain, regs->ip))
		memlat_walk_user(chain, regs);
}
