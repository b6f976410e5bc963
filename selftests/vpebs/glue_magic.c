// SPDX-License-Identifier: GPL-2.0
/* A guest's calls to the emulator (magic.h). */
#include <stdlib.h>

#include "cpuid.h"
#include "glue.h"
#include "magic.h"

/* No caller needs a larger buffer. The guest sets RDX, so it may have any value. */
#define TRUTH_MAX	(1ull << 30)

/* Write the truth to the guest's buffer. Returns its full length. */
static uint32_t send_truth(unsigned int vcpu, enum vp_call call)
{
	const uint64_t addr = glue_get(vcpu, R_RBX), size = glue_get(vcpu, R_RDX);
	const uint64_t start = glue_get(vcpu, R_RSI), bytes = glue_get(vcpu, R_RDI);
	const size_t piece = 4096;
	size_t need, at;
	char *json;

	if (size > TRUTH_MAX)
		return 0;
	json = malloc(size + 1);
	if (!json)
		return 0;
	glue_cost_report();
	if (call == VP_CALL_LINES)
		need = vp_truth_json_lines(glue.truth, start, bytes, json, size + 1);
	else if (call == VP_CALL_SUM)
		need = vp_truth_json_sum(glue.truth, start, bytes, json, size + 1);
	else
		need = vp_truth_json(glue.truth, json, size + 1);
	for (at = 0; need <= size && at < need; at += piece)
		if (!glue_write_guest(vcpu, addr + at, json + at, MIN(piece, need - at)))
			need = 0;
	free(json);
	return (uint32_t)need;
}

static uint32_t send_identity(unsigned int vcpu)
{
	const uint64_t addr = glue_get(vcpu, R_RBX), size = glue_get(vcpu, R_RDX);
	char text[1024];
	size_t need = vp_identity(glue.model, glue.topology.cpus, text, sizeof(text));

	need = MIN(need, sizeof(text) - 1);
	if (need <= size && !glue_write_guest(vcpu, addr, text, need))
		return 0;
	return (uint32_t)need;
}

static void open_bracket(int level)
{
	__atomic_store_n(&glue.bracket, level, __ATOMIC_RELAXED);
	glue_adjust();
}

/* A call about CPU RBX. */
static uint32_t about_cpu(unsigned int vcpu, enum vp_call call, uint32_t *ebx)
{
	const uint64_t to = glue_get(vcpu, R_RBX), n = glue_get(vcpu, R_RDX);

	*ebx = glue.topology.cpus;
	if (to >= glue.topology.cpus || !glue.cpu[to].alive)
		return VP_MAGIC_BAD;
	if (call == VP_CALL_NMI) {
		if (!glue_send_nmi(vcpu, (unsigned int)to))
			return VP_MAGIC_BAD;
		/* Another CPU may take another interrupt first. */
		if (to == vcpu)
			glue.cpu[vcpu].nmi_sent = glue.cost_planted;
		return 0;
	}
	if (call == VP_CALL_HOLD)
		vp_pmu_hold(glue.pmu, (unsigned int)to, n);
	else
		vp_pmu_late(glue.pmu, (unsigned int)to, n);
	return 0;
}

static void pretend_vmxe(bool on, uint64_t grace)
{
	vp_pmu_vmxe(glue.pmu, on, grace);
	__atomic_store_n(&glue.vmxe, on, __ATOMIC_RELAXED);
}

uint32_t glue_magic(unsigned int vcpu, uint64_t pc, uint32_t *ebx)
{
	const uint64_t rbx = glue_get(vcpu, R_RBX);

	switch (glue_get(vcpu, R_RCX)) {
	case VP_CALL_IDENTIFY:
		*ebx = VP_MAGIC_VERSION;
		return VP_MAGIC_ANSWER;
	case VP_CALL_BEGIN:
		open_bracket(rbx == VP_BEGIN_TIME ? VP_WATCH_TIME : VP_WATCH_MEMORY);
		glue_lives_end();
		vp_truth_lives(glue.truth, NULL);
		vp_truth_begin(glue.truth);
		if (rbx != VP_BEGIN_LINES)
			vp_truth_sums(glue.truth);
		if (rbx == VP_BEGIN_LIVES && !glue_lives_begin())
			return VP_MAGIC_BAD;
		glue_cost_begin();
		return 0;
	case VP_CALL_END:
		glue_lives_end();
		glue_cost_end();
		vp_truth_end(glue.truth);
		open_bracket(VP_WATCH_NOTHING);
		return 0;
	case VP_CALL_TRUTH:
	case VP_CALL_LINES:
	case VP_CALL_SUM:
		return send_truth(vcpu, glue_get(vcpu, R_RCX));
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
	case VP_CALL_NMI:
	case VP_CALL_HOLD:
	case VP_CALL_LATE:
		return about_cpu(vcpu, glue_get(vcpu, R_RCX), ebx);
	case VP_CALL_VMXE:
		pretend_vmxe(rbx, glue_get(vcpu, R_RDX));
		return 0;
	case VP_CALL_GUEST:
		vp_pmu_guest(glue.pmu, vcpu, rbx, pc);
		return 0;
	case VP_CALL_OWNER:
		glue_cost_owner(rbx, glue_get(vcpu, R_RDX));
		return 0;
	case VP_CALL_QUALIFY:
		vp_truth_qualify(glue.truth, (uint32_t)MIN(rbx, UINT16_MAX));
		return 0;
	case VP_CALL_SWEEP:
		vp_pmu_sweep(glue.pmu, rbx);
		return 0;
	case VP_CALL_MACHINE:
		return send_identity(vcpu);
	case VP_CALL_OVER:
		glue_over();
		return 0;
	}
	return 0;
}
