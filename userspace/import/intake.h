/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Take perf's records, whether they are of a file or of the rings of a recording, and add up the
 * samples in the module's own tables.
 */
#ifndef MEMLAT_INTAKE_H
#define MEMLAT_INTAKE_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../host/cpu_models.h"
#include "../profile/history.h"
#include "../profile/machine.h"
#include "perf_tasks.h"
#include "perf_sample.h"
#include "tables.h"

/* The burst of neighbouring loads that a CPU is in. */
struct intake_burst {
	struct memlat_step_ip *last;	/* loads of instructions; NULL: it had none yet */
	const struct perf_event *event;
	__u32 tid;
	__u64 nr, time, length;
};

struct intake {
	const struct perf_events *events;
	struct perf_trailer trailer;	/* of their other records */
	struct history *history;
	struct snapshot *snap;
	struct memlat_status *status;	/* of snap */
	const struct machine *machine;
	struct cpu_identity cpu;
	/*
	 * All records come once, in order of time. Otherwise those about processes come first, and
	 * people and history are settled before the samples come.
	 */
	bool live;
	struct perf_tasks people;
	struct import_tables tables;
	__u64 lost, lost_samples;	/* sums of perf's two kinds of records of losses */
	__u64 throttled;		/* how often perf paused an event */
	__u64 first_ns, last_ns;
	__u64 period[2][2];		/* for loads and stores: the lowest and the highest */
	__u32 unknown;			/* IMPORTED_* */
	bool told_latency;
	struct intake_burst *bursts;	/* by CPU */
	size_t nr_bursts, room_bursts;
	__u64 longest_burst;		/* loads; whoever reads it sets it to 0 */
};

/* Take the facts about the whole session from the events. */
void intake_config(struct intake *intake);
/* A record that is no sample: processes, mappings and losses. */
void intake_life(struct intake *intake, const struct perf_event_header *record);
/* Samples can be added from now on. memory: the most bytes of the tables. */
void intake_begin(struct intake *intake, __u64 memory);
void intake_sample(struct intake *intake, const struct perf_event_header *record);
/*
 * Move the rows to the snapshot, and complete its status, in which the losses that have another
 * reason than malformed and filtered were counted before; lost: how many counts as malformed.
 */
void intake_end(struct intake *intake);
void intake_free(struct intake *intake);

/* Convert perf's data source of a load or store to memlat's words. */

/* Properties of the CPU that took the samples. */
struct perf_source_ways {
	bool forwards;	/* "modified in another core" may mean clean: MEMLAT_TRAIT_XSNP_FWD */
	bool stores;	/* stores have a source and a latency: MEMLAT_TRAIT_STORE_SOURCE */
};

struct perf_source {
	bool load, store;	/* neither: the sample is no memory access */
	__u8 source;		/* enum memlat_source */
	__u8 snoop;		/* enum memlat_snoop */
	__u16 flags;		/* MEMLAT_WORD_* */
	/* bits 46:19 of perf's word, that is, without its old level and operation */
	__u32 word;
	/* the word tells of the TLB and locks; of the reason why loads were blocked */
	bool tlb, blocked;
};

/* data_src: perf's word, a union perf_mem_data_src. */
struct perf_source perf_source_of(__u64 data_src, const struct perf_source_ways *ways);

#endif
