// SPDX-License-Identifier: GPL-2.0
/*
 * The events for the model of a module's cost (cost.h). They only come from kernel code, and are
 * only planted while an owner is set.
 *
 * After a PMI or an NMI was sent to a CPU, its next interrupt is most likely that one. It shows
 * the address of the kernel's NMI entry, by which NMIs from elsewhere are recognized.
 */
#include "glue.h"

struct iret_frame {
	uint64_t ip, cs, flags, rsp, ss;
};

static void set_watch(unsigned int vcpu)
{
	struct glue_score *s = qemu_plugin_scoreboard_find(glue.score, vcpu);

	s->watch = vp_cost_watch(glue.cost, vcpu);
}

bool glue_cost_on(void)
{
	return __atomic_load_n(&glue.owner_end, __ATOMIC_ACQUIRE);
}

void glue_cost_owner(uint64_t start, uint64_t end)
{
	__atomic_store_n(&glue.owner_start, start, __ATOMIC_RELAXED);
	__atomic_store_n(&glue.owner_end, end, __ATOMIC_RELEASE);
	glue_replant();
}

/* All vCPUs are stopped. Events were missed before, so nothing that had begun can be continued. */
void glue_cost_planted(bool planted)
{
	unsigned int i;

	if (planted && !glue.cost_planted) {
		vp_cost_forget(glue.cost);
		glue.nmi_entry = 0;
		for (i = 0; i < glue.topology.cpus; i++) {
			glue.cpu[i].pmi_sent = glue.cpu[i].nmi_sent = false;
			if (glue.cpu[i].alive)
				set_watch(i);
		}
	}
	glue.cost_planted = planted;
}

void glue_cost_begin(void)
{
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++)
		vp_cost_begin(glue.cost, i, glue_count_exact(i));
}

void glue_cost_end(void)
{
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++)
		vp_cost_end(glue.cost, i, glue_count_exact(i));
}

/* Set the figures for the next JSON. */
void glue_cost_report(void)
{
	struct vp_cost_figures row[VP_MAX_CPUS];
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++)
		vp_cost_read(glue.cost, i, glue_count_exact(i), &row[i]);
	vp_truth_cost(glue.truth, glue_cost_on() ? row : NULL, vp_cost_lost(glue.cost));
}

/* Read the interrupt frame from the stack, just pushed or about to be popped. */
static bool frame(unsigned int vcpu, struct iret_frame *f)
{
	return glue_read_guest(vcpu, glue_get(vcpu, R_RSP), f, sizeof(*f));
}

/*
 * An NMI was sent. Is this the kernel's NMI entry? Another interrupt may be delivered first, so an
 * address is only trusted when two interrupts in a row had it. It is forgotten when a new
 * measurement begins, because another kernel may run then.
 */
static bool is_nmi(uint64_t to)
{
	static bool sure;

	if (to == glue.nmi_entry) {
		sure = true;
		return true;
	}
	if (sure && glue.nmi_entry)
		return false;
	sure = false;
	__atomic_store_n(&glue.nmi_entry, to, __ATOMIC_RELAXED);
	return true;
}

void glue_cost_interrupt(unsigned int vcpu, uint64_t from, uint64_t to)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	enum vp_cost_interrupt kind = VP_COST_IRQ;
	struct iret_frame f;

	if ((c->pmi_sent || c->nmi_sent) && is_nmi(to)) {
		kind = c->pmi_sent ? VP_COST_PMI : VP_COST_NMI;
		c->pmi_sent = c->nmi_sent = false;
	} else if (to == __atomic_load_n(&glue.nmi_entry, __ATOMIC_RELAXED)) {
		kind = VP_COST_NMI;
	}
	if (kind == VP_COST_IRQ && vp_cost_watch(glue.cost, vcpu) != VP_COST_OUTSIDE)
		return;
	if (!frame(vcpu, &f)) {
		vp_truth_violation(glue.truth, vcpu, from, "emulator",
				   "interrupt to 0x%llx without a stack", (unsigned long long)to);
		return;
	}
	vp_cost_interrupt(glue.cost, vcpu, glue_count_exact(vcpu), kind, f.ip, f.rsp);
	set_watch(vcpu);
}

static void iret(unsigned int vcpu, void *userdata)
{
	struct iret_frame f;

	(void)userdata;
	/* An IRET is the last instruction of its block, so the whole block has been executed. */
	if (!frame(vcpu, &f))
		return;
	vp_cost_iret(glue.cost, vcpu, glue_count_exact(vcpu), f.ip, f.rsp, f.cs & 3);
	set_watch(vcpu);
}

/* RSP was loaded by the instruction before this one. */
static void pivot(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;

	vp_cost_stack(glue.cost, vcpu, glue_count_exact(vcpu) - (insn->tb->n - insn->index),
		      glue_get(vcpu, R_RSP));
	set_watch(vcpu);
}

static void text(unsigned int vcpu, void *userdata)
{
	(void)userdata;
	vp_cost_text(glue.cost, vcpu, glue_count_exact(vcpu), glue_get(vcpu, R_RSP));
	set_watch(vcpu);
}

static void outside(unsigned int vcpu, void *userdata)
{
	const struct glue_tb *tb = userdata;

	if (vp_cost_outside(glue.cost, vcpu, glue_count_exact(vcpu), glue_get(vcpu, R_RSP)) &&
	    !glue.cpu[vcpu].pmi_sent && (uint32_t)glue_get(vcpu, R_RAX))
		vp_truth_violation(glue.truth, vcpu, tb->pc, "nmi-claimed",
				   "the module's NMI handler claimed an NMI that was no PMI");
	set_watch(vcpu);
}

void glue_cost_plant(struct qp_tb *tb, struct glue_tb *info)
{
	struct qp_u64 watch = glue_count_entry(offsetof(struct glue_score, watch));
	bool inside = info->pc >= glue.owner_start && info->pc < glue.owner_end;

	if (inside)
		qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, text, QP_R_REGS, QP_COND_EQ, watch,
							  VP_COST_TEXT, info);
	else
		qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, outside, QP_R_REGS, QP_COND_EQ,
							  watch, VP_COST_OUTSIDE, info);
}

void glue_cost_plant_insn(struct qp_insn *insn, struct glue_insn *info, bool is_iret)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, is_iret ? iret : pivot, QP_R_REGS, info);
}
