// SPDX-License-Identifier: GPL-2.0
#include "intake.h"

#include <stdlib.h>
#include <string.h>

#include "../profile/imported.h"
#include "../util/xalloc.h"

#define NOBODY		(~0U)		/* perf's number of a CPU that is not known */
#define RECORD_CALLCHAIN_DEFERRED	22	/* of Linux 6.19 */
/* IBS, on AMD: bits of config and of config1 (/sys/bus/event_source/devices/ibs_op/format) */
#define IBS_L3_MISS_ONLY	(1ULL << 16)
#define IBS_LATENCY		0xfffULL
#define IBS_STREAMING		(1ULL << 12)
#define BURST_MOST_NS	50000000ULL	/* neighbours that are farther apart are none */
#define MISC_LOST_BPF	(1U << 15)	/* samples that a filter of perf's left out */

/* A word of the record's body, behind its header. */
static __u64 word_of(const struct perf_event_header *record, size_t place)
{
	__u64 word = 0;

	if (record->size >= sizeof(*record) + (place + 1) * sizeof(word))
		memcpy(&word, (const char *)(record + 1) + place * sizeof(word), sizeof(word));
	return word;
}

void intake_life(struct intake *intake, const struct perf_event_header *record)
{
	switch (record->type) {
	case PERF_RECORD_LOST:
		intake->lost += word_of(record, 1);
		/* The events of a recording count what each of them lost. */
		if (intake->live)
			return;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		if (record->misc & MISC_LOST_BPF)
			intake->status->filtered += word_of(record, 0);
		else
			intake->lost_samples += word_of(record, 0);
		return;
	case PERF_RECORD_THROTTLE:
		intake->throttled++;
		intake->unknown |= IMPORTED_THROTTLED;
		return;
	case RECORD_CALLCHAIN_DEFERRED:
		intake->unknown |= IMPORTED_DEFERRED;
		return;
	}
	perf_tasks_take(&intake->people, record, &intake->trailer);
	perf_record_take(intake->history, record, &intake->trailer);
}

/*
 * A guest's addresses mean nothing here. Nor do those of processes outside of the PID namespace from
 * which perf was used: all have the number 0, so they would count as one process.
 */
static bool of_stranger(const struct perf_sample *sample)
{
	switch (sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_USER:
		return !sample->pid;
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
	case PERF_RECORD_MISC_HYPERVISOR:
		return true;
	default:
		return false;
	}
}

