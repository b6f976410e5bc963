// SPDX-License-Identifier: GPL-2.0
/*
 * memlat's budget for a native run: module/hw/budget.c itself, with the kernel of
 * selftests/bench/sim. This file decides what memlat's work costs, and when a CPU switches tasks.
 */
#include <errno.h>

#include "buffer.h"
#include "hw.h"
#include "native.h"

/* selftests/vm/run: QEMU's virtual clock advances so far for an instruction of any CPU. */
#define NS_EACH		32
/* How often a CPU that one thread alone runs on switches to another task and back. */
#define SWITCH_NS	10000000ULL
/* What memlat's work costs, in cycles: as selftests/bench/sim has it. */
#define DRAIN		400
#define RECORD		250
#define CELL		700
#define PERIOD_FLOOR	17

struct memlat_hw memlat_hw = {
	.kinds = 3, .cycles_mask = ~0ULL >> 16, .budget = true,
	.max_overhead = MEMLAT_OVERHEAD_DEFAULT,
	.period = { MEMLAT_PERIOD_COMMAND, MEMLAT_STORE_PERIOD_COMMAND },
};
struct memlat_core memlat_cores[MEMLAT_CORES_MAX];
static struct memlat_cpu all_cpus[SIM_CPUS];
struct memlat_cpu *memlat_cpu = all_cpus;
unsigned long jiffies;
u64 sim_cycles;

static struct memlat_plan plan;
static u64 scale, all_instructions, next_switch[SIM_CPUS];
/* The program's and memlat's own cycles, and the clock at the last look. */
static u64 cycles[SIM_CPUS], looked[SIM_CPUS];
static unsigned int unmerged[SIM_CPUS];
static bool begun[SIM_CPUS];
/* Events that a record stands for, and the period that memlat believes in. */
static uint64_t weight[SIM_CPUS][MEMLAT_KINDS], believed[SIM_CPUS][MEMLAT_KINDS];

static unsigned int number(const struct memlat_cpu *c)
{
	return (unsigned int)(c - memlat_cpu);
}

unsigned int memlat_cores_of(int cpu)
{
	return (unsigned int)(memlat_cpu[cpu].core - memlat_cores);
}

u64 memlat_core_period_floor(const struct memlat_core *core, unsigned int kind)
{
	const u32 least = kind && core->model->store_period_min ? core->model->store_period_min :
							 core->model->period_min;

	return max_t(u64, PERIOD_FLOOR, least);
}

u64 memlat_cores_period_max(void)
{
	return 1003137101;
}

void memlat_turn_reset(void)
{
}

u64 memlat_turn_counter(const struct memlat_cpu *c, unsigned int kind)
{
	const unsigned int cpu = number(c);
	const u64 left = machine_left(cpu, kind) * scale;

	return -min(left, believed[cpu][kind]) & c->core->mask;
}

void memlat_turn_counter_set(struct memlat_cpu *c, unsigned int kind, u64 period)
{
	const unsigned int cpu = number(c);

	believed[cpu][kind] = period;
	weight[cpu][kind] = scale * machine_period(cpu, kind, (period + scale / 2) / scale);
}

static void drain(struct memlat_cpu *c, u32 unseen)
{
	const unsigned int cpu = number(c);
	const u64 since = cycles[cpu];
	uint64_t taken[MEMLAT_KINDS] = { 0 }, carry[MEMLAT_KINDS];
	const void *records = NULL;
	unsigned int k, nr;
	size_t bytes;

	bytes = machine_drain(cpu, &records);
	for (k = 0; k < MEMLAT_KINDS; k++)
		carry[k] = c->rate[k].carry;
	profile_take(cpu, records, bytes, weight[cpu], carry, taken);
	for (k = 0; k < MEMLAT_KINDS; k++) {
		c->rate[k].carry = carry[k];
		c->rate[k].records += taken[k];
	}
	nr = (unsigned int)(taken[0] + taken[1]);
	cycles[cpu] += DRAIN + nr * RECORD;
	unmerged[cpu] += nr;
	if (unmerged[cpu] > MEMLAT_SHARD_EVEN) {
		c->budget.kicks++;
		memlat_budget_charge((int)cpu, unmerged[cpu] * CELL);
		unmerged[cpu] = 0;
	}
	sim_cycles = cycles[cpu];
	memlat_budget_spent(c, since, unseen, nr);
}

