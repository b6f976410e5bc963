// SPDX-License-Identifier: GPL-2.0
/*
 * A perf.data file is read twice. The first pass collects processes and mappings, which are not in
 * order of time. The second pass finds the process of each sample, and adds the sample to the
 * tables.
 */
#include "import.h"

#include <stdlib.h>
#include <string.h>

#include "../names/kernel_read.h"
#include "../profile/history.h"
#include "../profile/imported.h"
#include "../profile/kernel_names.h"
#include "../util/xalloc.h"
#include "people.h"
#include "perf_machine.h"
#include "perf_sample.h"
#include "perf_source.h"
#include "tables.h"

#define KERNEL_TEXT	"[kernel.kallsyms]_text"
#define KERNEL_BUILD_OF	"[kernel.kallsyms]"
#define NOBODY		(~0U)		/* perf's pid for mappings of the kernel */
#define RECORD_CALLCHAIN_DEFERRED	22	/* of Linux 6.19 */
/* IBS, on AMD: bits of config and of config1 (/sys/bus/event_source/devices/ibs_op/format) */
#define IBS_L3_MISS_ONLY	(1ULL << 16)
#define IBS_LATENCY		0xfffULL
#define IBS_STREAMING		(1ULL << 12)
#define MISC_LOST_BPF	(1U << 15)	/* samples that a filter of perf's left out */

struct import {
	struct perf_file *file;
	struct profile *profile;
	struct memlat_status *status;
	struct perf_trailer trailer;
	struct people people;
	struct import_tables tables;
	struct machine *machine;
	struct cpu_identity cpu;
	struct history_map kernel;	/* offset: the begin of the kernel's code, 0: not known */
	__u64 lost, lost_samples;	/* sums of perf's two kinds of records of losses */
	__u64 first_ns, last_ns;
	__u64 period[2][2];		/* for loads and stores: the lowest and the highest */
	__u32 unknown;			/* IMPORTED_* */
	bool told_latency;
};

/* A word of the record's body, behind its header. */
static __u64 word_of(const struct perf_event_header *record, size_t place)
{
	__u64 word = 0;

	if (record->size >= sizeof(*record) + (place + 1) * sizeof(word))
		memcpy(&word, (const char *)(record + 1) + place * sizeof(word), sizeof(word));
	return word;
}

/* perf tells the build id with the mapping, or at the end of the file for each path. */
static void take_build(const struct import *import, struct history_map *map, const char *path)
{
	const struct perf_file_build *build = perf_file_build(import->file, path);

	if (map->build_id_size || !build)
		return;
	map->build_id_size = build->size;
	memcpy(map->build_id, build->id, build->size);
}

static void take_map(struct import *import, const struct perf_event_header *record)
{
	struct perf_record_map map;

	if (!perf_record_map(&map, record, &import->trailer)) {
		history_lost(import->profile->history, 1);
		return;
	}
	if (map.pid == NOBODY) {
		if (strcmp(map.map.path, KERNEL_TEXT))
			return;
		take_build(import, &map.map, KERNEL_BUILD_OF);
		import->kernel = map.map;
		return;
	}
	take_build(import, &map.map, map.map.path);
	history_map(import->profile->history, map.pid, map.tid, &map.map);
}

/* First pass: processes, mappings and losses. */
static void take_life(struct import *import, const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_map(import, record);
		return;
	case PERF_RECORD_LOST:
		import->lost += word_of(record, 1);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		if (record->misc & MISC_LOST_BPF)
			import->status->filtered += word_of(record, 0);
		else
			import->lost_samples += word_of(record, 0);
		return;
	case PERF_RECORD_THROTTLE:
		import->unknown |= IMPORTED_THROTTLED;
		return;
	case RECORD_CALLCHAIN_DEFERRED:
		import->unknown |= IMPORTED_DEFERRED;
		return;
	}
	people_take(&import->people, record, &import->trailer);
	perf_record_take(import->profile->history, record, &import->trailer);
}

/* A guest's addresses mean nothing here. */
static bool of_guest(const struct perf_sample *sample)
{
	switch (sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
	case PERF_RECORD_MISC_HYPERVISOR:
		return true;
	default:
		return false;
	}
}

static void take_traits(struct import *import, const struct perf_sample *sample,
			const struct perf_source *source)
{
	__u32 *traits = &import->tables.core.traits;

	if (import->cpu.intel && !(sample->misc & PERF_RECORD_MISC_EXACT_IP))
		*traits |= MEMLAT_TRAIT_IP_AFTER;
	if (source->tlb)
		*traits |= MEMLAT_TRAIT_TLB;
	if (source->blocked)
		*traits |= MEMLAT_TRAIT_BLOCKED;
	if (source->snoop == MEMLAT_SNOOP_XSNP_FWD)
		*traits |= MEMLAT_TRAIT_XSNP_FWD;
}