static void take_traits(struct intake *intake, const struct perf_sample *sample,
			const struct perf_source *source)
{
	__u32 *traits = &intake->tables.core.traits;

	if (intake->cpu.intel && !(sample->misc & PERF_RECORD_MISC_EXACT_IP))
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
static void take_latency(struct intake *intake, const struct perf_sample *sample,
			 struct memlat_cell *cell, struct import_more *more)
{
	cell->latency_max = sample->latency ? sample->latency : 1;
	intake->told_latency |= sample->latency;
	if (intake->cpu.intel && sample->latency_more) {
		intake->tables.core.traits |= MEMLAT_TRAIT_CACHE_LATENCY;
		more->use_latency = sample->latency_more;
		if (memlat_cell_source(cell) == MEMLAT_SRC_L1 &&
		    more->use_latency > 2 * cell->latency_max)
			cell->flags |= MEMLAT_CELL_NOT_MEMORY;
	}
	cell->kind |= memlat_bucket_of(cell->latency_max);
}

static void take_period(struct intake *intake, const struct perf_sample *sample,
			struct memlat_cell *cell)
{
	__u64 *seen = intake->period[memlat_cell_is_store(cell)];

	if (sample->event->burst)
		return;
	cell->weight = sample->period ? sample->period : 1;
	if (!sample->period)
		intake->unknown |= IMPORTED_NO_PERIOD;
	if (!seen[0] || cell->weight < seen[0])
		seen[0] = cell->weight;
	if (cell->weight > seen[1])
		seen[1] = cell->weight;
}

static void take_place(struct intake *intake, const struct perf_sample *sample,
		       struct import_more *more)
{
	int node;

	if (sample->cpu == NOBODY) {
		intake->unknown |= IMPORTED_NO_CPU;
		return;
	}
	more->cpu = 1ULL << sample->cpu % 64;
	if (sample->cpu / 64 < MEMLAT_CPU_WORDS)
		intake->tables.core.cpus[sample->cpu / 64] |= more->cpu;
	node = machine_node(intake->machine, sample->cpu);
	if (node < 0)
		intake->unknown |= IMPORTED_NO_NODE;
	else
		more->node = 1ULL << node % 64;
}

static void take_time(struct intake *intake, const struct perf_sample *sample)
{
	if (!sample->time) {
		intake->unknown |= IMPORTED_NO_TIME;
		return;
	}
	if (!intake->first_ns || sample->time < intake->first_ns)
		intake->first_ns = sample->time;
	if (sample->time > intake->last_ns)
		intake->last_ns = sample->time;
}

static void take_who(struct intake *intake, const struct perf_sample *sample,
		     struct memlat_shard_thread *who)
{
	const char *process = perf_tasks_name(&intake->people, sample->pid, sample->time);
	const char *thread = perf_tasks_name(&intake->people, sample->tid, sample->time);

	who->tgid = sample->pid;
	who->tid = sample->tid;
	who->gen = perf_tasks_generation(&intake->people, sample->pid, sample->time);
	who->first_ns = who->named_ns = sample->time;
	memcpy(who->process, process, strlen(process));
	/* A thread without a name has its process's name. */
	thread = *thread ? thread : process;
	memcpy(who->comm, thread, strlen(thread));
}

/*
 * Another library may have been there before. While samples come, what follows is not known: names
 * are those of the last mapping, as with the module's rows.
 */
static __u64 address_at(const struct intake *intake, const struct perf_sample *sample,
			__u64 address)
{
	if (intake->live || !sample->time)
		return address;
	return history_address_at(intake->history, sample->pid, sample->time, address);
}

/* Each turn is of another event than the one before, which may have had nothing on this CPU. */
static void take_neighbour(struct intake *intake, const struct perf_sample *sample,
			   const struct memlat_cell *cell)
{
	struct intake_burst *burst;

	if (sample->cpu == NOBODY)
		return;
	while (sample->cpu >= intake->nr_bursts) {
		ARRAY_GROW(intake->bursts, intake->nr_bursts + 1, intake->room_bursts);
		intake->bursts[intake->nr_bursts++] = (struct intake_burst){ NULL };
	}
	burst = &intake->bursts[sample->cpu];
	if (!burst->last)
		burst->last = xcalloc(MEMLAT_STEP_IPS, sizeof(*burst->last));
	if (burst->event != sample->event || burst->tid != sample->tid ||
	    sample->time > burst->time + BURST_MOST_NS) {
		burst->nr++;
		burst->length = 0;
	}
	burst->event = sample->event;
	burst->tid = sample->tid;
	burst->time = sample->time;
	if (++burst->length > intake->longest_burst)
		intake->longest_burst = burst->length;
	import_tables_neighbour(&intake->tables, burst->last, burst->nr, cell);
}

static void add_sample(struct intake *intake, const struct perf_sample *sample,
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

	take_time(intake, sample);
	take_place(intake, sample, &more);
	take_who(intake, sample, &who);
	cell.gen = who.gen;
	cell.addr = address_at(intake, sample, sample->addr);
	cell.ip = address_at(intake, sample, sample->ip);
	if (!source->store)
		take_latency(intake, sample, &cell, &more);
	else if (intake->tables.core.traits & MEMLAT_TRAIT_STORE_SOURCE)
		cell.latency_max = sample->latency;
	cell.latency_sum = cell.latency_max;
	take_period(intake, sample, &cell);
	take_traits(intake, sample, source);
	if (sample->frames) {
		stack.tgid = cell.tgid;
		stack.gen = cell.gen;
		stack.frames = (__u16)sample->frames;
		stack.kernel_frames = (__u16)sample->kernel_frames;
		for (i = 0; i < sample->frames; i++)
			stack.frame[i] = address_at(intake, sample, sample->frame[i]);
		more.stack = &stack;
	}
	import_tables_add(&intake->tables, &cell, &more);
	if (sample->event->burst)
		take_neighbour(intake, sample, &cell);
}

void intake_sample(struct intake *intake, const struct perf_event_header *record)
{
	const struct perf_event *event = perf_sample_event(intake->events, record);
	struct perf_source_ways ways = { 0 };
	struct perf_source source;
	struct perf_sample sample;
	unsigned int traits;

	/* Skip samples of other events. */
	if (event && !event->memory)
		return;
	intake->status->records++;
	if (!event || !perf_sample_read(&sample, event, record)) {
		intake->status->malformed++;
		return;
	}
	traits = cpu_models_traits(&intake->cpu, event->attr.config & 0xffff);
	ways.forwards = traits & MEMLAT_TRAIT_XSNP_FWD;
	ways.stores = traits & MEMLAT_TRAIT_STORE_SOURCE;
	intake->tables.core.traits |= traits & MEMLAT_TRAIT_STORE_SOURCE;
	source = perf_source_of(sample.data_src, &ways);
	if ((!source.load && !source.store) || of_stranger(&sample))
		intake->status->filtered++;
	/* The hardware had no address for it, or perf has no instruction. */
	else if (!sample.addr || !sample.ip)
		intake->status->malformed++;
	else
		add_sample(intake, &sample, &source);
}

void intake_config(struct intake *intake)
{
	struct memlat_status *status = intake->status;
	size_t i;

	for (i = 0; i < intake->events->nr; i++) {
		const struct perf_event_attr *attr = &intake->events->event[i].attr;

		if (!intake->events->event[i].memory)
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
		if (intake->cpu.intel && attr->config1)
			status->ldlat = attr->config1 & 0xffff;
		if (intake->cpu.amd && attr->config1)
			status->ldlat = attr->config1 & IBS_LATENCY;
		/* With a threshold, the kernel sets this filter too. */
		if (intake->cpu.amd && (attr->config & IBS_L3_MISS_ONLY || status->ldlat))
			intake->unknown |= IMPORTED_L3_MISSES;
		if (intake->cpu.amd && attr->config1 & IBS_STREAMING)
			intake->unknown |= IMPORTED_STREAMING;
	}
}

void intake_begin(struct intake *intake, __u64 memory)
{
	import_tables_begin(&intake->tables, intake->snap, memory, intake->status->flags);
	intake->status->max_memory = memory;
}

static void finish_head(struct intake *intake)
{
	const struct memlat_query *query = &intake->machine->query;
	struct memlat_rec_status *head = &intake->snap->head;
	struct memlat_rec_core *core = &intake->tables.core;

	head->hdr = (struct memlat_rec_header){ MEMLAT_REC_STATUS, sizeof(*head) };
	head->abi_version = MEMLAT_ABI_VERSION;
	memcpy(head->model_name, query->model_name, sizeof(head->model_name));
	memcpy(core->model_name, query->model_name, sizeof(core->model_name));
	memcpy(core->model_title, query->model_title, sizeof(core->model_title));
}

void intake_end(struct intake *intake)
{
	struct memlat_status *status = intake->status;

	finish_head(intake);
	import_tables_end(&intake->tables);
	/* Lost records count as records that are not valid. */
	status->malformed += intake->lost;
	status->records = status->samples + status->filtered + status->malformed +
			  status->collision;
	status->size = sizeof(*status);
	status->nodes = intake->machine->nr_nodes ? (__u32)intake->machine->nr_nodes : 1;
	status->period_low = intake->period[0][0];
	status->period_high = intake->period[0][1];
	status->store_period_low = intake->period[1][0];
	status->store_period_high = intake->period[1][1];
	status->period = status->period_low;
	status->traits = intake->tables.core.traits;
	status->cores = 1;
	if (!intake->told_latency && status->loads)
		intake->unknown |= IMPORTED_NO_LATENCY;
	status->flags |= intake->unknown;
}

void intake_free(struct intake *intake)
{
	while (intake->nr_bursts)
		free(intake->bursts[--intake->nr_bursts].last);
	free(intake->bursts);
	perf_tasks_free(&intake->people);
}
