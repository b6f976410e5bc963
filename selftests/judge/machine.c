// SPDX-License-Identifier: GPL-2.0
/* The emulated caches and PMU, programmed as the module would do it. */
#include <stdlib.h>
#include <string.h>

#include "../../module/hw/cpu_model.h"
#include "../vpebs/cache.h"
#include "../vpebs/config.h"
#include "../vpebs/pmu.h"
#include "../vpebs/timing.h"
#include "native.h"

/* Each CPU's DS area, and its buffer behind that. */
#define DS		0xfffffe0000000000ULL
#define DS_EACH		0x40000ULL
#define BUFFER		0x1000ULL
#define BUFFER_BYTES	0x10000ULL
#define DRIVER		0xffffffffc0001000ULL
#define NODE_BYTES	(4ULL << 30)
#define COUNTER(n)	(-(uint64_t)(n) & VP_COUNTER_MASK)

struct cpu {
	const struct vp_core *core;
	const struct memlat_cpu_model *model;
	struct vp_timing *timing;
	struct vp_counts counts;
	uint64_t run, clock, instructions;
	bool pmi;
	uint32_t lvtpc;
	uint8_t ds[BUFFER + BUFFER_BYTES];
};

static struct cpu cpus[NATIVE_CPUS];
static unsigned int nr_cpus;
static struct vp_cache *cache;
static struct vp_pmu *pmu;
static struct vp_lives *lives;

static void fail(const char *what)
{
	fprintf(stderr, "native: %s\n", what);
	exit(1);
}

/* ------------------------------------------------- what the PMU asks for */

static void *at(unsigned int cpu, uint64_t addr, size_t size)
{
	const uint64_t offset = addr - DS - cpu * DS_EACH;

	return offset < sizeof(cpus[0].ds) && size <= sizeof(cpus[0].ds) - offset ?
	       cpus[cpu].ds + offset : NULL;
}

static bool ds_read(void *ctx, unsigned int cpu, uint64_t addr, void *buf, size_t size)
{
	const void *from = at(cpu, addr, size);

	(void)ctx;
	if (from)
		memcpy(buf, from, size);
	return from;
}

static bool ds_write(void *ctx, unsigned int cpu, uint64_t addr, const void *buf, size_t size)
{
	void *to = at(cpu, addr, size);

	(void)ctx;
	if (to)
		memcpy(to, buf, size);
	return to;
}

static bool phys_write(void *ctx, unsigned int cpu, uint64_t paddr, const void *buf, size_t size)
{
	(void)ctx;
	(void)cpu;
	(void)paddr;
	(void)buf;
	(void)size;
	return false;
}

static void regs(void *ctx, unsigned int cpu, uint64_t to[VP_RECORD_REGS])
{
	(void)ctx;
	(void)cpu;
	memset(to, 0, VP_RECORD_REGS * sizeof(*to));
}

static uint64_t clock_now(void *ctx, unsigned int cpu)
{
	(void)ctx;
	return cpus[cpu].instructions;
}

static uint32_t lvtpc_read(void *ctx, unsigned int cpu)
{
	(void)ctx;
	return cpus[cpu].lvtpc;
}

static void lvtpc_write(void *ctx, unsigned int cpu, uint32_t value)
{
	(void)ctx;
	cpus[cpu].lvtpc = value;
}

static void nmi(void *ctx, unsigned int cpu)
{
	(void)ctx;
	cpus[cpu].pmi = true;
}

static bool page(void *ctx, unsigned int cpu, uint64_t addr, uint64_t *paddr)
{
	(void)ctx;
	*paddr = addr - DS;
	return at(cpu, addr, 1);
}

static void counted(void *ctx, const struct vp_access *access, const struct vp_outcome *outcome)
{
	(void)ctx;
	(void)access;
	(void)outcome;
}

static void record(void *ctx, unsigned int cpu, const struct vp_access *access,
		   enum vp_pmu_fate fate, uint32_t word)
{
	(void)ctx;
	(void)cpu;
	(void)access;
	(void)word;
	if (fate != VP_PMU_WRITTEN && fate != VP_PMU_BUFFER_FULL)
		fail("the PMU finds no DS area");
}

