// SPDX-License-Identifier: GPL-2.0
/* The samples of a native run: the module's decoder and tables, and a profile for memlat-ctl. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../module/core/record.h"
#include "../../module/hw/cpu_model.h"
#include "../../userspace/import/tables.h"
#include "../../userspace/profile/file.h"
#include "../../userspace/profile/history.h"
#include "../../userspace/profile/machine.h"
#include "../../userspace/util/xalloc.h"
#include "native.h"

#define MEMORY		(16ULL << 20)
#define PAGE		4096ULL
#define GLOBALS		0x555555558000ULL

static struct profile profile;
static struct import_tables tables;
static const struct memlat_cpu_model *model[NATIVE_CPUS];
static const struct memlat_record_layout *layout[NATIVE_CPUS];
static unsigned int cpus, nodes;
/* Processes that ran, so that the history has them. */
static uint32_t pids[64];
static unsigned int nr_pids;

void profile_begin(const struct native *native)
{
	unsigned int cpu, i;

	profile_init(&profile);
	import_tables_begin(&tables, &profile.snap, MEMORY, false);
	cpus = native->cpus;
	nodes = native->nodes;
	for (cpu = 0; cpu < cpus; cpu++) {
		const struct vp_core *core = machine_core(cpu);

		layout[cpu] = memlat_record_layout_of(vp_core_format(core), vp_core_adaptive(core));
		for (i = 0; i < memlat_cpu_models_nr; i++)
			if (!strcmp(memlat_cpu_models[i].name, core->name))
				model[cpu] = &memlat_cpu_models[i];
	}
}

static bool is_new(uint32_t pid)
{
	unsigned int i;

	for (i = 0; i < nr_pids; i++)
		if (pids[i] == pid)
			return false;
	if (nr_pids < sizeof(pids) / sizeof(*pids))
		pids[nr_pids++] = pid;
	return true;
}

static void add(unsigned int cpu, const struct memlat_sample *s, uint64_t word)
{
	const struct memlat_source_table *sources = model[cpu]->sources;
	const unsigned int node = cpu * nodes / cpus;
	const struct native_thread thread = native_who(cpu);
	struct memlat_shard_thread who = {
		.tid = thread.tid, .tgid = thread.tgid, .gen = thread.tgid,
		.first_ns = budget_now_ns(), .named_ns = budget_now_ns(), .tls_base = thread.fs,
		.comm = "native", .process = "native",
	};
	const struct import_more more = {
		.who = &who, .cpu = 1ULL << cpu, .node = 1ULL << node, .use_latency = s->use_latency,
		.word = (uint32_t)word, .snoop = memlat_source_code_of(sources, word)->snoop,
		.flags = (s->stlb_miss ? MEMLAT_WORD_STLB_MISS : 0) |
			 (s->locked ? MEMLAT_WORD_LOCKED : 0),
	};
	struct memlat_cell cell = {
		.addr = s->addr, .ip = s->ip, .tgid = thread.tgid, .tid = thread.tid,
		.gen = thread.tgid, .flags = s->flags, .samples = 1, .latency_max = s->latency,
		.latency_sum = s->latency, .weight = s->weight,
		.kind = (uint8_t)(s->source << 4 | (s->store ? 0 : memlat_bucket_of(s->latency))),
	};

	import_tables_add(&tables, &cell, &more);
	is_new(thread.tgid);
}

void profile_take(unsigned int cpu, const void *records, size_t bytes, const uint64_t weight[2],
		  uint64_t carry[2], uint64_t taken[2])
{
	const struct memlat_record_counters counters = {
		.loads = 1ULL << model[cpu]->load_counter, .stores = 1ULL << model[cpu]->store_counter,
	};
	const uint8_t *record = records;
	unsigned int step;

	for (; bytes; record += step, bytes -= step) {
		struct memlat_sample s = { 0 };
		unsigned int kind;

		step = memlat_record_step(layout[cpu], record, bytes);
		if (!step || memlat_record_decode(layout[cpu], model[cpu]->sources, &counters, record,
						  &s) != MEMLAT_VERDICT_SAMPLE) {
			fprintf(stderr, "native: a record is not memlat's\n");
			exit(1);
		}
		kind = s.store;
		s.weight = weight[kind] + carry[kind];
		carry[kind] = 0;
		taken[kind]++;
		add(cpu, &s, memlat_record_field(record, layout[cpu]->source));
	}
}

static uint32_t traits_of(unsigned int cpu)
{
	const struct memlat_source_table *sources = model[cpu]->sources;

	return (sources->stlb_miss ? MEMLAT_TRAIT_TLB : 0) |
	       (sources->blocked_data || sources->blocked_addr ? MEMLAT_TRAIT_BLOCKED : 0) |
	       (sources->cache_latency ? MEMLAT_TRAIT_CACHE_LATENCY : 0) |
	       (memlat_source_of_stores(sources) ? MEMLAT_TRAIT_STORE_SOURCE : 0) |
	       (memlat_source_has_xsnp_fwd(sources) ? MEMLAT_TRAIT_XSNP_FWD : 0);
}

static void map(uint32_t pid, uint64_t start, uint64_t bytes, const char *path,
		const uint8_t *build_id, uint64_t inode)
{
	struct history_map map = {
		.time = 2, .start = start & ~(PAGE - 1), .end = (start + bytes + PAGE - 1) & ~(PAGE - 1),
		.path = path, .prot = PROT_READ | (build_id ? PROT_EXEC : PROT_WRITE),
		.flags = inode && !build_id ? MAP_SHARED : MAP_PRIVATE, .minor = inode ? 1 : 0,
		.inode = inode,
	};

	if (build_id) {
		map.offset = NATIVE_CODE;
		map.build_id_size = NATIVE_ID_BYTES;
		memcpy(map.build_id, build_id, NATIVE_ID_BYTES);
	}
	history_map(profile.history, pid, 0, &map);
}