static __u8 cell_flags(const struct perf_source *source)
{
	__u8 flags = 0;

	if (source->store)
		flags |= MEMLAT_CELL_STORE |
			 (source->source == MEMLAT_SRC_L1 ? MEMLAT_CELL_L1_HIT : 0);
	if (source->flags & MEMLAT_WORD_STLB_MISS)
		flags |= MEMLAT_CELL_STLB_MISS;
	if (source->flags & MEMLAT_WORD_LOCKED)
		flags |= MEMLAT_CELL_LOCKED;
	if (source->flags & MEMLAT_WORD_BLOCKED_DATA && !source->store)
		flags |= MEMLAT_CELL_BLOCKED_DATA;
	if (source->flags & MEMLAT_WORD_BLOCKED_ADDR && !source->store)
		flags |= MEMLAT_CELL_BLOCKED_ADDR;
	if (source->source == MEMLAT_SRC_L3_SNOOP && source->snoop == MEMLAT_SNOOP_XSNP_FWD)
		flags |= MEMLAT_CELL_XSNP_FWD;
	return flags;
}

/* As the module does (core/record.h), take the cache latency if both latencies are known. */
static void take_latency(struct import *import, const struct perf_sample *sample,
			 struct memlat_cell *cell, struct import_more *more)
{
	cell->latency_max = sample->latency ? sample->latency : 1;
	import->told_latency |= sample->latency;
	if (import->cpu.intel && sample->latency_more) {
		import->tables.core.traits |= MEMLAT_TRAIT_CACHE_LATENCY;
		more->use_latency = sample->latency_more;
		if (memlat_cell_source(cell) == MEMLAT_SRC_L1 &&
		    more->use_latency > 2 * cell->latency_max)
			cell->flags |= MEMLAT_CELL_NOT_MEMORY;
	}
	cell->kind |= memlat_bucket_of(cell->latency_max);
}

static void take_period(struct import *import, const struct perf_sample *sample,
			struct memlat_cell *cell)
{
	__u64 *seen = import->period[memlat_cell_is_store(cell)];

	cell->weight = sample->period ? sample->period : 1;
	if (!sample->period)
		import->unknown |= IMPORTED_NO_PERIOD;
	if (!seen[0] || cell->weight < seen[0])
		seen[0] = cell->weight;
	if (cell->weight > seen[1])
		seen[1] = cell->weight;
}

static void take_place(struct import *import, const struct perf_sample *sample,
		       struct import_more *more)
{
	int node;

	if (sample->cpu == NOBODY) {
		import->unknown |= IMPORTED_NO_CPU;
		return;
	}
	more->cpu = 1ULL << sample->cpu % 64;
	if (sample->cpu / 64 < MEMLAT_CPU_WORDS)
		import->tables.core.cpus[sample->cpu / 64] |= more->cpu;
	node = machine_node(import->machine, sample->cpu);
	if (node < 0)
		import->unknown |= IMPORTED_NO_NODE;
	else
		more->node = 1ULL << node % 64;
}

static void take_time(struct import *import, const struct perf_sample *sample)
{
	if (!sample->time) {
		import->unknown |= IMPORTED_NO_TIME;
		return;
	}
	if (!import->first_ns || sample->time < import->first_ns)
		import->first_ns = sample->time;
	if (sample->time > import->last_ns)
		import->last_ns = sample->time;
}

static void take_who(struct import *import, const struct perf_sample *sample,
		     struct memlat_shard_thread *who)
{
	const char *process = people_name(&import->people, sample->pid, sample->time);
	const char *thread = people_name(&import->people, sample->tid, sample->time);

	who->tgid = sample->pid;
	who->tid = sample->tid;
	who->gen = people_generation(&import->people, sample->pid, sample->time);
	who->first_ns = who->named_ns = sample->time;
	memcpy(who->process, process, strlen(process));
	/* A thread without a name has its process's name. */
	thread = *thread ? thread : process;
	memcpy(who->comm, thread, strlen(thread));
}

/* Another library may have been there before. */
static __u64 address_at(const struct import *import, const struct perf_sample *sample,
			__u64 address)
{
	if (!sample->time)
		return address;
	return history_address_at(import->profile->history, sample->pid, sample->time, address);
}

