// SPDX-License-Identifier: GPL-2.0
/* PMIs and records that come late. */
#include "pmu_internal.h"

static void ask(struct vp_delay *delay, uint64_t instructions)
{
	__atomic_store_n(&delay->left, instructions, __ATOMIC_RELAXED);
	__atomic_store_n(&delay->state, VP_DELAY_ASKED, __ATOMIC_RELEASE);
}

void vp_pmu_hold(struct vp_pmu *pmu, unsigned int cpu, uint64_t instructions)
{
	ask(&pmu->cpu[cpu].hold, instructions);
}

void vp_pmu_late(struct vp_pmu *pmu, unsigned int cpu, uint64_t instructions)
{
	ask(&pmu->cpu[cpu].late, instructions);
}

bool vp_delay_catch(struct vp_delay *delay)
{
	enum vp_delay_state state = __atomic_load_n(&delay->state, __ATOMIC_ACQUIRE);

	if (state == VP_DELAY_ASKED)
		delay->state = VP_DELAY_HELD;
	return state != VP_DELAY_NONE;
}

void vp_delay_pebs_off(struct vp_pmu_cpu *c)
{
	if (c->hold.state == VP_DELAY_HELD)
		c->hold.state = VP_DELAY_RUNNING;
	if (c->late.state == VP_DELAY_HELD)
		c->late.state = VP_DELAY_RUNNING;
}

bool vp_delay_step(struct vp_delay *delay, uint64_t n)
{
	if (delay->state != VP_DELAY_RUNNING)
		return false;
	if (n < delay->left) {
		delay->left -= n;
		return false;
	}
	delay->state = VP_DELAY_NONE;
	return true;
}
