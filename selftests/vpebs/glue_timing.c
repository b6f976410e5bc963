// SPDX-License-Identifier: GPL-2.0
/*
 * The input of the clock of timing.h: each start of a block, and each access. The instructions
 * between two of these are passed to the clock at the second, so no call for each instruction is
 * needed.
 */
#include "glue.h"
#include "insn_regs.h"

bool glue_timing_init(void)
{
	struct vp_counts *counts = vp_truth_counts(glue.truth);
	unsigned int i;

	for (i = 0; counts && i < glue.topology.cpus; i++) {
		struct vp_timing *t = vp_timing_new(glue_core(i)->fill_buffers, &counts[i]);

		if (!t)
			return false;
		glue.cpu[i].time.model = t;
		vp_cache_set_clock(glue.cache, i, vp_timing_clock(t));
	}
	glue.counts = counts;
	vp_pmu_timing(glue.pmu);
	return counts;
}

/* Does the clock run? */
static bool runs(const struct glue_time *time)
{
	return time->model && time->tb;
}

static void end(struct glue_time *time)
{
	if (time->open)
		vp_timing_end(time->model, &time->tb->regs[time->at++]);
	time->open = false;
}

/* Pass instructions to the clock up to this one, or to where the block was left. */
static void catch_up(struct glue_time *time, unsigned int to)
{
	to = MIN(to, time->end);
	if (time->open && time->at < to)
		end(time);
	for (; time->at < to; time->at++) {
		vp_timing_begin(time->model, &time->tb->regs[time->at]);
		vp_timing_end(time->model, &time->tb->regs[time->at]);
	}
}

static void leave(struct glue_time *time)
{
	if (!runs(time))
		return;
	catch_up(time, time->end);
	/* An instruction that faulted after its first access may still be open. */
	end(time);
	time->tb = NULL;
}

static void block_starts(unsigned int vcpu, void *userdata)
{
	struct glue_time *time = &glue.cpu[vcpu].time;
	const struct glue_tb *tb = userdata;

	leave(time);
	vp_timing_privilege(time->model, tb->user);
	vp_timing_publish(time->model);
	time->tb = tb;
	time->at = 0;
	time->end = tb->n;
}

void glue_timing_plant(struct qp_tb *tb, struct glue_tb *info)
{
	static const struct qp_u64 none;

	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, block_starts, QP_NO_REGS, QP_COND_ALWAYS,
						  none, 0, info);
}

void glue_timing_access(unsigned int vcpu, const struct glue_insn *insn,
			const struct vp_access *access)
{
	struct glue_time *time = &glue.cpu[vcpu].time;

	if (!runs(time) || time->tb != insn->tb)
		return;
	catch_up(time, insn->index);
	/* An instruction with REP may have been closed when the counters were updated. */
	if (!time->open && time->at == insn->index) {
		vp_timing_begin(time->model, &time->tb->regs[time->at]);
		time->open = true;
	}
	vp_timing_access(time->model, access);
}

void glue_timing_accessed(unsigned int vcpu, const struct glue_insn *insn,
			  const struct vp_access *access, const struct vp_outcome *outcome)
{
	struct glue_time *time = &glue.cpu[vcpu].time;

	if (runs(time) && time->tb == insn->tb)
		vp_timing_accessed(time->model, access, outcome);
}

void glue_timing_cut(unsigned int vcpu, const struct glue_tb *tb, unsigned int index)
{
	struct glue_time *time = &glue.cpu[vcpu].time;

	if (runs(time) && time->tb == tb)
		time->end = MIN(time->end, index);
}

/* Pass what was counted since the last time to the PMU. */
static void hand_over(unsigned int vcpu, uint64_t ip)
{
	struct glue_time *time = &glue.cpu[vcpu].time;
	struct vp_counts *counts = &glue.counts[vcpu];
	unsigned int user, i;

	for (user = 0; user < 2; user++) {
		uint64_t fresh[VP_COUNTS];

		for (i = 0; i < VP_COUNTS; i++) {
			uint64_t now = atomic_load_explicit(&counts->by[user][i],
							    memory_order_relaxed);

			fresh[i] = now - time->told[user][i];
			time->told[user][i] = now;
			if (i != VP_CT_INSTRUCTIONS && vp_pmu_counts_cycles(glue.pmu, vcpu, user))
				vp_counts_add(&counts->counted[i], fresh[i]);
		}
		vp_pmu_timed(glue.pmu, vcpu, user, fresh, ip);
	}
}

void glue_timing_sync(unsigned int vcpu, const struct glue_insn *last, bool leaving, uint64_t ip)
{
	struct glue_time *time = &glue.cpu[vcpu].time;

	if (!time->model)
		return;
	if (last && runs(time) && time->tb == last->tb) {
		catch_up(time, last->index + 1u);
		vp_timing_drain(time->model);
		if (leaving)
			time->tb = NULL;
	} else {
		vp_timing_publish(time->model);
	}
	hand_over(vcpu, ip);
}

void glue_timing_charge(unsigned int vcpu, const uint32_t *thread)
{
	struct glue_time *time = &glue.cpu[vcpu].time;
	_Atomic uint64_t (*by)[VP_COUNTS] = glue.counts[vcpu].by;
	unsigned int user;

	vp_timing_publish(time->model);
	for (user = 0; user < 2; user++) {
		const struct vp_thread_time was = time->charged[user];
		struct vp_thread_time now = {
			.cycles = by[user][VP_CT_CYCLES],
			.head = by[user][VP_CT_HEAD_WAITS],
			.latency = by[user][VP_CT_LOAD_LATENCY],
		};

		time->charged[user] = now;
		now.cycles -= was.cycles;
		now.head -= was.head;
		now.latency -= was.latency;
		if (thread)
			vp_lives_time(glue.lives, *thread, user, &now);
	}
}

/* Count as many instructions as the PMU counts. */
void glue_timing_retire(unsigned int vcpu, bool user, uint64_t n)
{
	struct vp_counts *counts;

	if (!glue.timing)
		return;
	counts = &glue.counts[vcpu];
	vp_counts_add(&counts->by[user][VP_CT_INSTRUCTIONS], n);
	if (vp_pmu_counts_cycles(glue.pmu, vcpu, user))
		vp_counts_add(&counts->counted[VP_CT_INSTRUCTIONS], n);
}

/* All vCPUs are stopped, and their blocks will be freed. */
void glue_timing_forget_blocks(void)
{
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++)
		leave(&glue.cpu[i].time);
}
