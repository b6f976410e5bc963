// SPDX-License-Identifier: GPL-2.0
/* Instructions whose results come from here instead of from QEMU. */
#include "cpuid.h"
#include "glue.h"
#include "magic.h"

#define CR4_PCE		(1u << 8)
#define CR4_VMXE	(1u << 13)

static bool privileged(unsigned int vcpu)
{
	return !(glue_get(vcpu, R_CS) & 3);
}

static void answer(unsigned int vcpu, uint64_t value)
{
	glue_set(vcpu, R_RAX, (uint32_t)value);
	glue_set(vcpu, R_RDX, value >> 32);
}

/*
 * There are two ways to change the result of an instruction. One is to let QEMU execute it, which
 * does not know the PMU's registers (reads give 0, writes do nothing), and to correct the result
 * in glue_behind. The other is to skip it. This is worse, because QEMU then loses arithmetic flags
 * that it has not computed yet, and an interrupt right after would save and restore wrong flags
 * (TF was seen). So glue_turn_settle() makes QEMU compute them.
 */
static void skip_begin(unsigned int vcpu, const struct glue_insn *insn, const void *from)
{
	glue.cpu[vcpu].skips = true;
	glue_turn_settle(from);
	glue_count_sync(vcpu, insn, insn->pc);
}

/* Does not return. */
static void skip_end(unsigned int vcpu, const struct glue_insn *insn)
{
	/*
	 * QEMU uses one translation for all processes that have mapped the page, and insn has the
	 * addresses of the process for which it was made. RIP is in the block, which is smaller
	 * than a page.
	 */
	const uint64_t moved = (glue_get(vcpu, R_RIP) - insn->tb->pc) / GLUE_PAGE * GLUE_PAGE;

	glue.cpu[vcpu].skips = false;
	glue_count_budget(vcpu);
	qemu_plugin_set_pc(insn->next + moved);
}

/* Note what to correct after the current instruction. */
static struct glue_mend *mend(unsigned int vcpu, uint64_t next, enum glue_mend_kind kind)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	struct glue_mend *m = c->mend, *last = m + GLUE_MENDS - 1;

	while (m < last && m->kind != MEND_NOTHING)
		m++;
	c->mends += m->kind == MEND_NOTHING;
	*m = (struct glue_mend) {
		.kind = kind, .behind = next % GLUE_PAGE, .rsp = glue_get(vcpu, R_RSP),
	};
	return m;
}

void glue_rdmsr(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;
	/* The next instruction is in another block, and an NMI can come before it. */
	const bool last = insn->index + 1 == insn->tb->n;
	uint32_t msr = (uint32_t)glue_get(vcpu, R_RCX);
	bool ours = vp_pmu_owns(glue.pmu, vcpu, msr);
	uint64_t value;

	if (!privileged(vcpu))
		return;
	glue_apic_rdmsr(vcpu, msr);
	if (!ours && !vp_sysmsr(glue.model, msr, &value)) {
		if (msr == VP_MSR_MISC_ENABLE)
			mend(vcpu, insn->next, MEND_MISC_ENABLE);
		return;
	}
	if (last)
		skip_begin(vcpu, insn, __builtin_return_address(0));
	else
		glue_count_sync_at(vcpu, insn);
	if (ours)
		value = vp_pmu_rdmsr(glue.pmu, vcpu, msr, insn->pc);
	if (last) {
		answer(vcpu, value);
		skip_end(vcpu, insn);
	}
	mend(vcpu, insn->next, MEND_MSR)->value = value;
	glue_count_budget(vcpu);
}

/* A core has one MISC_FEATURE_CONTROL: all threads see what one of them has written. */
static void share_prefetch(unsigned int vcpu, uint64_t value)
{
	unsigned int first = vcpu - vcpu % glue.threads, i;

	for (i = first; i < first + glue.threads && i < glue.topology.cpus; i++) {
		vp_pmu_set_prefetch(glue.pmu, i, value);
		vp_cache_prefetch_off(glue.cache, i, (unsigned int)value);
	}
}

