// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds of cores of this machine: one on most, two or three on hybrid parts.
 *
 * Only a CPU itself can identify its kind. So a CPU that is offline when the module is loaded
 * is identified when it goes online, and it can be used only if its kind is known by then.
 */
#include <linux/bug.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <asm/processor.h>

#include "count.h"
#include "hw.h"

/*
 * With shorter periods a machine does little else than write and drain records: at the lowest
 * threshold every load counts, and a PMI executes some 150 instructions for each record.
 */
#define PERIOD_FLOOR	16

/* The first IA32_PERFEVTSELx that perf does not reserve under its old address. */
#define VERSION_UNRESERVED	6

/*
 * With architectural PEBS the hook reads a register where others read memory. An estimate, like
 * the rows' hook_cycles.
 */
#define RDMSR_CYCLES	100

struct memlat_core memlat_cores[MEMLAT_CORES_MAX];

static unsigned int cores;

static u32 traits_of(const struct memlat_core *core)
{
	const struct memlat_cpu_model *m = core->model;
	const struct memlat_source_table *sources = m->sources;
	u32 traits = 0;

	if (core->caps.layout->ip_after)
		traits |= MEMLAT_TRAIT_IP_AFTER;
	if ((m->quirks & MEMLAT_QUIRK_ALONE) && m->store_event)
		traits |= MEMLAT_TRAIT_TURNS;
	if (sources->stlb_miss)
		traits |= MEMLAT_TRAIT_TLB;
	if (sources->blocked_data || sources->blocked_addr)
		traits |= MEMLAT_TRAIT_BLOCKED;
	if (sources->cache_latency)
		traits |= MEMLAT_TRAIT_CACHE_LATENCY;
	if (core->held)
		traits |= MEMLAT_TRAIT_UNRESERVED;
	if (m->store_event && memlat_source_of_stores(sources))
		traits |= MEMLAT_TRAIT_STORE_SOURCE;
	if (memlat_source_has_xsnp_fwd(sources))
		traits |= MEMLAT_TRAIT_XSNP_FWD;
	return traits;
}

static bool caps_equal(const struct memlat_cpu_caps *a, const struct memlat_cpu_caps *b)
{
	return a->layout == b->layout && a->version == b->version &&
	       a->counters == b->counters && a->counter_width == b->counter_width &&
	       a->fixed_width == b->fixed_width && a->full_width == b->full_width &&
	       a->recording == b->recording;
}

static const struct memlat_core *core_find(const struct memlat_cpu_model *m,
					   const struct memlat_cpu_caps *caps)
{
	unsigned int i;

	for (i = 0; i < cores; i++)
		if (memlat_cores[i].model == m && caps_equal(&memlat_cores[i].caps, caps))
			return &memlat_cores[i];
	return NULL;
}

static const struct memlat_core *core_new(const struct memlat_cpu_model *m,
					  const struct memlat_cpu_caps *caps)
{
	const struct cpuinfo_x86 *cpu = &cpu_data(smp_processor_id());
	struct memlat_core *core = &memlat_cores[cores];

	if (cores == MEMLAT_CORES_MAX)
		return NULL;
	core->id = cores++;
	core->ack = m->ack;
	core->adaptive = caps->layout->adaptive;
	core->arch = caps->layout->arch;
	core->held = caps->version >= VERSION_UNRESERVED;
	core->model = m;
	core->caps = *caps;
	core->mask = BIT_ULL(caps->counter_width) - 1;
	core->hook_cycles = m->hook_cycles + (core->arch ? RDMSR_CYCLES : 0);
	core->info = (struct memlat_core_info) {
		.name = m->name,
		.title = m->title,
		.family = cpu->x86,
		.model = cpu->x86_model,
		.stepping = cpu->x86_stepping,
		.format = caps->layout->format,
		.record_size = caps->layout->size,
		.traits = traits_of(core),
		.sources = m->sources,
	};
	return core;
}