static void add(struct import *import, const struct perf_sample *sample,
		const struct perf_source *source)
{
	struct memlat_shard_thread who = { 0 };
	struct memlat_shard_stack stack = { 0 };
	struct import_more more = {
		.who = &who, .word = source->word, .flags = source->flags, .snoop = source->snoop,
	};
	struct memlat_cell cell = {
		.addr = sample->addr, .ip = sample->ip, .tgid = sample->pid, .tid = sample->tid,
		.phys = sample->phys & ~(__u64)(MEMLAT_LINE_BYTES - 1),
		.kind = (__u8)(source->source << 4), .flags = cell_flags(source), .samples = 1,
	};

	unsigned int i;

	take_time(import, sample);
	take_place(import, sample, &more);
	take_who(import, sample, &who);
	cell.gen = who.gen;
	cell.addr = address_at(import, sample, sample->addr);
	cell.ip = address_at(import, sample, sample->ip);
	if (!source->store)
		take_latency(import, sample, &cell, &more);
	else if (import->tables.core.traits & MEMLAT_TRAIT_STORE_SOURCE)
		cell.latency_max = sample->latency;
	cell.latency_sum = cell.latency_max;
	take_period(import, sample, &cell);
	take_traits(import, sample, source);
	if (sample->frames) {
		stack.tgid = cell.tgid;
		stack.gen = cell.gen;
		stack.frames = (__u16)sample->frames;
		stack.kernel_frames = (__u16)sample->kernel_frames;
		for (i = 0; i < sample->frames; i++)
			stack.frame[i] = address_at(import, sample, sample->frame[i]);
		more.stack = &stack;
	}
	import_tables_add(&import->tables, &cell, &more);
}

/* Second pass. */
static void take_sample(struct import *import, const struct perf_event_header *record)
{
	const struct perf_file_event *event = perf_sample_event(import->file, record);
	struct perf_source_ways ways = { 0 };
	struct perf_source source;
	struct perf_sample sample;
	unsigned int traits;

	/* Skip samples of other events. */
	if (event && !event->memory)
		return;
	import->status->records++;
	if (!event || !perf_sample_read(&sample, event, record)) {
		import->status->malformed++;
		return;
	}
	traits = cpu_models_traits(&import->cpu, event->attr.config & 0xffff);
	ways.forwards = traits & MEMLAT_TRAIT_XSNP_FWD;
	ways.stores = traits & MEMLAT_TRAIT_STORE_SOURCE;
	import->tables.core.traits |= traits & MEMLAT_TRAIT_STORE_SOURCE;
	source = perf_source_of(sample.data_src, &ways);
	if ((!source.load && !source.store) || of_guest(&sample))
		import->status->filtered++;
	/* The hardware had no address for it, or perf has no instruction. */
	else if (!sample.addr || !sample.ip)
		import->status->malformed++;
	else
		add(import, &sample, &source);
}

static int each_record(struct import *import, bool samples)
{
	const struct perf_event_header *record;
	int ret;

	perf_file_rewind(import->file);
	while ((ret = perf_file_next(import->file, &record)) > 0) {
		if ((record->type == PERF_RECORD_SAMPLE) != samples)
			continue;
		if (samples)
			take_sample(import, record);
		else
			take_life(import, record);
	}
	return ret;
}

/*
 * Choose the events whose samples are taken. For an Arm SPE trace, perf may make several events, of
 * which "memory" has each access once.
 */
static int choose_events(struct import *import)
{
	struct perf_file *file = import->file;
	bool any = false, memory = false;
	size_t i;

	for (i = 0; i < file->nr_events; i++) {
		any |= file->events[i].memory;
		memory |= file->events[i].memory && file->events[i].name &&
			  !strcmp(file->events[i].name, "memory");
	}
	if (!any)
		return perf_file_refuse(file, "none of its %zu events has addresses of data and where they were found; record with perf mem record or perf c2c record",
					file->nr_events);
	for (i = 0; i < file->nr_events && memory; i++)
		file->events[i].memory = file->events[i].name &&
					 !strcmp(file->events[i].name, "memory");
	return 0;
}

/* Take the facts about the whole session from the events. */
static void take_config(struct import *import)
{
	struct memlat_status *status = import->status;
	size_t i;

	for (i = 0; i < import->file->nr_events; i++) {
		const struct perf_event_attr *attr = &import->file->events[i].attr;

		if (!import->file->events[i].memory)
			continue;
		if (!attr->exclude_user)
			status->flags |= MEMLAT_F_USER;
		if (!attr->exclude_kernel)
			status->flags |= MEMLAT_F_KERNEL;
		if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
			status->flags |= MEMLAT_F_CALL_GRAPH;
		if (attr->sample_type & PERF_SAMPLE_PHYS_ADDR)
			status->flags |= MEMLAT_F_PHYS;
		/* The value of MSR_PEBS_LD_LAT_THRESHOLD, in the event for loads. */
		if (import->cpu.intel && attr->config1)
			status->ldlat = attr->config1 & 0xffff;
		if (import->cpu.amd && attr->config1)
			status->ldlat = attr->config1 & IBS_LATENCY;
		/* With a threshold, the kernel sets this filter too. */
		if (import->cpu.amd && (attr->config & IBS_L3_MISS_ONLY || status->ldlat))
			import->unknown |= IMPORTED_L3_MISSES;
		if (import->cpu.amd && attr->config1 & IBS_STREAMING)
			import->unknown |= IMPORTED_STREAMING;
	}
	if (!perf_machine_has_hitm(import->file))
		import->unknown |= IMPORTED_NO_HITM;
}