void glue_wrmsr(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;
	uint32_t msr = (uint32_t)glue_get(vcpu, R_RCX);
	uint64_t value;

	if (!privileged(vcpu))
		return;
	value = (uint32_t)glue_get(vcpu, R_RAX) | glue_get(vcpu, R_RDX) << 32;
	/* QEMU would write the value only after a PMI that this may let through has masked LVTPC. */
	if (glue_apic_is_lvtpc(vcpu, msr)) {
		skip_begin(vcpu, insn, __builtin_return_address(0));
		glue_apic_wrmsr(vcpu, msr, value, insn->pc);
		skip_end(vcpu, insn);
	}
	glue_apic_wrmsr(vcpu, msr, value, insn->pc);
	if (!vp_pmu_owns(glue.pmu, vcpu, msr))
		return;
	glue_count_sync_at(vcpu, insn);
	vp_pmu_wrmsr(glue.pmu, vcpu, msr, value, insn->pc);
	if (msr == VP_MSR_PREFETCH && glue_core(vcpu)->prefetch)
		share_prefetch(vcpu, vp_pmu_rdmsr(glue.pmu, vcpu, msr, insn->pc));
	glue_count_budget(vcpu);
	glue_adjust();
}

static const enum glue_reg by_number[16] = {
	R_RAX, R_RCX, R_RDX, R_RBX, R_RSP, R_RBP, R_RSI, R_RDI,
	R_R8, R_R9, R_R10, R_R11, R_R12, R_R13, R_R14, R_R15,
};

/* Show VMXE in CR4 as requested by VP_CALL_VMXE. */
void glue_read_cr4(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;

	if (!__atomic_load_n(&glue.vmxe, __ATOMIC_RELAXED) || !privileged(vcpu))
		return;
	mend(vcpu, insn->next, MEND_CR4)->reg = insn->reg;
}

/*
 * A CPU that comes online, or returns from a suspend, writes back what it has read. QEMU has no VMX
 * and does not raise an exception for that bit: it leaves a guest of SVM, though it is in none, and
 * does so for ever.
 */
void glue_write_cr4(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;
	const uint64_t value = glue_get(vcpu, by_number[insn->reg]);

	if (privileged(vcpu) && value & CR4_VMXE)
		glue_set(vcpu, by_number[insn->reg], value & ~(uint64_t)CR4_VMXE);
}

/* QEMU does not have RDPMC. */
void glue_rdpmc(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;

	if (!privileged(vcpu) && !(glue_get(vcpu, R_CR4) & CR4_PCE))
		return;
	skip_begin(vcpu, insn, __builtin_return_address(0));
	answer(vcpu, vp_pmu_rdpmc(glue.pmu, vcpu, (uint32_t)glue_get(vcpu, R_RCX), insn->pc));
	skip_end(vcpu, insn);
}

static void cpuid_result(unsigned int vcpu, const struct vp_cpuid *r)
{
	glue_set(vcpu, R_RAX, r->eax);
	glue_set(vcpu, R_RBX, r->ebx);
	glue_set(vcpu, R_RCX, r->ecx);
	glue_set(vcpu, R_RDX, r->edx);
}

static void mend_cpuid(unsigned int vcpu, const struct glue_mend *m)
{
	struct vp_cpuid r = {
		.eax = (uint32_t)glue_get(vcpu, R_RAX), .ebx = (uint32_t)glue_get(vcpu, R_RBX),
		.ecx = (uint32_t)glue_get(vcpu, R_RCX), .edx = (uint32_t)glue_get(vcpu, R_RDX),
	};

	if (!m->leaf)
		__atomic_store_n(&glue.cpuid_level, r.eax, __ATOMIC_RELAXED);
	vp_cpuid_mend(glue.model, glue_core(vcpu), m->leaf, m->subleaf, &r);
	cpuid_result(vcpu, &r);
}