static void cpu_begin(unsigned int cpu)
{
	struct memlat_cpu *c = &memlat_cpu[cpu];
	const char *name = machine_core(cpu)->name;
	unsigned int i, k;

	for (i = 0; memlat_cores[i].model && strcmp(memlat_cores[i].model->name, name); i++)
		continue;
	for (k = 0; !memlat_cores[i].model && k < memlat_cpu_models_nr; k++)
		if (!strcmp(memlat_cpu_models[k].name, name))
			memlat_cores[i].model = &memlat_cpu_models[k];
	memlat_cores[i].mask = (1ULL << 48) - 1;
	memlat_cores[i].hook_cycles = memlat_cores[i].model->hook_cycles;
	c->core = &memlat_cores[i];
	c->plan = &plan;
}

void budget_begin(const struct native *native)
{
	unsigned int cpu, k;

	scale = native->scale;
	for (k = 0; k < MEMLAT_KINDS; k++)
		plan.event[k].on = true;
	for (cpu = 0; cpu < SIM_CPUS; cpu++)
		cpu_begin(cpu < native->cpus ? cpu : 0);
	for (cpu = native->cpus; cpu < SIM_CPUS; cpu++)
		memlat_cpu[cpu].core = memlat_cpu[0].core;
	memlat_budget_setup();
	for (cpu = 0; cpu < native->cpus; cpu++) {
		struct memlat_cpu *c = &memlat_cpu[cpu];

		for (k = 0; k < MEMLAT_KINDS; k++)
			memlat_turn_counter_set(c, k, c->rate[k].period);
		memlat_budget_arm(c);
		c->armed = true;
		begun[cpu] = true;
	}
}

uint64_t budget_now_ns(void)
{
	return 1000000000ULL + all_instructions * NS_EACH;
}

void budget_pass(unsigned int cpu, uint64_t instructions)
{
	struct memlat_cpu *c = &memlat_cpu[cpu];

	cycles[cpu] += (machine_clock(cpu) - looked[cpu]) * scale;
	looked[cpu] = machine_clock(cpu);
	all_instructions += instructions * scale;
	jiffies = all_instructions * NS_EACH / (1000000000ULL / HZ);
	if (machine_wants_drain(cpu)) {
		drain(c, c->core->model->pmi_cycles);
		return;
	}
	if (all_instructions * NS_EACH < next_switch[cpu])
		return;
	next_switch[cpu] = all_instructions * NS_EACH + SWITCH_NS;
	drain(c, c->core->hook_cycles);
}

void budget_end(unsigned int cpu)
{
	drain(&memlat_cpu[cpu], 0);
}

void budget_figures(uint64_t period[2][2], uint64_t *busy, uint64_t *own)
{
	unsigned int cpu, k;

	*busy = *own = 0;
	for (k = 0; k < MEMLAT_KINDS; k++) {
		period[k][0] = U64_MAX;
		period[k][1] = 0;
	}
	for (cpu = 0; cpu < SIM_CPUS && begun[cpu]; cpu++) {
		*busy += memlat_cpu[cpu].budget.busy;
		*own += memlat_cpu[cpu].budget.own;
		for (k = 0; k < MEMLAT_KINDS; k++) {
			period[k][0] = min(period[k][0], memlat_cpu[cpu].rate[k].low);
			period[k][1] = max(period[k][1], memlat_cpu[cpu].rate[k].high);
		}
	}
}
