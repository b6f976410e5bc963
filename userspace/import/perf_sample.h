/* SPDX-License-Identifier: GPL-2.0 */
/* One sample of a perf.data, by what its event says is in it. */
#ifndef MEMLAT_PERF_SAMPLE_H
#define MEMLAT_PERF_SAMPLE_H

#include <stdbool.h>

#include "../record/perf_record.h"
#include "perf_file.h"

#define PERF_SAMPLE_FRAMES	32	/* of a call chain that are kept: MEMLAT_STACK_FRAMES */

struct perf_sample {
	const struct perf_file_event *event;
	__u16 misc;			/* PERF_RECORD_MISC_* */
	__u64 ip, addr, time, phys, data_src;
	__u64 period;			/* 0: not told */
	__u32 pid, tid, cpu;		/* cpu: ~0 where it is not told */
	__u32 latency;			/* 0: not told */
	__u16 latency_more;		/* the second one, where there are two */
	unsigned int frames, kernel_frames;
	__u64 frame[PERF_SAMPLE_FRAMES];	/* innermost first */
};

/*
 * The event of a sample; NULL: it can't be known, or there is none such. What follows from
 * several events' samples being told apart was checked by perf_samples_check().
 */
const struct perf_file_event *perf_sample_event(const struct perf_file *file,
						const struct perf_event_header *record);
/* Can samples be told apart? 0 or -EBADMSG, as perf_file_next() has it. */
int perf_samples_check(struct perf_file *file);

/* False: it ends before what is said to be in it. */
bool perf_sample_read(struct perf_sample *sample, const struct perf_file_event *event,
		      const struct perf_event_header *record);

/* What is behind other records. */
struct perf_trailer perf_trailer_of(const struct perf_file *file);

#endif