static void finish_status(struct import *import)
{
	struct memlat_status *status = import->status;
	const __u64 lost = import->lost > import->lost_samples ? import->lost :
								 import->lost_samples;

	/* Lost records count as records that are not valid. */
	status->malformed += lost;
	status->records = status->samples + status->filtered + status->malformed;
	status->size = sizeof(*status);
	status->started_ns = import->first_ns ? import->first_ns : 1;
	status->duration_ns = import->last_ns - import->first_ns;
	status->cpus_online = import->file->cpus_online;
	status->nodes = import->machine->nr_nodes ? (__u32)import->machine->nr_nodes : 1;
	status->period_low = import->period[0][0];
	status->period_high = import->period[0][1];
	status->store_period_low = import->period[1][0];
	status->store_period_high = import->period[1][1];
	status->period = status->period_low;
	status->traits = import->tables.core.traits;
	status->cores = 1;
	if (status->loads || !status->stores)
		status->flags |= MEMLAT_F_LOADS;
	/* IBS and SPE sample loads and stores together. */
	if (status->stores || !import->cpu.intel)
		status->flags |= MEMLAT_F_STORES;
	if (!import->told_latency && status->loads)
		import->unknown |= IMPORTED_NO_LATENCY;
	status->flags |= IMPORTED | import->unknown;
}

/*
 * Read the running kernel's names if it is the one that was recorded and was not rebooted since.
 * Otherwise note what identifies its debug file.
 */
static void name_kernel(struct import *import)
{
	const struct history_map *kernel = &import->kernel;
	struct kernel_names *names = NULL;

	if (!kernel->build_id_size || !kernel->offset ||
	    !(import->status->flags & MEMLAT_F_KERNEL))
		return;
	if (kernel_names_read(&names, &import->profile->snap, NULL, false) ||
	    names->text != kernel->offset || names->build_id_size != kernel->build_id_size ||
	    memcmp(names->build_id, kernel->build_id, kernel->build_id_size)) {
		kernel_names_free(names);
		names = xcalloc(1, sizeof(*names));
		names->text = kernel->offset;
		names->build_id_size = kernel->build_id_size;
		memcpy(names->build_id, kernel->build_id, kernel->build_id_size);
	}
	import->profile->kernel = names;
}

static void finish(struct import *import)
{
	struct profile *profile = import->profile;
	struct memlat_rec_status *head = &profile->snap.head;
	struct memlat_rec_core *core = &import->tables.core;

	head->hdr = (struct memlat_rec_header){ MEMLAT_REC_STATUS, sizeof(*head) };
	head->abi_version = MEMLAT_ABI_VERSION;
	memcpy(head->model_name, import->machine->query.model_name, sizeof(head->model_name));
	memcpy(core->model_name, import->machine->query.model_name, sizeof(core->model_name));
	memcpy(core->model_title, import->machine->query.model_title, sizeof(core->model_title));
	import_tables_end(&import->tables);
	finish_status(import);
	history_keep_sampled(profile->history, &profile->snap);
	history_settle(profile->history, &profile->snap);
	name_kernel(import);
	history_name_kernel(profile->history, &profile->kernel);
	if (import->file->command)
		profile->command = xstrdup(import->file->command);
	profile->recorded_at = import->file->modified;
}

static int import_file(struct import *import, __u64 memory)
{
	int ret = perf_samples_check(import->file);

	if (!ret)
		ret = choose_events(import);
	if (ret)
		return ret;
	import->trailer = perf_trailer_of(import->file);
	import->cpu = perf_machine_cpu(import->file);
	perf_machine_read(import->machine, import->file);
	take_config(import);
	ret = each_record(import, false);
	if (ret)
		return ret;
	people_settle(&import->people);
	history_settle(import->profile->history, NULL);
	import_tables_begin(&import->tables, &import->profile->snap, memory,
			    import->status->flags & MEMLAT_F_CALL_GRAPH);
	import->status->max_memory = memory;
	ret = each_record(import, true);
	finish(import);
	return ret;
}

int import_perf(struct profile *profile, const char *path, __u64 memory,
		char why[PERF_FILE_ERROR_MAX])
{
	struct perf_file file;
	struct import import = {
		.file = &file, .profile = profile, .status = &profile->snap.head.status,
		.machine = &profile->machine,
	};
	int ret;

	profile_init(profile);
	profile->history = history_new();
	ret = perf_file_open(&file, path, why);
	if (!ret)
		ret = import_file(&import, memory);
	if (ret)
		profile_free(profile);
	people_free(&import.people);
	perf_file_close(&file);
	return ret;
}