/* Runs on the CPU itself, on one CPU at a time. Sets @why if memlat cannot use the CPU. */
static void memlat_identify(struct memlat_cpu *c, bool first, const char **why)
{
	struct memlat_cpu_caps caps;
	const struct memlat_cpu_model *m = memlat_cpu_identify(&caps, why);

	if (!m)
		return;
	c->core = core_find(m, &caps);
	if (!c->core && first)
		c->core = core_new(m, &caps);
	if (!c->core)
		*why = "no such core was online when memlat was loaded: load it again";
}

static void __init memlat_identify_here(void *why)
{
	memlat_identify(this_cpu_ptr(memlat_cpu), true, why);
}

/* Compute the values that hold for all kinds of cores. */
static void __init cores_sum_up(void)
{
	unsigned int i, counters = 0;

	memlat_hw.cycles_mask = ~0ULL;
	for (i = 0; i < cores; i++) {
		memlat_hw.cycles_mask &= BIT_ULL(memlat_cores[i].caps.fixed_width) - 1;
		counters = max(counters, memlat_cores[i].caps.counters);
	}
	memlat_pmu_reserve_init(counters);
}

static void __init refuse(const char *why)
{
	const struct cpuinfo_x86 *c = &boot_cpu_data;

	pr_err("cannot run on this CPU (%s, family %u model %#x stepping %u): %s\n",
	       c->x86_vendor_id, c->x86, c->x86_model, c->x86_stepping, why);
}

/**
 * memlat_cores_exit - undo memlat_cores_init(); nothing uses a CPU's state any more
 */
void memlat_cores_exit(void)
{
	free_percpu(memlat_count_cpu);
	free_percpu(memlat_cpu);
}

/**
 * memlat_cores_init - allocate the state of the CPUs of this machine, and identify them
 *
 * Return: 0; -ENOMEM; -ENODEV, after a line in the log that says why memlat can't use the CPUs.
 */
int __init memlat_cores_init(void)
{
	const char *why = NULL, *first = NULL;
	char text[256];
	int cpu;

	memlat_cpu = alloc_percpu(struct memlat_cpu);
	memlat_count_cpu = alloc_percpu(struct memlat_count_cpu);
	if (!memlat_cpu || !memlat_count_cpu) {
		memlat_cores_exit();
		return -ENOMEM;
	}
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		smp_call_function_single(cpu, memlat_identify_here, &why, 1);
		if (per_cpu_ptr(memlat_cpu, cpu)->core)
			continue;
		if (cores)
			pr_warn("CPU %d cannot be sampled: %s. Other CPUs can\n", cpu, why);
		if (first)
			continue;
		/* @why may point to a buffer that the next CPU's text overwrites. */
		strscpy(text, why, sizeof(text));
		first = text;
	}
	cpus_read_unlock();
	if (!cores) {
		refuse(first);
		memlat_cores_exit();
		return -ENODEV;
	}
	cores_sum_up();
	return 0;
}

/**
 * memlat_cores_cpu_online - check whether this CPU can be sampled
 *
 * Runs on the CPU itself, before it is armed; the CPU may have been offline until now. If it
 * cannot be sampled, log why.
 */
bool memlat_cores_cpu_online(void)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);
	const char *why = NULL;
	unsigned long flags;

	if (c->core)
		return true;
	local_irq_save(flags);
	memlat_identify(c, false, &why);
	local_irq_restore(flags);
	if (!c->core)
		pr_warn("CPU %d cannot be sampled: %s. Other CPUs can\n", smp_processor_id(), why);
	return c->core;
}

/**
 * memlat_cores_cpu_is - check whether a CPU is of a kind
 * @cpu: any possible CPU; one that was never online, or cannot be sampled, is of no kind
 * @i: number of the kind, less than memlat_cores_nr()
 */
