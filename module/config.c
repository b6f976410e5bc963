// SPDX-License-Identifier: GPL-2.0
/*
 * Which configurations are allowed: the ranges that MEMLAT_IOC_QUERY returns, and the check of a
 * configuration against them.
 */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/string.h>
#include <asm/intel_ds.h>

#include "hw/pmu.h"
#include "memlat.h"

/**
 * memlat_config_refuse - refuse a configuration
 * @config: its reason is set
 * @why: MEMLAT_WHY_*
 * @error: a negative errno
 *
 * Return: @error.
 */
int memlat_config_refuse(struct memlat_config *config, u32 why, int error)
{
	config->reason = why;
	return error;
}

static u32 known_flags(void)
{
	u32 flags = MEMLAT_F_ALL;

	if (!memlat_cores_have_stores())
		flags &= ~MEMLAT_F_STORES;
	if (!memlat_cores_have_strides())
		flags &= ~MEMLAT_F_STRIDE;
	return flags;
}

/* Flags that say how to sample; a session that does not sample cannot have them. */
#define OF_SAMPLES	(MEMLAT_F_CALL_GRAPH | MEMLAT_F_PHYS | MEMLAT_F_STRIDE)
/* A burst has only loads, and its PMI belongs to no single record. */
#define NOT_IN_BURSTS	(MEMLAT_F_STORES | MEMLAT_F_CALL_GRAPH | MEMLAT_F_COUNT)

/**
 * memlat_config_only_counts - check whether a session counts events and samples nothing
 * @config: its configuration
 */
bool memlat_config_only_counts(const struct memlat_config *config)
{
	return (config->flags & (MEMLAT_F_COUNT | MEMLAT_F_LOADS | MEMLAT_F_STORES)) ==
	       MEMLAT_F_COUNT;
}

static bool flags_fit(const struct memlat_config *config)
{
	const u32 flags = config->flags, of_pid = flags & (MEMLAT_F_THREAD | MEMLAT_F_CHILDREN);

	return !(flags & ~MEMLAT_F_ALL) && (flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)) &&
	       of_pid != (MEMLAT_F_THREAD | MEMLAT_F_CHILDREN) && (!of_pid || config->pid) &&
	       !(memlat_config_only_counts(config) && (flags & OF_SAMPLES)) &&
	       !((flags & MEMLAT_F_STRIDE) && (flags & NOT_IN_BURSTS));
}

static bool period_fits(u64 period, unsigned int kind)
{
	return period >= memlat_cores_period_floor(kind) && period <= memlat_cores_period_max();
}

static int check_stores(struct memlat_config *config)
{
	if (!(config->flags & MEMLAT_F_STORES))
		return config->store_period ?
		       memlat_config_refuse(config, MEMLAT_WHY_STORE_PERIOD, -EINVAL) : 0;
	if (!memlat_cores_have_stores())
		return memlat_config_refuse(config, MEMLAT_WHY_STORES, -EOPNOTSUPP);
	if (!config->store_period)
		config->store_period = MEMLAT_STORE_PERIOD_DEFAULT;
	if (!period_fits(config->store_period, MEMLAT_KIND_STORES))
		return memlat_config_refuse(config, MEMLAT_WHY_STORE_PERIOD, -EINVAL);
	return 0;
}

static int check_memory(struct memlat_config *config)
{
	if (!config->max_memory)
		config->max_memory = min(MEMLAT_MEMORY_DEFAULT, memlat_store_memory_max());
	if (config->max_memory < MEMLAT_MEMORY_MIN ||
	    config->max_memory > memlat_store_memory_max())
		return memlat_config_refuse(config, MEMLAT_WHY_MEMORY, -EINVAL);
	return 0;
}

/* Counting has no use for these members: accept only 0 and the defaults, and clear them. */
static int check_counts(struct memlat_config *config)
{
	if (config->ldlat && config->ldlat != MEMLAT_LDLAT_DEFAULT)
		return memlat_config_refuse(config, MEMLAT_WHY_LDLAT, -EINVAL);
	if (config->period && config->period != MEMLAT_PERIOD_DEFAULT)
		return memlat_config_refuse(config, MEMLAT_WHY_PERIOD, -EINVAL);
	if (config->store_period && config->store_period != MEMLAT_STORE_PERIOD_DEFAULT)
		return memlat_config_refuse(config, MEMLAT_WHY_STORE_PERIOD, -EINVAL);
	if (config->max_overhead && config->max_overhead != MEMLAT_OVERHEAD_DEFAULT)
		return memlat_config_refuse(config, MEMLAT_WHY_OVERHEAD, -EINVAL);
	config->ldlat = 0;
	config->period = 0;
	config->store_period = 0;
	config->max_overhead = 0;
	return check_memory(config);
}

/**
 * memlat_config_check - check that each member is in its range
 * @config: the configuration; members that may be left out are filled in, and
 *	@config->reason is set to why when it is refused
 *
 * Does not check that the process or cgroup exists.
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int memlat_config_check(struct memlat_config *config)
{
	int ret;

	if (config->reason || config->reserved || config->reserved2)
		return memlat_config_refuse(config, MEMLAT_WHY_RESERVED, -EINVAL);
	if (!flags_fit(config))
		return memlat_config_refuse(config, MEMLAT_WHY_FLAGS, -EINVAL);
	if ((config->flags & MEMLAT_F_STRIDE) && !memlat_cores_have_strides())
		return memlat_config_refuse(config, MEMLAT_WHY_STRIDE, -EOPNOTSUPP);
	if (memlat_config_only_counts(config))
		return check_counts(config);
	if (!(config->flags & (MEMLAT_F_LOADS | MEMLAT_F_STORES)))
		config->flags |= MEMLAT_F_LOADS;
	if (config->ldlat < MEMLAT_LDLAT_MIN || config->ldlat > MEMLAT_LDLAT_MAX)
		return memlat_config_refuse(config, MEMLAT_WHY_LDLAT, -EINVAL);
	if (!period_fits(config->period, MEMLAT_KIND_LOADS))
		return memlat_config_refuse(config, MEMLAT_WHY_PERIOD, -EINVAL);
	ret = check_stores(config);
	if (!ret)
		ret = check_memory(config);
	if (ret)
		return ret;
	if (config->max_overhead > MEMLAT_OVERHEAD_MAX)
		return memlat_config_refuse(config, MEMLAT_WHY_OVERHEAD, -EINVAL);
	return 0;
}

/*
 * The shortest periods that need no capability, as multiples of the default period. A sample
 * costs more with a stack, or if it begins a burst of 64 more records, most of which also make a
 * pair.
 */