static void pmi(void *ctx, unsigned int cpu, bool sent)
{
	(void)ctx;
	(void)cpu;
	(void)sent;
}

static void violation(void *ctx, unsigned int cpu, uint64_t ip, const char *kind,
		      const char *detail)
{
	(void)ctx;
	(void)ip;
	fprintf(stderr, "native: CPU %u: %s: %s\n", cpu, kind, detail);
	exit(1);
}

static const struct vp_pmu_ops ops = {
	.read = ds_read, .write = ds_write, .write_phys = phys_write, .regs = regs,
	.tsc = clock_now, .lvtpc_read = lvtpc_read, .lvtpc_write = lvtpc_write, .nmi = nmi,
	.page = page, .clock = clock_now, .counted = counted, .record = record, .pmi = pmi,
	.violation = violation,
};

/* ------------------------------------------------------------ registers */

static void wr(unsigned int cpu, uint32_t msr, uint64_t value)
{
	vp_pmu_wrmsr(pmu, cpu, msr, value, DRIVER);
}

static void ds_set(unsigned int cpu, unsigned int offset, uint64_t value)
{
	memcpy(cpus[cpu].ds + offset, &value, sizeof(value));
}

static uint64_t ds_get(unsigned int cpu, unsigned int offset)
{
	uint64_t value;

	memcpy(&value, cpus[cpu].ds + offset, sizeof(value));
	return value;
}

static unsigned int counter_of(unsigned int cpu, unsigned int kind)
{
	return kind ? cpus[cpu].model->store_counter : cpus[cpu].model->load_counter;
}

/* A record is of the event after the overflow, unless it is precisely distributed. */
static uint64_t reload_of(unsigned int cpu, unsigned int kind, uint64_t period)
{
	const bool precise = kind && cpus[cpu].core->pdist_stores && !counter_of(cpu, kind);

	return COUNTER(precise || period < 2 ? period : period - 1);
}

static uint64_t clamp_period(unsigned int cpu, unsigned int kind, uint64_t period)
{
	const uint64_t least = kind ? cpus[cpu].model->store_period_min : 0;

	return period < least ? least : period < 2 ? 2 : period;
}

static void program(unsigned int cpu, unsigned int kind)
{
	const struct vp_core *core = cpus[cpu].core;
	const unsigned int event = kind ? core->store_event : core->load_event;

	wr(cpu, VP_MSR_EVTSEL0 + counter_of(cpu, kind),
	   event | VP_EVTSEL_USR | VP_EVTSEL_OS | VP_EVTSEL_EN |
	   (vp_core_adaptive(core) ? VP_EVTSEL_ADAPTIVE : 0));
}

static void arm(unsigned int cpu)
{
	struct cpu *c = &cpus[cpu];
	const uint64_t ds = DS + cpu * DS_EACH;
	const unsigned int size = vp_core_adaptive(c->core) ? 64 : 200;
	const uint64_t loads = 1ULL << counter_of(cpu, 0), stores = 1ULL << counter_of(cpu, 1);
	uint64_t run;

	ds_set(cpu, VP_DS_PEBS_BASE, ds + BUFFER);
	ds_set(cpu, VP_DS_PEBS_INDEX, ds + BUFFER);
	ds_set(cpu, VP_DS_PEBS_MAX, ds + BUFFER + BUFFER_BYTES / size * size);
	ds_set(cpu, VP_DS_PEBS_THRESHOLD, ds + BUFFER + 320 * size);
	wr(cpu, VP_MSR_GLOBAL_CTRL, 0);
	wr(cpu, VP_MSR_DS_AREA, ds);
	if (vp_core_adaptive(c->core))
		wr(cpu, VP_MSR_PEBS_DATA_CFG, VP_GROUP_MEMINFO);
	wr(cpu, VP_MSR_LD_LAT, MEMLAT_LDLAT_DEFAULT);
	run = loads | stores;
	if (c->core->aux_event) {
		wr(cpu, VP_MSR_EVTSEL0 + c->model->aux_counter,
		   c->core->aux_event | VP_EVTSEL_USR | VP_EVTSEL_OS | VP_EVTSEL_EN);
		run |= 1ULL << c->model->aux_counter;
	}
	/* Both periods are set again before the CPU runs. */
	machine_period(cpu, 0, MEMLAT_PERIOD_COMMAND);
	machine_period(cpu, 1, MEMLAT_STORE_PERIOD_COMMAND);
	program(cpu, 0);
	program(cpu, 1);
	wr(cpu, VP_MSR_PEBS_ENABLE, loads | stores | (c->core->version < 5 ? loads << 32 : 0));
	c->lvtpc = VP_LVT_NMI;
	c->run = run;
}

