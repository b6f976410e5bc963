// SPDX-License-Identifier: GPL-2.0
/*
 * Draining: move the records from this CPU's buffer to its counts and its active shard, with what
 * records do not have: physical lines, and call chains, which are of the moment of the PMI. All of
 * it runs in NMI.
 */
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <asm/io.h>
#include <asm/segment.h>
#include <asm/unwind.h>
#include <uapi/linux/memlat.h>

#include "../core/shard.h"
#include "buffer.h"
#include "hw.h"

/*
 * The physical cache line of a linear address of the kernel or of current. Records have no physical
 * address, so it is looked up while the sampled task still runs: without a lock or a page fault.
 * Returns 0 if the page is not present, or if it is kernel memory outside the direct map (vmalloc,
 * modules).
 */
static u64 memlat_phys_line(u64 addr)
{
	struct page *page;
	u64 phys = 0;

	if ((s64)addr < 0) {
		if (virt_addr_valid((void *)addr))
			phys = virt_to_phys((void *)addr);
	} else if (current->mm) {
		pagefault_disable();
		if (get_user_pages_fast_only(addr, 1, 0, &page) == 1) {
			phys = page_to_phys(page) + offset_in_page(addr);
			put_page(page);
		}
		pagefault_enable();
	}
	return phys & ~(u64)(MEMLAT_LINE_BYTES - 1);
}

struct memlat_chain {
	unsigned int frames;
	unsigned int kernel_frames;	/* they are first */
	u64 frame[MEMLAT_STACK_FRAMES];	/* the record's instruction, then return addresses */
};

static bool push(struct memlat_chain *chain, u64 address)
{
	if (!address || chain->frames == MEMLAT_STACK_FRAMES)
		return false;
	chain->frame[chain->frames++] = address;
	return true;
}

/* Skip the first address, which is where the PMI interrupted: the record's ip is there instead. */
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

/*
 * Record the call chain of a sampled instruction. @regs are of the PMI that the record raised.
 *
 * The PMI is delivered a little after the record, sometimes after an entry to the kernel or a
 * return from it. Then only a part of the stack belongs to the instruction, and only that part is
 * walked.
 */
static void memlat_chain_walk(struct memlat_chain *chain, struct pt_regs *regs, u64 ip)
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

/* Record the present call chain, if it belongs to the record; then @regs is not NULL. */
static u16 memlat_pebs_stack(void *regs, const struct memlat_walk *walk, u64 ip)
{
	struct memlat_chain chain;
	u16 stack = 0;

	if (regs) {
		memlat_chain_walk(&chain, regs, ip);
		stack = memlat_shard_stack(walk->shard, walk->tgid, walk->gen, chain.frame,
					   chain.frames, chain.kernel_frames);
	}
	walk->counts->count[MEMLAT_COUNT_STACKS_LOST] += !stack;
	return stack;
}

static void begin(struct memlat_walk *walk, struct memlat_cpu *c, const struct memlat_who *who,
		  bool here)
{
	const struct memlat_rate *loads = &c->rate[MEMLAT_KIND_LOADS];
	const struct memlat_rate *stores = &c->rate[MEMLAT_KIND_STORES];

	*walk = (struct memlat_walk) {
		.layout = c->core->caps.layout,
		.sources = c->core->model->sources,
		.counters = &c->phase->counters,
		.counts = c->counts,
		.shard = c->active,
		.loads = { .period = memlat_period(c, MEMLAT_KIND_LOADS), .carry = loads->carry },
		.stores = { .period = stores->period, .carry = stores->carry },
		.tgid = who->tgid,
		.tid = who->tid,
		.gen = who->gen,
		.phys = memlat_hw.phys && here ? memlat_phys_line : NULL,
		.stack = memlat_hw.call_graph ? memlat_pebs_stack : NULL,
	};
	if (unlikely(c->burst)) {
		walk->steps = c->active->steps;
		memlat_steps_begin(walk->steps);
	}
}

/* Store the state of the drain. Returns the number of samples. */
static u64 finish(const struct memlat_walk *walk, struct memlat_cpu *c)
{
	c->rate[MEMLAT_KIND_LOADS].carry = walk->loads.carry;
	if (likely(!c->burst)) {
		c->rate[MEMLAT_KIND_LOADS].records += walk->loads.samples;
	} else {
		c->rate[MEMLAT_KIND_LOADS].partial -= walk->loads.samples * walk->loads.period;
		c->burst_records += walk->loads.samples;
	}
	c->rate[MEMLAT_KIND_STORES].carry = walk->stores.carry;
	c->rate[MEMLAT_KIND_STORES].records += walk->stores.samples;
	return walk->loads.samples + walk->stores.samples;
}