#define SHORTEST		2
#define SHORTEST_WITH_STACKS	7
#define SHORTEST_WITH_BURSTS	129

/*
 * May the session take too much CPU time? Without a budget nothing bounds its cost. At the lowest
 * threshold each load counts, and with short periods memlat can take nearly all of the machine.
 * With the periods above it takes less than a quarter of a CPU that walks memory (test_flood.sh);
 * perf allows itself as much (kernel.perf_cpu_time_max_percent).
 */
static bool interrupts_too_often(const struct memlat_config *config)
{
	u64 least = SHORTEST;

	if (config->max_overhead || memlat_config_only_counts(config))
		return false;
	if (config->flags & MEMLAT_F_CALL_GRAPH)
		least = SHORTEST_WITH_STACKS;
	if (config->flags & MEMLAT_F_STRIDE)
		least = SHORTEST_WITH_BURSTS;
	least *= MEMLAT_PERIOD_DEFAULT;
	return ((config->flags & MEMLAT_F_LOADS) && config->period < least) ||
	       ((config->flags & MEMLAT_F_STORES) && config->store_period < least);
}

/* Is the store too large? It is kernel memory that is not charged to the caller. */
static bool exceeds_memlock(const struct memlat_config *config)
{
	return config->max_memory > MEMLAT_MEMORY_DEFAULT && !memlat_config_only_counts(config);
}

/**
 * memlat_config_permit - check the caller's capabilities for a configuration
 * @config: a configuration that memlat_config_check() accepted; its reason is set when it is
 *	refused
 *
 * Opening the device has already needed CAP_PERFMON.
 *
 * Return: 0 or -EPERM.
 */
int memlat_config_permit(struct memlat_config *config)
{
	/* The caller answers for the memory of guests that memlat cannot see (VirtualBox's). */
	if ((config->flags & MEMLAT_F_NO_GUESTS) && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (interrupts_too_often(config) && !capable(CAP_SYS_ADMIN))
		return memlat_config_refuse(config, MEMLAT_WHY_OVERHEAD, -EPERM);
	if (exceeds_memlock(config) && !capable(CAP_IPC_LOCK))
		return memlat_config_refuse(config, MEMLAT_WHY_MEMORY, -EPERM);
	return 0;
}

/**
 * memlat_config_cpus - the possible CPUs among those that a caller lists
 * @list: MEMLAT_CPU_WORDS words; no CPU listed means all
 * @cpus: set to those of them that are possible here
 *
 * Return: false if there are none.
 */
bool memlat_config_cpus(const __u64 *list, struct cpumask *cpus)
{
	bool listed = false;
	unsigned int i, cpu;

	for (i = 0; i < MEMLAT_CPU_WORDS; i++)
		listed |= list[i];
	if (!listed) {
		cpumask_copy(cpus, cpu_possible_mask);
		return true;
	}
	cpumask_clear(cpus);
	for_each_possible_cpu(cpu)
		if (cpu < 64 * MEMLAT_CPU_WORDS &&
		    (list[cpu / 64] & BIT_ULL(cpu % 64)))
			cpumask_set_cpu(cpu, cpus);
	return !cpumask_empty(cpus);
}

/**
 * memlat_config_query - describe this module and this CPU
 * @q: filled in
 */
void memlat_config_query(struct memlat_query *q)
{
	const struct memlat_core_info *core = memlat_cores_info(0);

	*q = (struct memlat_query) {
		.size = sizeof(*q),
		.abi_version = MEMLAT_ABI_VERSION,
		.ldlat_min = MEMLAT_LDLAT_MIN,
		.ldlat_max = MEMLAT_LDLAT_MAX,
		.period_min = memlat_cores_period_floor(MEMLAT_KIND_LOADS),
		.period_max = memlat_cores_period_max(),
		.period_default = MEMLAT_PERIOD_DEFAULT,
		.memory_min = MEMLAT_MEMORY_MIN,
		.memory_max = memlat_store_memory_max(),
		.memory_default = min(MEMLAT_MEMORY_DEFAULT, memlat_store_memory_max()),
		.cpu_memory = PEBS_BUFFER_SIZE + memlat_store_cpu_memory(),
		.pebs_format = core->format,
		.record_size = core->record_size,
		.buffer_records = PEBS_BUFFER_SIZE / core->record_size,
		.cpu_family = core->family,
		.cpu_model = core->model,
		.cpu_stepping = core->stepping,
		.flags = known_flags(),
		.overhead_max = MEMLAT_OVERHEAD_MAX,
		.store_period_default = MEMLAT_STORE_PERIOD_DEFAULT,
		.store_period_min = memlat_cores_period_floor(MEMLAT_KIND_STORES),
		.traits = memlat_cores_traits(),
		.cores = memlat_cores_nr(),
	};
	strscpy(q->model_name, core->name, sizeof(q->model_name));
	strscpy(q->model_title, core->title, sizeof(q->model_title));
}
