// SPDX-License-Identifier: GPL-2.0
/*
 * Count instructions. Each block adds its length to the budget of its privilege when it starts. If
 * a block is left before its end (by an exception, or an instruction that this plugin intercepts),
 * the instructions that were not executed are subtracted. So the count is always exact, except for
 * the current block. A string instruction with REP counts once each time that its block starts.
 */
#include "glue.h"

struct qp_u64 glue_count_entry(size_t offset)
{
	return (struct qp_u64) { .score = glue.score, .offset = offset };
}

static struct glue_score *score(unsigned int vcpu)
{
	return qemu_plugin_scoreboard_find(glue.score, vcpu);
}

void glue_count_init(void)
{
	glue.score = qemu_plugin_scoreboard_new(sizeof(struct glue_score));
}

static void overcounted(struct glue_cpu *c, uint64_t n)
{
	__atomic_store_n(&c->overcount, c->overcount + n, __ATOMIC_RELAXED);
}

/* Let translated code run until the next overflow. */
void glue_count_budget(unsigned int vcpu)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	struct glue_score *s = score(vcpu);
	unsigned int user;

	c->new_budget = false;
	c->turn_end = false;
	for (user = 0; user < 2; user++) {
		uint64_t room = c->nmi_due ? 1 : vp_pmu_headroom(glue.pmu, vcpu, user);

		if (glue.level == VP_WATCH_MEMORY) {
			room = MIN(room, glue.turns);
			c->turn_end = true;
		}
		s->budget[user] = BUDGET_END - room;
		c->start[user] = s->budget[user];
	}
}

/*
 * All vCPUs are between two blocks, and memory is watched from now on. This makes their turns short
 * now, instead of at the next overflow. It does not change the counts.
 */
void glue_count_shorten_turns(void)
{
	unsigned int i, user;

	for (i = 0; i < glue.topology.cpus; i++) {
		struct glue_cpu *c = &glue.cpu[i];
		struct glue_score *s;

		if (!c->alive)
			continue;
		s = score(i);
		for (user = 0; user < 2; user++) {
			const uint64_t end = BUDGET_END - glue.turns;

			if (s->budget[user] >= end)
				continue;
			c->start[user] += end - s->budget[user];
			s->budget[user] = end;
		}
		c->turn_end = true;
	}
}

/*
 * Pass the counts to the PMU. leaving: the current block ends after this instruction; NULL: it
 * continues.
 */
void glue_count_sync(unsigned int vcpu, const struct glue_insn *leaving, uint64_t ip)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	struct glue_score *s = score(vcpu);
	unsigned int user;

	glue_timing_sync(vcpu, leaving, true, ip);
	if (leaving && leaving->tb->counted) {
		c->debt[leaving->tb->user] += leaving->tb->n - (leaving->index + 1);
		overcounted(c, leaving->tb->n - (leaving->index + 1u));
		s->tb = 0;
	}
	for (user = 0; user < 2; user++) {
		int64_t n = (int64_t)(s->budget[user] - c->start[user]) - c->debt[user];

		c->start[user] = s->budget[user];
		c->debt[user] = 0;
		if (n < 0) {
			c->debt[user] = -n;
			continue;
		}
		glue_timing_retire(vcpu, user, (uint64_t)n);
		vp_pmu_retire(glue.pmu, vcpu, user, (uint64_t)n, ip);
	}
}

/* The same up to and including this instruction. Its block continues. */
void glue_count_sync_at(unsigned int vcpu, const struct glue_insn *insn)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	int64_t rest = insn->tb->counted ? insn->tb->n - (insn->index + 1) : 0;

	glue_timing_sync(vcpu, insn, false, insn->pc);
	c->debt[insn->tb->user] += rest;
	glue_count_sync(vcpu, NULL, insn->pc);
	c->debt[insn->tb->user] -= rest;
}

static void budget_spent(unsigned int vcpu, void *userdata)
{
	const struct glue_tb *tb = userdata;

	glue.cpu[vcpu].at_start = true;
	glue_send_due(vcpu);
	glue.cpu[vcpu].next_ip = tb->pc;
	glue_count_sync(vcpu, NULL, tb->pc);
	glue.cpu[vcpu].at_start = false;
	glue_count_budget(vcpu);
	if (glue.cpu[vcpu].turn_end)
		glue_turn_end();
	glue_adjust();
}

void glue_count_plant(struct qp_tb *tb, struct glue_tb *info)
{
	struct qp_u64 budget = glue_count_entry(offsetof(struct glue_score, budget) +
						info->user * sizeof(uint64_t));
	struct qp_u64 running = glue_count_entry(offsetof(struct glue_score, tb));
	struct qp_u64 clock = glue_count_entry(offsetof(struct glue_score, clock));

	info->counted = true;
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QP_INLINE_STORE_U64, running,
							  (uintptr_t)info);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QP_INLINE_ADD_U64, budget, info->n);
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QP_INLINE_ADD_U64, clock, info->n);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, budget_spent, QP_R_REGS, QP_COND_GE, budget,
						  BUDGET_END, info);
}

void glue_count_discon(unsigned int vcpu, enum qp_discon type, uint64_t from, uint64_t to,
		       void *userdata)
{
	struct glue_score *s = score(vcpu);
	const struct glue_tb *tb = (const struct glue_tb *)(uintptr_t)s->tb;
	uint64_t pc;
	unsigned int i;

	(void)userdata;
	/* An interrupt comes between blocks. */
	if (type == QP_DISCON_INTERRUPT) {
		/* On silicon it is a VM exit before its handler runs. */
		vp_pmu_guest(glue.pmu, vcpu, false, from);
		if (glue.cost_planted)
			glue_cost_interrupt(vcpu, from, to);
		return;
	}
	if (!tb)
		return;
	/* Compare offsets in the page (see true_ip()). A block does not leave its page. */
	for (i = 0, pc = tb->pc; i < tb->n && (pc ^ from) % GLUE_PAGE; i++)
		pc += tb->len[i];
	if (i < tb->n) {
		glue_timing_cut(vcpu, tb, i);
		glue.cpu[vcpu].debt[tb->user] += tb->n - i;
		overcounted(&glue.cpu[vcpu], tb->n - i);
		s->tb = 0;
	}
}

/*
 * All vCPUs are stopped, and all blocks are dropped. The scoreboard may have moved since the last
 * time; it does not move while translated code runs.
 */
void glue_count_forget_blocks(void)
{
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++) {
		if (!glue.cpu[i].alive)
			continue;
		score(i)->tb = 0;
		glue.cpu[i].score = score(i);
	}
}

/* Any thread. A block counts when it starts, and what a fault cuts off is not subtracted. */
uint64_t glue_count_clock(unsigned int vcpu)
{
	const struct glue_score *s = glue.cpu[vcpu].score;

	return s ? __atomic_load_n(&s->clock, __ATOMIC_RELAXED) : 0;
}

/*
 * Any thread. This is exact between blocks, and at the start of a block before it is counted.
 * Within a block, all of its instructions are included.
 */
uint64_t glue_count_exact(unsigned int vcpu)
{
	return glue_count_clock(vcpu) -
	       __atomic_load_n(&glue.cpu[vcpu].overcount, __ATOMIC_RELAXED);
}

/* The sum over all vCPUs. It does not change while nothing is watched. */
uint64_t glue_count_all(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++)
		sum += glue_count_exact(i);
	return sum;
}