/* What a process has mapped, as perf would report it. */
static void map_all(const struct plan *plan, uint32_t pid)
{
	uint64_t at[PLAN_OBJECTS][2], globals = GLOBALS + 1;
	uint8_t build_id[NATIVE_ID_BYTES];
	unsigned int i;

	plan_layout(plan, at);
	program_id(plan, build_id);
	map(pid, NATIVE_TEXT, GLOBALS - NATIVE_TEXT, "/native/program", build_id, 4711);
	for (i = 0; i < plan->objects; i++)
		if (plan->object[i].place == PLAN_GLOBAL && at[i][0] + plan->object[i].size * plan->object[i].count > globals)
			globals = at[i][0] + plan->object[i].size * plan->object[i].count;
	globals = (globals + PAGE - 1) & ~(PAGE - 1);
	map(pid, GLOBALS, globals - GLOBALS, "/native/program", NULL, 0);
	map(pid, globals, 16 << 20, "[heap]", NULL, 0);
	for (i = 0; i < plan->objects; i++) {
		const struct plan_object *o = &plan->object[i];
		const uint64_t bytes = (uint64_t)o->size * o->count;

		if (o->place == PLAN_MEMFD) {
			map(pid, at[i][0], bytes, "/memfd:shared (deleted)", NULL, 5000 + i);
			map(pid, at[i][1], bytes, "/memfd:shared (deleted)", NULL, 5000 + i);
		} else if (o->place == PLAN_MAP) {
			map(pid, at[i][0], bytes, "/dev/zero (deleted)", NULL, 6000 + i);
		} else if (at[i][0] >> 40 == 0x7f) {
			map(pid, at[i][0], bytes, "//anon", NULL, 0);
		}
	}
}

static void make_history(const struct native *native)
{
	unsigned int i;

	profile.history = profile.history ? profile.history : history_new();
	is_new(NATIVE_PID);
	for (i = 0; i < nr_pids; i++) {
		history_comm(profile.history, 1, pids[i], pids[i], "native", true);
		map_all(&native->plan, pids[i]);
	}
	history_settle(profile.history, &profile.snap);
}

static void make_machine(const struct native *native)
{
	struct machine *machine = &profile.machine;
	unsigned int i;

	machine->host = xstrdup("native");
	machine->kernel = xstrdup("none");
	machine->cpu = xstrdup(native->machine);
	machine->query = (struct memlat_query){
		.size = sizeof(machine->query), .abi_version = MEMLAT_ABI_VERSION,
		.ldlat_min = MEMLAT_LDLAT_MIN, .ldlat_max = MEMLAT_LDLAT_MAX, .period_max = ~0ULL,
		.memory_default = MEMORY, .cores = 1,
	};
	strncpy(machine->query.model_name, model[0]->name, sizeof(machine->query.model_name) - 1);
	strncpy(machine->query.model_title, model[0]->title, sizeof(machine->query.model_title) - 1);
	machine->nr_cpus = cpus;
	machine->cpu_node = xcalloc(cpus, sizeof(*machine->cpu_node));
	machine->cpu_socket = xcalloc(cpus, sizeof(*machine->cpu_socket));
	for (i = 0; i < cpus; i++)
		machine->cpu_node[i] = machine->cpu_socket[i] = (__s32)(i * nodes / cpus);
	machine->nr_nodes = nodes;
	machine->node_bytes = xcalloc(nodes, sizeof(*machine->node_bytes));
	for (i = 0; i < nodes; i++)
		machine->node_bytes[i] = 4ULL << 30;
	machine_edges_find(machine);
}

static void make_status(void)
{
	struct memlat_status *status = &profile.snap.head.status;
	uint64_t period[2][2], busy, own;

	budget_figures(period, &busy, &own);
	profile.snap.head.abi_version = MEMLAT_ABI_VERSION;
	strncpy(profile.snap.head.model_name, model[0]->name,
		sizeof(profile.snap.head.model_name) - 1);
	status->size = sizeof(*status);
	status->flags = MEMLAT_F_LOADS | MEMLAT_F_STORES | MEMLAT_F_USER | MEMLAT_F_KERNEL;
	status->ldlat = MEMLAT_LDLAT_DEFAULT;
	status->period = MEMLAT_PERIOD_COMMAND;
	status->records = status->samples;
	status->cpus_online = cpus;
	status->nodes = nodes;
	status->started_ns = 1;
	status->duration_ns = budget_now_ns();
	status->max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	status->period_low = period[0][0];
	status->period_high = period[0][1];
	status->store_period_low = period[1][0];
	status->store_period_high = period[1][1];
	status->busy_cycles = busy;
	status->own_cycles = own;
	status->traits = tables.core.traits;
	status->cores = 1;
}

bool profile_end(const struct native *native, const char *path)
{
	char why[PROFILE_ERROR_MAX];
	bool ok;

	tables.core.traits = traits_of(0);
	tables.core.cpus[0] = (1ULL << cpus) - 1;
	tables.core.pebs_format = layout[0]->format;
	tables.core.record_size = layout[0]->size;
	strncpy(tables.core.model_name, model[0]->name, sizeof(tables.core.model_name) - 1);
	strncpy(tables.core.model_title, model[0]->title, sizeof(tables.core.model_title) - 1);
	make_machine(native);
	make_status();
	import_tables_end(&tables);
	make_history(native);
	profile.command = xstrdup("program");
	ok = !profile_write(&profile, path, why);
	if (!ok)
		fprintf(stderr, "native: %s\n", why);
	profile_free(&profile);
	return ok;
}