uint64_t machine_left(unsigned int cpu, unsigned int kind)
{
	const uint64_t value = vp_pmu_rdmsr(pmu, cpu, VP_MSR_PMC0 + counter_of(cpu, kind), DRIVER);

	return value >> 47 ? -value & VP_COUNTER_MASK : 0;
}

uint64_t machine_period(unsigned int cpu, unsigned int kind, uint64_t period)
{
	const unsigned int i = counter_of(cpu, kind);
	uint64_t reload;

	period = clamp_period(cpu, kind, period);
	reload = reload_of(cpu, kind, period);
	wr(cpu, VP_MSR_GLOBAL_CTRL, 0);
	ds_set(cpu, vp_ds_reset(cpus[cpu].core, i), reload);
	wr(cpu, VP_MSR_A_PMC0 + i, reload);
	/* 0: not armed yet. */
	wr(cpu, VP_MSR_GLOBAL_CTRL, cpus[cpu].run);
	return period;
}

bool machine_wants_drain(unsigned int cpu)
{
	return cpus[cpu].pmi;
}

size_t machine_drain(unsigned int cpu, const void **records)
{
	static uint8_t copy[BUFFER_BYTES];
	const uint64_t base = ds_get(cpu, VP_DS_PEBS_BASE);
	const size_t bytes = ds_get(cpu, VP_DS_PEBS_INDEX) - base;

	if (!bytes && !cpus[cpu].pmi)
		return 0;
	wr(cpu, VP_MSR_GLOBAL_CTRL, 0);
	memcpy(copy, cpus[cpu].ds + BUFFER, bytes);
	ds_set(cpu, VP_DS_PEBS_INDEX, base);
	wr(cpu, VP_MSR_GLOBAL_RESET, vp_pmu_rdmsr(pmu, cpu, VP_MSR_GLOBAL_STATUS, DRIVER));
	cpus[cpu].lvtpc = VP_LVT_NMI;
	cpus[cpu].pmi = false;
	wr(cpu, VP_MSR_GLOBAL_CTRL, cpus[cpu].run);
	*records = copy;
	return bytes;
}

/* ------------------------------------------------------------ the program */

static void who(unsigned int cpu, struct vp_thread *to)
{
	const struct native_thread thread = native_who(cpu);

	*to = (struct vp_thread){ .space = thread.space, .fs = thread.fs };
}

static const struct memlat_cpu_model *row_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < memlat_cpu_models_nr; i++)
		if (!strcmp(memlat_cpu_models[i].name, name))
			return &memlat_cpu_models[i];
	fail("memlat has no row of this kind of core");
	return NULL;
}

static void cpu_begin(const struct native *native, const struct vp_model *model, unsigned int cpu)
{
	struct cpu *c = &cpus[cpu];

	c->core = vp_model_core(model, cpu, native->cpus);
	if (!c->core->load_event || !c->core->store_event || vp_core_arch(c->core) ||
	    c->core->alone || c->core->nhm_enable)
		fail("of this machine's kinds of cores, not all sample loads and stores at once into a DS area");
	c->model = row_of(c->core->name);
	c->timing = vp_timing_new(c->core->fill_buffers, &c->counts);
	if (!c->timing)
		fail("no memory");
	vp_timing_privilege(c->timing, true);
	vp_cache_set_clock(cache, cpu, vp_timing_clock(c->timing));
	arm(cpu);
}

