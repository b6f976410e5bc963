// SPDX-License-Identifier: GPL-2.0
/* PMIs: send them, hold them while LVTPC is masked, and judge how a handler unmasks it. */
#include <inttypes.h>

#include "pmu_internal.h"

/*
 * What LVTPC has: vector, delivery mode, mask, and the delivery status, which is read-only (SDM vol.
 * 3A, "Local Vector Table"). A WRMSR that sets another bit raises #GP (same volume, "Reserved Bit
 * Checking").
 */
#define LVTPC_BITS	(UINT64_C(0xff) | VP_LVT_MODE | (1u << 12) | VP_LVT_MASKED)

bool vp_pmu_lvtpc_is_valid(struct vp_pmu *pmu, unsigned int cpu, uint64_t value, uint64_t ip)
{
	if (!(value & ~LVTPC_BITS))
		return true;
	vp_pmu_violation(pmu, cpu, ip, "reserved-bits",
			 "LVTPC = 0x%" PRIx64 ", reserved: 0x%" PRIx64, value,
			 value & ~LVTPC_BITS);
	return false;
}

static void freeze(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const bool status = c->core->version >= 4;

	if (!(c->r.debugctl & (VP_DEBUGCTL_FREEZE | VP_DEBUGCTL_FREEZE_LBR)))
		return;
	if (status && c->r.debugctl & VP_DEBUGCTL_FREEZE_LBR)
		vp_set_status(c, VP_STATUS_LBR_FROZEN);
	if (status && c->r.debugctl & VP_DEBUGCTL_FREEZE)
		vp_set_status(c, VP_STATUS_FROZEN);
	else if (c->r.debugctl & VP_DEBUGCTL_FREEZE)
		__atomic_store_n(&c->r.global_ctrl, 0, __ATOMIC_RELAXED);
	vp_pmu_update(pmu, cpu, ip);
}

void vp_pmi(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, uint64_t bits)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint32_t lvt;

	if (vp_delay_catch(&c->hold)) {
		c->hold_bits |= bits;
		return;
	}
	freeze(pmu, cpu, ip);
	lvt = pmu->ops->lvtpc_read(pmu->ctx, cpu);
	vp_pmu_saw_lvtpc(pmu, cpu, lvt);
	if (lvt & VP_LVT_MASKED) {
		c->pmi_bits |= bits;
		if (!c->pmi_held)
			pmu->ops->pmi(pmu->ctx, cpu, false);
		c->pmi_held = true;
		return;
	}
	if ((lvt & VP_LVT_MODE) != VP_LVT_NMI) {
		if (!c->pmi_odd_lvt)
			vp_pmu_violation(pmu, cpu, ip, "lvtpc-mode",
					 "PMI with LVTPC 0x%" PRIx32 ", not an NMI", lvt);
		c->pmi_odd_lvt = true;
		return;
	}
	c->pmi_odd_lvt = false;
	c->pmi_held = false;
	c->pmi_bits = 0;
	pmu->ops->lvtpc_write(pmu->ctx, cpu, lvt | VP_LVT_MASKED);
	vp_pmu_saw_lvtpc(pmu, cpu, lvt | VP_LVT_MASKED);
	c->ack = c->r.global_ctrl ? VP_ACK_DUE : VP_ACK_STOPPED;
	c->pmi_ip = ip;
	pmu->ops->pmi(pmu->ctx, cpu, true);
	pmu->ops->nmi(pmu->ctx, cpu);
}

void vp_pmi_poll(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint32_t lvt;

	c->pmi_bits &= c->r.status;
	if (!c->pmi_bits) {
		c->pmi_held = false;
		return;
	}
	lvt = pmu->ops->lvtpc_read(pmu->ctx, cpu);
	vp_pmu_saw_lvtpc(pmu, cpu, lvt);
	if (lvt & VP_LVT_MASKED)
		return;
	vp_pmi(pmu, cpu, ip, c->pmi_bits);
	/*
	 * LVTPC was most likely unmasked by a handler that has not enabled the counters yet. The
	 * new NMI comes when that handler returns, so LVTPC cannot be unmasked before.
	 */
	if (c->core->ack != VP_ACK_LATE)
		c->ack = VP_ACK_DONE;
}

/*
 * Haswell and later big cores raise a spurious PMI if LVTPC is unmasked before the counters run
 * again (Linux' late_ack). It is not too early if the handler has cleared PEBS_ENABLE, or has
 * written GLOBAL_CTRL twice (off and on). Nor if GLOBAL_CTRL was off already: then the code that
 * cleared it sets it after the handler.
 */
void vp_pmu_saw_lvtpc(struct vp_pmu *pmu, unsigned int cpu, uint32_t value)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];

	__atomic_store_n(&c->r.lvtpc, value, __ATOMIC_RELAXED);
	if (value & VP_LVT_MASKED || c->ack == VP_ACK_DONE)
		return;
	if (c->core->ack == VP_ACK_LATE && c->ack != VP_ACK_WRITTEN &&
	    vp_pmu_pebs_is_on(c))
		c->early_unmask = true;
	c->ack = VP_ACK_DONE;
}

void vp_pmi_report(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	if (!pmu->cpu[cpu].early_unmask)
		return;
	pmu->cpu[cpu].early_unmask = false;
	vp_pmu_violation(pmu, cpu, ip, "early-unmask",
			 "LVTPC unmasked after a PMI at 0x%" PRIx64 " before the second write of GLOBAL_CTRL",
			 pmu->cpu[cpu].pmi_ip);
}

/*
 * On other cores LVTPC has to be unmasked before the counters run again, because a PMI that comes
 * in between would be lost.
 */
void vp_pmi_ctrl_written(struct vp_pmu *pmu, unsigned int cpu, uint64_t was, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];

	if (c->ack == VP_ACK_DONE)
		return;
	if (c->core->ack != VP_ACK_LATE && c->ack != VP_ACK_DUE && !was && c->r.global_ctrl) {
		if (pmu->ops->lvtpc_read(pmu->ctx, cpu) & VP_LVT_MASKED)
			vp_pmu_violation(pmu, cpu, ip, "late-unmask",
					 "the counters run again after a PMI with LVTPC masked");
		c->ack = VP_ACK_DONE;
		return;
	}
	if (c->ack < VP_ACK_WRITTEN)
		c->ack++;
}
