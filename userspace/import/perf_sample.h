/* SPDX-License-Identifier: GPL-2.0 */
/* Parse one sample of a perf.data, by the fields that its event has. */
#ifndef MEMLAT_PERF_SAMPLE_H
#define MEMLAT_PERF_SAMPLE_H

#include <stdbool.h>

#include "../record/perf_record.h"
#include "perf_file.h"

/* most frames of a call chain that are kept: MEMLAT_STACK_FRAMES */
#define PERF_SAMPLE_FRAMES	32

struct perf_sample {
	const struct perf_file_event *event;
	__u16 misc;			/* PERF_RECORD_MISC_* */
	__u64 ip, addr, time, phys, data_src;
	__u64 period;			/* 0: not in the sample */
	__u32 pid, tid, cpu;		/* cpu: ~0 if it is not in the sample */
	__u32 latency;			/* 0: not in the sample */
	__u16 latency_more;		/* the second latency, if there are two */
	unsigned int frames, kernel_frames;
	__u64 frame[PERF_SAMPLE_FRAMES];	/* innermost first */
};

/*
 * The event of a sample; NULL: it cannot be known, or does not exist. perf_samples_check() made
 * sure that samples of several events can be told apart.
 */
const struct perf_file_event *perf_sample_event(const struct perf_file *file,
						const struct perf_event_header *record);
/* Can the events of samples be told apart? Returns 0 or -EBADMSG, as perf_file_next() does. */
int perf_samples_check(struct perf_file *file);

/* False: the sample is shorter than its event says. */
bool perf_sample_read(struct perf_sample *sample, const struct perf_file_event *event,
		      const struct perf_event_header *record);

/* The trailer of the other records. */
struct perf_trailer perf_trailer_of(const struct perf_file *file);

#endif
