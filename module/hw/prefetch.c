// SPDX-License-Identifier: GPL-2.0
/*
 * MISC_FEATURE_CONTROL, whose bits turn hardware prefetchers off: "Disclosure of
 * Hardware Prefetcher Control on Some Intel Processors" (Intel, 2014), for Nehalem
 * to Broadwell, and SDM vol. 4, tables of MSRs of these. A core has one; its threads
 * share it.
 */
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <uapi/linux/memlat.h>

#include "../core/prefetch.h"
#include "cpu.h"
#include "hw.h"
#include "msr.h"
#include "pmu.h"
#include "prefetch.h"

/**
 * memlat_hw_prefetch_known - prefetchers that can be turned off
 * @cpu: any possible; one that was never online can do nothing
 *
 * Return: MEMLAT_PREFETCH_*
 */
u32 memlat_hw_prefetch_known(int cpu)
{
	const struct memlat_core *core = READ_ONCE(per_cpu(memlat_cpu, cpu).core);

	return core ? core->model->prefetch : 0;
}

/**
 * memlat_hw_prefetch_comes - a CPU comes online: can its prefetchers be turned off?
 *
 * On the CPU itself; it may never have been online until now.
 */
bool memlat_hw_prefetch_comes(void)
{
	return memlat_pmu_cpu_comes() && memlat_hw_prefetch_known(smp_processor_id());
}

/**
 * memlat_hw_prefetch_read - which prefetchers of this CPU's core are off
 * @off: set to MEMLAT_PREFETCH_*, those that this CPU knows
 *
 * Return: 0; -EIO, the register can't be read.
 */
int memlat_hw_prefetch_read(u32 *off)
{
	u64 value;

	if (rdmsrq_safe(MEMLAT_MSR_PREFETCH, &value))
		return -EIO;
	*off = value & memlat_hw_prefetch_known(smp_processor_id());
	return 0;
}

/**
 * memlat_hw_prefetch_change - turn prefetchers of this CPU's core off, or put them back
 * @want: MEMLAT_PREFETCH_* that are to be off; none that is not known
 * @held: what memlat has turned off; becomes what it has then
 * @lost: set to what of that someone else had turned on again
 *
 * Return: 0; -EIO, the register did not take it: @held is as it was.
 */
int memlat_hw_prefetch_change(u8 want, u8 *held, u8 *lost)
{
	u64 found, value, got;
	u8 own = *held;

	if (rdmsrq_safe(MEMLAT_MSR_PREFETCH, &found))
		return -EIO;
	value = memlat_prefetch_apply(found, want, &own, lost);
	if (value != found) {
		/* Hypervisors are known that swallow what they do not know. */
		if (wrmsrq_safe(MEMLAT_MSR_PREFETCH, value) ||
		    rdmsrq_safe(MEMLAT_MSR_PREFETCH, &got) || got != value)
			return -EIO;
	}
	*held = own;
	return 0;
}