bool memlat_cores_cpu_is(int cpu, unsigned int i)
{
	return READ_ONCE(per_cpu_ptr(memlat_cpu, cpu)->core) == &memlat_cores[i];
}

/**
 * memlat_cores_nr - number of kinds of cores
 *
 * Constant from when the module is loaded until it is unloaded, so it can size allocations.
 */
unsigned int memlat_cores_nr(void)
{
	return cores;
}

/**
 * memlat_cores_info - one kind of core
 * @i: less than memlat_cores_nr()
 */
const struct memlat_core_info *memlat_cores_info(unsigned int i)
{
	return &memlat_cores[i].info;
}

/**
 * memlat_cores_model - short name of the model of the first kind of core
 */
const char *memlat_cores_model(void)
{
	return memlat_cores[0].info.name;
}

/**
 * memlat_cores_raws - number of source words that a kind of core can write
 * @i: number of the kind, less than memlat_cores_nr()
 *
 * Most kinds write a quarter of the words that the tables have room for.
 *
 * Return: memlat_source_raws() of its table.
 */
unsigned int memlat_cores_raws(unsigned int i)
{
	return memlat_source_raws(memlat_cores[i].info.sources);
}

/**
 * memlat_cores_of - number of a CPU's kind of core
 * @cpu: any possible CPU
 *
 * Return: the number; 0 also if the CPU's kind is not known.
 */
unsigned int memlat_cores_of(int cpu)
{
	const struct memlat_core *core = READ_ONCE(per_cpu_ptr(memlat_cpu, cpu)->core);

	return core ? core->id : 0;
}

/**
 * memlat_cores_traits - the MEMLAT_TRAIT_* that any kind of core here has
 */
u32 memlat_cores_traits(void)
{
	unsigned int i;
	u32 traits = 0;

	for (i = 0; i < cores; i++)
		traits |= memlat_cores[i].info.traits;
	return traits;
}

/**
 * memlat_cores_have_stores - check whether any kind of core here can sample stores
 */
bool memlat_cores_have_stores(void)
{
	unsigned int i;

	for (i = 0; i < cores; i++)
		if (memlat_cores[i].model->store_event)
			return true;
	return false;
}

/**
 * memlat_cores_have_strides - check whether all cores can sample bursts of neighbouring loads
 *
 * A core cannot if its shortest period skips most of the loads.
 */
bool memlat_cores_have_strides(void)
{
	unsigned int i;

	for (i = 0; i < cores; i++)
		if (memlat_burst_period(&memlat_cores[i]) > MEMLAT_PERIOD_LEAST)
			return false;
	return true;
}

/**
 * memlat_core_period_floor - shortest period on a kind of core
 * @core: the kind of core
 * @kind: loads or stores
 */
u64 memlat_core_period_floor(const struct memlat_core *core, unsigned int kind)
{
	const struct memlat_cpu_model *m = core->model;
	u32 least = m->period_min;

	if (kind == MEMLAT_KIND_STORES && m->store_period_min)
		least = m->store_period_min;
	return max_t(u64, PERIOD_FLOOR, least);
}

/**
 * memlat_cores_period_floor - shortest period that a session may have
 * @kind: loads or stores
 */
u64 memlat_cores_period_floor(unsigned int kind)
{
	u64 floor = PERIOD_FLOOR;
	unsigned int i;

	for (i = 0; i < cores; i++)
		floor = max(floor, memlat_core_period_floor(&memlat_cores[i], kind));
	return floor;
}

/**
 * memlat_cores_period_max - longest period that all counters can count
 */
u64 memlat_cores_period_max(void)
{
	u64 max = U64_MAX;
	unsigned int i;

	/* Without full-width writes a counter takes 32 bits, sign-extended, and so does CFG_C. */
	for (i = 0; i < cores; i++)
		max = min(max, memlat_cores[i].caps.full_width && !memlat_cores[i].arch ?
			       memlat_cores[i].mask >> 1 : BIT_ULL(31) - 1);
	return max;
}
