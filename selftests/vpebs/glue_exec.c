// SPDX-License-Identifier: GPL-2.0
/* Instructions that are answered here instead of by QEMU. */
#include <stdio.h>
#include <stdlib.h>

#include "glue.h"
#include "magic.h"

#define MSR_APIC_BASE	0x1b
#define X2APIC_ON	(1u << 10)
#define CR4_PCE		(1u << 8)

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

/* The truth, into the guest's buffer. Returns the length that it has. */
static uint32_t send_truth(unsigned int vcpu, uint64_t addr, uint64_t size)
{
	const size_t piece = 4096;
	size_t need = vp_truth_json(glue.truth, NULL, 0), at;
	char *json;

	if (need > size)
		return (uint32_t)need;
	/* Other CPUs count on meanwhile, so it may have grown a little. */
	json = malloc(size + 1);
	if (!json)
		return 0;
	need = vp_truth_json(glue.truth, json, size + 1);
	for (at = 0; need <= size && at < need; at += piece)
		if (!glue_write_guest(vcpu, addr + at, json + at, MIN(piece, need - at)))
			need = 0;
	free(json);
	return (uint32_t)need;
}

static void open_bracket(bool open)
{
	__atomic_store_n(&glue.bracket, open, __ATOMIC_RELAXED);
	glue_adjust();
}

static uint32_t magic(unsigned int vcpu, uint64_t pc)
{
	switch (glue_get(vcpu, R_RCX)) {
	case VP_CALL_IDENTIFY:
		return VP_MAGIC_ANSWER;
	case VP_CALL_BEGIN:
		open_bracket(true);
		vp_truth_begin(glue.truth);
		return 0;
	case VP_CALL_END:
		vp_truth_end(glue.truth);
		open_bracket(false);
		return 0;
	case VP_CALL_TRUTH:
		return send_truth(vcpu, glue_get(vcpu, R_RBX), glue_get(vcpu, R_RDX));
	case VP_CALL_PHOTO:
		vp_pmu_saw_lvtpc(glue.pmu, vcpu, glue_lvtpc(vcpu));
		vp_pmu_photo(glue.pmu);
		return 0;
	case VP_CALL_COMPARE:
		vp_pmu_saw_lvtpc(glue.pmu, vcpu, glue_lvtpc(vcpu));
		return vp_pmu_compare(glue.pmu, vcpu, pc);
	case VP_CALL_FORGIVE:
		vp_truth_forgive(glue.truth);
		return 0;
	}
	return 0;
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
		/* QEMU's own answer, mended by glue_behind. */
		glue.cpu[vcpu].patch_cpuid = true;
		return;
	case 0xa:
		glue_count_sync(vcpu, insn, insn->pc);
		cpuid_result(vcpu, VP_CPUID_A_EAX, VP_CPUID_A_EBX, VP_CPUID_A_ECX, VP_CPUID_A_EDX);
		break;
	case VP_MAGIC_LEAF: {
		uint32_t eax;

		glue_count_sync(vcpu, insn, insn->pc);
		eax = magic(vcpu, insn->pc);
		cpuid_result(vcpu, eax, eax == VP_MAGIC_ANSWER ? VP_MAGIC_VERSION : 0, 0, 0);
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
