// SPDX-License-Identifier: GPL-2.0
/* Parse a sample. The order of its fields is given in linux/perf_event.h at PERF_RECORD_SAMPLE. */
#include "perf_sample.h"

#include <stdlib.h>
#include <string.h>

#include "../util/bytes.h"
#include "../util/order.h"

/* Fields of 8 bytes that come before the event's id in a sample. */
#define BEFORE_ID	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)

ORDER_BY(by_id, struct perf_event_id, id)

void perf_events_sort(struct perf_events *events)
{
	SORT(events->ids, events->nr_ids, by_id);
}

void perf_events_free(struct perf_events *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++)
		free(events->event[i].name);
	free(events->event);
	free(events->ids);
	memset(events, 0, sizeof(*events));
}

bool perf_samples_differ(const struct perf_events *events)
{
	__u64 first;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		first = events->event[0].attr.sample_type;
		if (events->nr == 1 ||
		    events->event[i].attr.sample_type & first & PERF_SAMPLE_IDENTIFIER)
			continue;
		if (events->event[i].attr.sample_type != first || !(first & PERF_SAMPLE_ID))
			return false;
	}
	return true;
}

static const struct perf_event *event_of_id(const struct perf_events *events, __u64 id)
{
	const struct perf_event_id wanted = { .id = id };
	const struct perf_event_id *found = NULL;

	if (events->nr_ids)
		found = bsearch(&wanted, events->ids, events->nr_ids, sizeof(wanted), by_id);
	return found ? &events->event[found->event] : NULL;
}

const struct perf_event *perf_sample_event(const struct perf_events *events,
					   const struct perf_event_header *record)
{
	const __u64 type = events->nr ? events->event[0].attr.sample_type : 0;
	size_t at = sizeof(*record);
	__u64 id;

	if (events->nr == 1)
		return &events->event[0];
	if (!(type & PERF_SAMPLE_IDENTIFIER))
		at += 8 * (size_t)__builtin_popcountll(type & BEFORE_ID);
	if (!events->nr || record->size < at + sizeof(id))
		return NULL;
	memcpy(&id, (const char *)record + at, sizeof(id));
	return event_of_id(events, id);
}

/* Skip nr items of size bytes each. */
static void skip_several(struct bytes_reader *reader, __u64 nr, size_t size)
{
	if (nr > bytes_left(reader) / size)
		reader->failed = true;
	else
		bytes_get_raw(reader, nr * size);
}

static void skip_counts(struct bytes_reader *reader, __u64 format)
{
	const bool group = format & PERF_FORMAT_GROUP;
	const __u64 nr = group ? bytes_get(reader, 8) : 1;
	/* PERF_FORMAT_LOST is bit 4. */
	const size_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 1U << 4);

	skip_several(reader, (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0) +
		     (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0), 8);
	skip_several(reader, nr, 8 * each);
}

/* The call chain contains marks that tell the mode of the addresses behind them. */
static void take_chain(struct perf_sample *sample, struct bytes_reader *reader)
{
	__u64 i, nr = bytes_get(reader, 8);
	bool kernel = false, user = true;

	if (nr > bytes_left(reader) / 8) {
		reader->failed = true;
		return;
	}
	for (i = 0; i < nr; i++) {
		__u64 ip = bytes_get(reader, 8);

		if (ip >= PERF_CONTEXT_MAX) {
			kernel = ip == PERF_CONTEXT_KERNEL;
			user = ip == PERF_CONTEXT_USER;
			continue;
		}
		/* Skip guests and hypervisors, whose code has no names here. */
		if ((!kernel && !user) || sample->frames == PERF_SAMPLE_FRAMES)
			continue;
		sample->frame[sample->frames++] = ip;
		if (kernel && sample->kernel_frames == sample->frames - 1)
			sample->kernel_frames++;
	}
}

