// SPDX-License-Identifier: GPL-2.0
/*
 * MISC_FEATURE_CONTROL, whose bits turn hardware prefetchers off. cpu_model.c says which bits, and
 * where that is documented. The threads of a core share the register.
 *
 * Intel says of E-cores both that each has L1 prefetchers which "can be individually
 * enabled/disabled", and that the registers "are shared within a module", which is the cores that
 * share an L2 ("Hardware Prefetch Tuning for E-Cores", sections 1.1 and 4). So each core is written
 * as if it had its own register, and all cores of a module have the same prefetchers off. That is
 * right in both cases.
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/processor.h>
#include <uapi/linux/memlat.h>

#include "../core/prefetch.h"
#include "hw.h"

#define CACHE_TYPE(eax)		((eax) & 0x1f)		/* CPUID.04H; 0: no more */
#define CACHE_LEVEL(eax)	((eax) >> 5 & 0x7)
#define CACHE_IDS(eax)		(((eax) >> 14 & 0xfff) + 1)	/* x2APIC IDs that share it */
#define CACHES_MAX		16	/* more than any CPU has; a hypervisor's list may not end */

/* For E-cores, the number of the CPU's module, plus 1; 0: no module, or never online until now. */
static DEFINE_PER_CPU(u32, prefetch_module);

/**
 * memlat_hw_prefetch_identify - identify the module that this CPU belongs to
 * @info: not used
 *
 * Runs on the CPU itself, at load time and when it goes online.
 */
void memlat_hw_prefetch_identify(void *info)
{
	const struct memlat_core *core = this_cpu_read(memlat_cpu->core);
	u32 eax, ebx, ecx, edx, i;

	if (!core || !(core->model->quirks & MEMLAT_QUIRK_MODULE))
		return;
	for (i = 0; i < CACHES_MAX; i++) {
		cpuid_count(4, i, &eax, &ebx, &ecx, &edx);
		if (!CACHE_TYPE(eax))
			return;
		if (CACHE_LEVEL(eax) == 2)
			break;
	}
	if (i == CACHES_MAX)
		return;
	i = order_base_2(CACHE_IDS(eax));
	cpuid_count(0xb, 0, &eax, &ebx, &ecx, &edx);
	this_cpu_write(prefetch_module, (edx >> i) + 1);
}

/**
 * memlat_hw_prefetch_share - check whether two CPUs of different cores may share a register
 * @a: any possible CPU
 * @b: any possible CPU; if it is @a: check whether @a belongs to a module
 */
bool memlat_hw_prefetch_share(int a, int b)
{
	return per_cpu(prefetch_module, a) &&
	       per_cpu(prefetch_module, a) == per_cpu(prefetch_module, b);
}

/**
 * memlat_hw_prefetch_known - prefetchers of a CPU that can be turned off
 * @cpu: any possible CPU
 *
 * Return: MEMLAT_PREFETCH_*; 0 if the CPU was never online.
 */
u32 memlat_hw_prefetch_known(int cpu)
{
	const struct memlat_core *core = READ_ONCE(per_cpu_ptr(memlat_cpu, cpu)->core);

	return core ? core->model->prefetch : 0;
}

/**
 * memlat_hw_prefetch_cpu_online - check whether the prefetchers of a CPU that goes online can be
 *	turned off
 *
 * Runs on the CPU itself, which may be online for the first time.
 */
bool memlat_hw_prefetch_cpu_online(void)
{
	if (!memlat_cores_cpu_online())
		return false;
	memlat_hw_prefetch_identify(NULL);
	return memlat_hw_prefetch_known(smp_processor_id());
}

/**
 * memlat_hw_prefetch_read - which prefetchers of this CPU's core are off
 * @off: set to MEMLAT_PREFETCH_*, of the prefetchers that are known for this CPU
 *
 * Return: 0; -EIO if the register cannot be read.
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
 * @want: MEMLAT_PREFETCH_* that are to be off; only known ones
 * @held: those that memlat has turned off; updated
 * @lost: set to those of @held that someone else had turned on again
 *
 * Return: 0; -EIO if the register does not keep what is written. Then it has its old value, and
 * @held is unchanged.
 */
int memlat_hw_prefetch_change(u8 want, u8 *held, u8 *lost)
{
	u64 found, value, got;
	u8 own = *held;

	if (rdmsrq_safe(MEMLAT_MSR_PREFETCH, &found))
		return -EIO;
	value = memlat_prefetch_apply(found, want, &own, lost);
	if (value != found) {
		/* Read it back: some hypervisors drop writes of bits that they do not know. */
		if (wrmsrq_safe(MEMLAT_MSR_PREFETCH, value) ||
		    rdmsrq_safe(MEMLAT_MSR_PREFETCH, &got) || got != value) {
			/* They keep the other bits, which are not in @held. */
			wrmsrq_safe(MEMLAT_MSR_PREFETCH, found);
			return -EIO;
		}
	}
	*held = own;
	return 0;
}