void machine_begin(const struct native *native)
{
	const struct vp_model *model = vp_model_find(native->machine);
	struct vp_topology topology = { .cpus = native->cpus, .nodes = native->nodes };
	struct vp_options options = vp_options_default;
	struct vp_config config = vp_config_skx;
	unsigned int i;

	if (!model)
		fail("there is no such machine; selftests/vm/run --cpu list names all");
	if (native->nodes > model->nodes)
		fail("this machine has no second socket");
	for (i = 0; i < native->nodes; i++)
		topology.node_mem[i] = NODE_BYTES;
	options.tag = native->tag;
	options.after = options.wait = true;
	options.seed = config.seed = native->plan.seed;
	config.waits = vp_model_two_latencies(model, native->cpus);
	memset(cpus, 0, sizeof(cpus));
	nr_cpus = native->cpus;
	cache = vp_cache_new_config(&topology, &config);
	pmu = vp_pmu_new(nr_cpus, model, &ops, NULL);
	lives = vp_lives_new(nr_cpus, who);
	if (!cache || !pmu || !lives)
		fail("no memory");
	vp_pmu_configure(pmu, &options);
	vp_lives_trace(lives, native->trace);
	for (i = 0; i < nr_cpus; i++)
		cpu_begin(native, model, i);
	vp_lives_begin(lives);
	if (!vp_cache_lives(cache, lives))
		fail("no memory");
}

/* Each CPU ran one thread, and no kernel. */
static void charge(unsigned int cpu)
{
	_Atomic uint64_t *by = cpus[cpu].counts.by[1];
	struct vp_thread_time time;
	struct vp_thread thread;

	vp_timing_publish(cpus[cpu].timing);
	time = (struct vp_thread_time){
		.cycles = by[VP_CT_CYCLES], .head = by[VP_CT_HEAD_WAITS],
		.latency = by[VP_CT_LOAD_LATENCY],
	};
	who(cpu, &thread);
	vp_lives_time(lives, vp_lives_number(lives, &thread), true, &time);
}

void machine_end(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		if (cpus[cpu].instructions)
			charge(cpu);
	vp_lives_end(lives);
	vp_cache_lives(cache, NULL);
}

struct vp_lives *machine_lives(void)
{
	return lives;
}

const struct vp_core *machine_core(unsigned int cpu)
{
	return cpus[cpu].core;
}

uint64_t machine_clock(unsigned int cpu)
{
	vp_timing_publish(cpus[cpu].timing);
	return atomic_load(&cpus[cpu].counts.by[1][VP_CT_CYCLES]);
}

void machine_access(const struct vp_access *access)
{
	/* A load of rax by rbx, or a store of rax there. */
	const struct insn_regs load = { .addr = 1u << 3, .out = 1, .moves = true };
	const struct insn_regs store = { .addr = 1u << 3, .in = 1 };
	const struct insn_regs *insn = access->store ? &store : &load;
	struct cpu *c = &cpus[access->cpu];
	struct vp_outcome outcome;

	c->instructions++;
	vp_timing_begin(c->timing, insn);
	vp_timing_access(c->timing, access);
	vp_cache_access(cache, access, &outcome);
	vp_timing_accessed(c->timing, access, &outcome);
	vp_timing_end(c->timing, insn);
	vp_pmu_access(pmu, access, &outcome);
}

void machine_work(unsigned int cpu, unsigned int n, bool chained)
{
	const struct insn_regs insn = { .in = chained ? 1u << 13 : 0, .out = 1u << 13 };

	cpus[cpu].instructions += n;
	while (n--) {
		vp_timing_begin(cpus[cpu].timing, &insn);
		vp_timing_end(cpus[cpu].timing, &insn);
	}
}