static void skip_branches(struct bytes_reader *reader, __u64 type)
{
	const __u64 nr = bytes_get(reader, 8);

	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		bytes_get(reader, 8);
	skip_several(reader, nr, 24);
	/* PERF_SAMPLE_BRANCH_COUNTERS */
	if (type & 1U << 19)
		skip_several(reader, nr, 8);
}

static void skip_registers(struct bytes_reader *reader, __u64 mask)
{
	if (bytes_get(reader, 8) != PERF_SAMPLE_REGS_ABI_NONE)
		skip_several(reader, (__u64)__builtin_popcountll(mask), 8);
}

static void skip_stack(struct bytes_reader *reader)
{
	const __u64 size = bytes_get(reader, 8);

	bytes_get_raw(reader, size);
	if (size)
		bytes_get(reader, 8);
}

static void take_weight(struct perf_sample *sample, struct bytes_reader *reader, __u64 type)
{
	const __u64 weight = bytes_get(reader, 8);

	sample->latency = (__u32)weight;
	if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		sample->latency_more = (__u16)(weight >> 32);
	else if (weight > ~0U)
		sample->latency = ~0U;
}

/* Take the fields up to the counts that a group may have. */
static void take_first(struct perf_sample *sample, struct bytes_reader *reader, __u64 type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		bytes_get(reader, 8);
	if (type & PERF_SAMPLE_IP)
		sample->ip = bytes_get(reader, 8);
	if (type & PERF_SAMPLE_TID) {
		sample->pid = (__u32)bytes_get(reader, 4);
		sample->tid = (__u32)bytes_get(reader, 4);
	}
	if (type & PERF_SAMPLE_TIME)
		sample->time = bytes_get(reader, 8);
	if (type & PERF_SAMPLE_ADDR)
		sample->addr = bytes_get(reader, 8);
	if (type & PERF_SAMPLE_ID)
		bytes_get(reader, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		bytes_get(reader, 8);
	if (type & PERF_SAMPLE_CPU) {
		sample->cpu = (__u32)bytes_get(reader, 4);
		bytes_get(reader, 4);
	}
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = bytes_get(reader, 8);
}

bool perf_sample_read(struct perf_sample *sample, const struct perf_event *event,
		      const struct perf_event_header *record)
{
	struct bytes_reader reader = {
		.at = (const unsigned char *)(record + 1), .left = record->size - sizeof(*record),
	};
	const struct perf_event_attr *attr = &event->attr;
	const __u64 type = attr->sample_type;

	*sample = (struct perf_sample){ .event = event, .misc = record->misc, .cpu = ~0U };
	take_first(sample, &reader, type);
	if (type & PERF_SAMPLE_READ)
		skip_counts(&reader, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(sample, &reader);
	if (type & PERF_SAMPLE_RAW)
		bytes_get_raw(&reader, bytes_get(&reader, 4));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(&reader, attr->branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		skip_registers(&reader, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_stack(&reader);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		take_weight(sample, &reader, type);
	if (type & PERF_SAMPLE_DATA_SRC)
		sample->data_src = bytes_get(&reader, 8);
	if (type & PERF_SAMPLE_TRANSACTION)
		bytes_get(&reader, 8);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_registers(&reader, attr->sample_regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		sample->phys = bytes_get(&reader, 8);
	if (!sample->period && !attr->freq)
		sample->period = attr->sample_period;
	return !reader.failed;
}

struct perf_trailer perf_trailer_of(const struct perf_events *events)
{
	const __u64 all = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	struct perf_trailer trailer = { 0 };
	__u64 type;

	/* All events have the same trailer, which is also perf's assumption. */
	if (!events->nr || !events->event[0].attr.sample_id_all)
		return trailer;
	type = events->event[0].attr.sample_type;
	trailer.size = (unsigned short)(8 * __builtin_popcountll(type & all));
	trailer.time = trailer.size;
	if (type & PERF_SAMPLE_TIME)
		trailer.time = type & PERF_SAMPLE_TID ? 8 : 0;
	return trailer;
}
