/* SPDX-License-Identifier: GPL-2.0 */
/* Parse one sample of a ring or of a perf.data, by the fields that its event has. */
#ifndef MEMLAT_PERF_SAMPLE_H
#define MEMLAT_PERF_SAMPLE_H

#include <stdbool.h>

#include "perf_record.h"

/* most frames of a call chain that are kept: MEMLAT_STACK_FRAMES */
#define PERF_SAMPLE_FRAMES	32

/* An event that is sampled, with its options. */
struct perf_event {
	struct perf_event_attr attr;	/* members that a file does not have are zero */
	char *name;			/* perf's name for it; NULL: not known */
	bool memory;			/* its samples have an address and a data source */
	bool burst;			/* of neighbouring loads, which stand for nothing more */
};

struct perf_event_id {
	__u64 id;
	size_t event;
};

/* The events of a file, or of a recording. */
struct perf_events {
	struct perf_event *event;
	size_t nr;
	struct perf_event_id *ids;	/* sorted by id: perf_events_sort() */
	size_t nr_ids, room_ids;
};

void perf_events_sort(struct perf_events *events);
void perf_events_free(struct perf_events *events);

struct perf_sample {
	const struct perf_event *event;
	__u16 misc;			/* PERF_RECORD_MISC_* */
	__u64 ip, addr, time, phys, data_src;
	__u64 period;			/* 0: not in the sample */
	__u32 pid, tid, cpu;		/* cpu: ~0 if it is not in the sample */
	__u32 latency;			/* 0: not in the sample */
	__u16 latency_more;		/* the second latency, if there are two */
	unsigned int frames, kernel_frames;
	__u64 frame[PERF_SAMPLE_FRAMES];	/* innermost first */
};

/* The event of a sample; NULL: it cannot be known, or does not exist. */
const struct perf_event *perf_sample_event(const struct perf_events *events,
					   const struct perf_event_header *record);
/* Can the events of samples be told apart? */
bool perf_samples_differ(const struct perf_events *events);

/* False: the sample is shorter than its event says. */
bool perf_sample_read(struct perf_sample *sample, const struct perf_event *event,
		      const struct perf_event_header *record);

/* The trailer of the other records. */
struct perf_trailer perf_trailer_of(const struct perf_events *events);

#endif