/*
 * Drain at least one record. @end: end of the records. @here: @who is current, so its addresses can
 * be looked up.
 */
static unsigned int memlat_pebs_drain_to(struct memlat_cpu *c, u64 end,
					 const struct memlat_who *who, bool here,
					 struct pt_regs *regs)
{
	const unsigned int size = c->core->caps.layout->size;
	struct memlat_shard *shard = c->active;
	/* With a CPU budget merge earlier, so that the cost is spread evenly. */
	bool first = !shard->used, due = memlat_shard_is_due(shard, memlat_hw.budget);
	u64 *count = c->counts->count;
	u64 at = c->base;
	unsigned int records = 0;
	struct memlat_walk walk;

	begin(&walk, c, who, here);

	do {
		unsigned int n;

		if (unlikely(end < at || end > c->max)) {
			/* The number of records cannot be known any more. */
			count[MEMLAT_COUNT_RECORDS]++;
			count[MEMLAT_COUNT_MALFORMED]++;
			records++;
			break;
		}
		count[MEMLAT_COUNT_FULL_PMIS] += end == c->max;
		/* @regs belong to the record only if the buffer holds exactly one. */
		walk.context = records || end - at != size ? NULL : regs;
		if (likely(c->wanted))
			n = memlat_record_walk(&walk, c->records + (at - c->base), end - at);
		else
			n = memlat_record_walk_filtered(&walk, c->records + (at - c->base),
							end - at);
		count[MEMLAT_COUNT_RECORDS] += n;
		records += n;
		at = end;
		/* A record that was in flight when the counters stopped may have been written. */
		end = memlat_buffer_end(c);
	} while (end != at);
	c->still.moved |= records;
	/* If the index was wrong, any part of the buffer may have records. */
	memlat_ds_forget(c, end == at ? end : c->max);
	/* Whatever else happened, the next record starts at the base. */
	memlat_buffer_reset(c);

	if (finish(&walk, c)) {
		struct memlat_shard_thread *thread;

		thread = memlat_shard_note_thread(shard, who->tgid, who->gen, who->tid, who->comm,
						  who->process);
		if (thread)
			thread->tls_base = who->tls_base;
		/* If the thread is not current, it may execute another program by now. */
		if (thread && !thread->named_ns && here) {
			thread->named_ns = ktime_get_mono_fast_ns();
			if (!thread->first_ns)
				thread->first_ns = thread->named_ns;
		}
		/* Kick once when the shard begins to fill, and once when it has to be merged. */
		if (first || (!due && memlat_shard_is_due(shard, memlat_hw.budget))) {
			irq_work_queue(&c->kick);
			c->budget.kicks += memlat_hw.budget;
		}
	}
	return records;
}

/* The end of memlat's records; c->base if there are none. */
static u64 to_drain(const struct memlat_cpu *c)
{
	bool ours;
	const u64 end = memlat_buffer_read(c, &ours);

	return ours ? end : c->base;
}

/**
 * memlat_pebs_drain - drain this CPU's buffer
 * @c: this CPU's state; its counters are stopped
 * @regs: of the PMI that asks; NULL for any other caller
 *
 * Called in NMI or with interrupts off. All records belong to current, because the buffer is
 * drained whenever a task leaves the CPU.
 *
 * Return: number of records.
 */
unsigned int memlat_pebs_drain(struct memlat_cpu *c, struct pt_regs *regs)
{
	const u64 end = to_drain(c);
	struct memlat_who who;

	if (end == c->base)
		return 0;
	memlat_who_now(&who, &c->vfork_parent);
	return memlat_pebs_drain_to(c, end, &who, true, regs);
}

/**
 * memlat_pebs_drain_of - drain records that belong to another thread
 * @c: this CPU's state, disarmed
 * @who: that thread
 *
 * Return: number of records.
 */
unsigned int memlat_pebs_drain_of(struct memlat_cpu *c, const struct memlat_who *who)
{
	const u64 end = to_drain(c);

	return end == c->base ? 0 : memlat_pebs_drain_to(c, end, who, false, NULL);
}
