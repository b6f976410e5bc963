// SPDX-License-Identifier: GPL-2.0
/* Instructions that are answered here instead of by QEMU. */
#include "glue.h"
#include "magic.h"

#define MSR_APIC_BASE	0x1b
#define X2APIC_ON	(1u << 10)
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

/* Skips the instruction. Does not return. */
static void done(const struct glue_insn *insn)
{
	qemu_plugin_set_pc(insn->next);
}

void glue_rdmsr(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;
	uint32_t msr = (uint32_t)glue_get(vcpu, R_RCX);

	if (!vp_pmu_owns(msr) || !privileged(vcpu))
		return;
	glue_count_sync(vcpu, insn, insn->pc);
	answer(vcpu, vp_pmu_rdmsr(glue.pmu, vcpu, msr, insn->pc));
	glue_count_budget(vcpu);
	done(insn);
}

void glue_wrmsr(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;
	uint32_t msr = (uint32_t)glue_get(vcpu, R_RCX);
	uint64_t value;

	if (msr == MSR_APIC_BASE && glue_get(vcpu, R_RAX) & X2APIC_ON)
		vp_truth_violation(glue.truth, vcpu, insn->pc, "not-emulated",
				   "x2APIC mode: PMIs need the APIC's memory page; boot with nox2apic");
	if (!vp_pmu_owns(msr) || !privileged(vcpu))
		return;
	value = (uint32_t)glue_get(vcpu, R_RAX) | glue_get(vcpu, R_RDX) << 32;
	glue_count_sync(vcpu, insn, insn->pc);
	vp_pmu_wrmsr(glue.pmu, vcpu, msr, value, insn->pc);
	glue_count_budget(vcpu);
	glue_adjust();
	done(insn);
}

/* What was asked for by VP_CALL_VMXE. Writes go to QEMU as they are. */
void glue_read_cr4(unsigned int vcpu, void *userdata)
{
	static const enum glue_reg by_number[16] = {
		R_RAX, R_RCX, R_RDX, R_RBX, R_RSP, R_RBP, R_RSI, R_RDI,
		R_R8, R_R9, R_R10, R_R11, R_R12, R_R13, R_R14, R_R15,
	};
	const struct glue_insn *insn = userdata;

	if (!__atomic_load_n(&glue.vmxe, __ATOMIC_RELAXED) || !privileged(vcpu))
		return;
	glue_count_sync(vcpu, insn, insn->pc);
	glue_set(vcpu, by_number[insn->reg], glue_get(vcpu, R_CR4) | CR4_VMXE);
	glue_count_budget(vcpu);
	done(insn);
}

void glue_rdpmc(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;

	if (!privileged(vcpu) && !(glue_get(vcpu, R_CR4) & CR4_PCE))
		return;
	glue_count_sync(vcpu, insn, insn->pc);
	answer(vcpu, vp_pmu_rdpmc(glue.pmu, vcpu, (uint32_t)glue_get(vcpu, R_RCX), insn->pc));
	glue_count_budget(vcpu);
	done(insn);
}

static void cpuid_result(unsigned int vcpu, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	glue_set(vcpu, R_RAX, a);
	glue_set(vcpu, R_RBX, b);
	glue_set(vcpu, R_RCX, c);
	glue_set(vcpu, R_RDX, d);
}

void glue_cpuid(unsigned int vcpu, void *userdata)
{
	const struct glue_insn *insn = userdata;
	uint32_t leaf = (uint32_t)glue_get(vcpu, R_RAX);

	switch (leaf) {
	case 1:
		glue_learn_apic(vcpu);
		/* QEMU's own answer, mended by glue_behind. */
		glue.cpu[vcpu].patch_cpuid = true;
		return;
	case 0xa:
		glue_count_sync(vcpu, insn, insn->pc);
		cpuid_result(vcpu, VP_CPUID_A_EAX, VP_CPUID_A_EBX, VP_CPUID_A_ECX, VP_CPUID_A_EDX);
		break;
	case VP_MAGIC_LEAF: {
		uint32_t ebx = 0, eax;

		glue_count_sync(vcpu, insn, insn->pc);
		eax = glue_magic(vcpu, insn->pc, &ebx);
		cpuid_result(vcpu, eax, ebx, 0, 0);
		break;
	}
	default:
		return;
	}
	glue_count_budget(vcpu);
	done(insn);
}

void glue_rdtsc(unsigned int vcpu, void *unused)
{
	(void)unused;
	glue.cpu[vcpu].learn_tsc = true;
}

/* The instruction behind a CPUID or RDTSC, perhaps reached from elsewhere. */
void glue_behind(unsigned int vcpu, void *unused)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	(void)unused;
	if (c->learn_tsc)
		glue_learn_tsc((uint32_t)glue_get(vcpu, R_RAX) | glue_get(vcpu, R_RDX) << 32);
	c->learn_tsc = false;
	if (!c->patch_cpuid)
		return;
	c->patch_cpuid = false;
	glue_set(vcpu, R_RCX, (uint32_t)glue_get(vcpu, R_RCX) | VP_CPUID_1_ECX);
	glue_set(vcpu, R_RDX, (uint32_t)glue_get(vcpu, R_RDX) | VP_CPUID_1_EDX);
}

/*
 * The CPU goes to sleep. Whoever asks for its LVTPC meanwhile gets what it
 * is now. (QEMU's own callback for this is no good: it may run while
 * another vCPU has all callbacks replaced.)
 */
void glue_hlt(unsigned int vcpu, void *unused)
{
	(void)unused;
	vp_pmu_saw_lvtpc(glue.pmu, vcpu, glue_lvtpc(vcpu));
	glue_pace_idle(vcpu);
}