void glue_cpuid(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;
	const uint32_t level = __atomic_load_n(&glue.cpuid_level, __ATOMIC_RELAXED);
	const uint32_t leaf = (uint32_t)glue_get(vcpu, R_RAX);
	const uint32_t subleaf = (uint32_t)glue_get(vcpu, R_RCX);
	struct glue_mend *m;
	uint32_t eax, ebx = 0;

	if (leaf == 1)
		glue_learn_apic(vcpu);
	if (leaf != VP_MAGIC_LEAF) {
		if (vp_cpuid_ours(glue.model, level, leaf, subleaf)) {
			m = mend(vcpu, insn->next, MEND_CPUID);
			m->leaf = leaf;
			m->subleaf = subleaf;
		}
		return;
	}
	glue_count_sync_at(vcpu, insn);
	eax = glue_magic(vcpu, insn->pc, &ebx);
	m = mend(vcpu, insn->next, MEND_MAGIC);
	m->eax = eax;
	m->ebx = ebx;
	glue_count_budget(vcpu);
}

void glue_rdtsc(unsigned int vcpu, void *behind)
{
	mend(vcpu, (uintptr_t)behind, MEND_TSC);
}

static void mend_cr4(unsigned int vcpu, uint8_t reg)
{
	glue_set(vcpu, by_number[reg], glue_get(vcpu, by_number[reg]) | CR4_VMXE);
}

/*
 * Show fast string operations as switched off, which firmware may do (SDM vol. 4,
 * IA32_MISC_ENABLE[0]). With -icount, QEMU leaves its translated code after each item of a string
 * instruction, so a kernel runs faster without them.
 */
static void mend_misc_enable(unsigned int vcpu)
{
	uint64_t value = glue_get(vcpu, R_RAX) & ~(uint64_t)VP_MISC_FAST_STRINGS;

	if (glue.model->misc_pebs_off)
		value |= VP_MISC_PEBS_OFF;
	glue_set(vcpu, R_RAX, value);
}

static void mend_now(unsigned int vcpu, const struct glue_mend *m)
{
	const struct vp_cpuid magic = { .eax = m->eax, .ebx = m->ebx };

	switch (m->kind) {
	case MEND_NOTHING:
		break;
	case MEND_CPUID:
		mend_cpuid(vcpu, m);
		break;
	case MEND_MAGIC:
		cpuid_result(vcpu, &magic);
		break;
	case MEND_MSR:
		answer(vcpu, m->value);
		break;
	case MEND_MISC_ENABLE:
		mend_misc_enable(vcpu);
		break;
	case MEND_CR4:
		mend_cr4(vcpu, m->reg);
		break;
	case MEND_TSC:
		glue_learn_tsc((uint32_t)glue_get(vcpu, R_RAX) | glue_get(vcpu, R_RDX) << 32);
		break;
	}
}

/*
 * This instruction may follow one whose result has to be corrected, or an RDTSC. Or it was reached
 * by a jump, belongs to an interrupt between the two, or is another program's at the same offset in
 * a page. These have another stack pointer.
 */
void glue_behind(unsigned int vcpu, void *here)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	struct glue_mend *m;

	if (!c->mends)
		return;
	for (m = c->mend; m < c->mend + GLUE_MENDS; m++)
		if (m->kind != MEND_NOTHING && m->behind == (uintptr_t)here &&
		    m->rsp == glue_get(vcpu, R_RSP))
			break;
	if (m == c->mend + GLUE_MENDS)
		return;
	mend_now(vcpu, m);
	m->kind = MEND_NOTHING;
	c->mends--;
}

/*
 * The CPU goes to sleep. Until it wakes up, reads of its LVTPC give the present value. (QEMU's own
 * callback for this cannot be used: it may run while another vCPU replaces all callbacks.)
 */
void glue_hlt(unsigned int vcpu, void *unused)
{
	(void)unused;
	vp_pmu_saw_lvtpc(glue.pmu, vcpu, glue_lvtpc(vcpu));
}
