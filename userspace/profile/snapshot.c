// SPDX-License-Identifier: GPL-2.0
#include "snapshot.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../host/device.h"
#include "../util/plain.h"
#include "../util/xalloc.h"
#include "snapshot_totals.h"

#define READ_BYTES	(64 * MEMLAT_REC_MAX)

static const struct {
	const char *name;
	enum memlat_rec_type type;
	size_t end_member;	/* how many rows the end record tells of */
} tables[TABLE_NR] = {
	[TABLE_LINES]		= { "lines", MEMLAT_REC_LINE,
				    offsetof(struct memlat_rec_end, lines) },
	[TABLE_SITES]		= { "sites", MEMLAT_REC_SITE,
				    offsetof(struct memlat_rec_end, sites) },
	[TABLE_ACCESSES]	= { "accesses", MEMLAT_REC_ACCESS,
				    offsetof(struct memlat_rec_end, accesses) },
	[TABLE_THREADS]		= { "threads", MEMLAT_REC_THREAD,
				    offsetof(struct memlat_rec_end, threads) },
	[TABLE_STACKS]		= { "stacks", MEMLAT_REC_STACK,
				    offsetof(struct memlat_rec_end, stacks) },
	[TABLE_SOURCES]		= { "sources", MEMLAT_REC_SOURCE,
				    offsetof(struct memlat_rec_end, sources) },
	[TABLE_STRIDES]		= { "strides", MEMLAT_REC_STRIDE,
				    offsetof(struct memlat_rec_end, strides) },
};

/*
 * Structures as the first modules of this ABI version sent them: what was
 * appended since counts as zero when it does not come.
 */
#define STATUS_LEAST	(offsetof(struct memlat_rec_status, status) + \
			 offsetof(struct memlat_status, traits))
#define LINE_LEAST	offsetof(struct memlat_rec_line, blocked_data)
#define SITE_LEAST	offsetof(struct memlat_rec_site, blocked_data)
#define ACCESS_LEAST	offsetof(struct memlat_rec_access, xsnp_fwd)
#define THREAD_LEAST	offsetof(struct memlat_rec_thread, first_ns)
#define STRIDE_LEAST	offsetof(struct memlat_rec_stride, onward)
#define END_LEAST	offsetof(struct memlat_rec_end, sources)

void snapshot_init(struct snapshot *snap)
{
	memset(snap, 0, sizeof(*snap));
}

void snapshot_free(struct snapshot *snap)
{
	free(snap->lines);
	free(snap->sites);
	free(snap->accesses);
	free(snap->threads);
	free(snap->stacks);
	free(snap->cores);
	free(snap->sources);
	free(snap->counts);
	free(snap->strides);
	free(snap->stream);
	snapshot_init(snap);
}

int snapshot_broken(struct snapshot *snap, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(snap->error, sizeof(snap->error), format, args);
	va_end(args);
	return -EBADMSG;
}

int snapshot_copy(struct snapshot *snap, const char *name, void *to,
		  size_t known, size_t least, const void *from, size_t size)
{
	if (size < least)
		return snapshot_broken(snap, "record %llu (%s) has %zu bytes, needs %zu",
			      snap->records, name, size, least);
	if (size < known)
		memset((char *)to + size, 0, known - size);
	memcpy(to, from, size < known ? size : known);
	return 0;
}

static int copy_known(struct snapshot *snap, const char *name, void *to,
		      size_t known, const void *from, size_t size)
{
	return snapshot_copy(snap, name, to, known, known, from, size);
}

static int take_head(struct snapshot *snap, const void *data, size_t size)
{
	int ret;

	if (snap->have_head)
		return snapshot_broken(snap, "record %llu is a second status record",
			      snap->records);
	/* First of all, whose records these are: sizes may differ for that. */
	if (size >= offsetof(struct memlat_rec_status, reserved)) {
		__u32 version;

		memcpy(&version, (const char *)data +
		       offsetof(struct memlat_rec_status, abi_version),
		       sizeof(version));
		if (version != MEMLAT_ABI_VERSION)
			return snapshot_broken(snap, "its ABI version is %u, known here is %u",
				      version, MEMLAT_ABI_VERSION);
	}
	ret = snapshot_copy(snap, "status", &snap->head, sizeof(snap->head),
			 STATUS_LEAST, data, size);
	if (ret)
		return ret;
	plain_name(snap->head.model_name, sizeof(snap->head.model_name));
	snap->have_head = true;
	return 0;
}

static bool asked(const struct snapshot *snap, enum memlat_rec_type type)
{
	return !snap->tables || snap->tables >> type & 1;
}

bool snapshot_has(const struct snapshot *snap, enum snapshot_table table)
{
	return asked(snap, tables[table].type);
}

/*
 * Room for one more row of a table. It stays free when nr does not move: so rows of a
 * table that was not asked for are checked.
 */
#define ROW_ADD(snap, name) \
	(&ARRAY_GROW((snap)->name, (snap)->nr_##name + 1, (snap)->room_##name)[(snap)->nr_##name])

static void sum_add(struct snapshot *snap, enum snapshot_table table,
		    __u64 samples, __u64 weight, __u64 cost)
{
	struct table_sum *sum = &snap->sum[table];

	sum->rows++;
	sum->samples += samples;
	sum->weight += weight;
	sum->cost += cost;
}

static int take_line(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_line *line = ROW_ADD(snap, lines);
	int ret;

	ret = snapshot_copy(snap, "line", line, sizeof(*line), LINE_LEAST, data,
			 size);
	if (ret)
		return ret;
	if (line->addr % MEMLAT_LINE_BYTES)
		return snapshot_broken(snap, "record %llu: line address 0x%llx is not a multiple of %u",
			      snap->records, line->addr, MEMLAT_LINE_BYTES);
	if (line->stores > line->samples)
		return snapshot_broken(snap, "record %llu: a line has more stores than samples",
			      snap->records);
	if (line->xsnp_fwd > line->source[MEMLAT_SRC_L3_SNOOP])
		return snapshot_broken(snap, "record %llu: a line has more forwarded loads than of their source",
			      snap->records);
	sum_add(snap, TABLE_LINES, line->samples, line->weight, line->cost);
	snap->nr_lines += snapshot_has(snap, TABLE_LINES);
	return 0;
}

static int take_site(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_site *site = ROW_ADD(snap, sites);
	int ret;

	ret = snapshot_copy(snap, "site", site, sizeof(*site), SITE_LEAST, data,
			 size);
	if (ret)
		return ret;
	if (site->stores > site->samples)
		return snapshot_broken(snap, "record %llu: a site has more stores than samples",
			      snap->records);
	if (site->xsnp_fwd > site->source[MEMLAT_SRC_L3_SNOOP])
		return snapshot_broken(snap, "record %llu: a site has more forwarded loads than of their source",
			      snap->records);
	sum_add(snap, TABLE_SITES, site->samples, site->weight, site->cost);
	snap->nr_sites += snapshot_has(snap, TABLE_SITES);
	return 0;
}

static int take_access(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_access *access = ROW_ADD(snap, accesses);
	int ret;

	ret = snapshot_copy(snap, "access", access, sizeof(*access), ACCESS_LEAST,
			 data, size);
	if (ret)
		return ret;
	sum_add(snap, TABLE_ACCESSES, access->samples, access->weight,
		access->cost);
	snap->nr_accesses += snapshot_has(snap, TABLE_ACCESSES);
	return 0;
}

static int take_thread(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_thread *thread = ROW_ADD(snap, threads);
	int ret;

	ret = snapshot_copy(snap, "thread", thread, sizeof(*thread), THREAD_LEAST,
			 data, size);
	if (ret)
		return ret;
	sum_add(snap, TABLE_THREADS, thread->samples, thread->weight, thread->cost);
	snap->nr_threads += snapshot_has(snap, TABLE_THREADS);
	return 0;
}

static int take_stack(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_stack *stack = ROW_ADD(snap, stacks);
	int ret;

	ret = copy_known(snap, "stack", stack, sizeof(*stack), data, size);
	if (ret)
		return ret;
	if (stack->frames > MEMLAT_STACK_FRAMES || stack->kernel_frames > stack->frames)
		return snapshot_broken(snap, "record %llu: a stack has %u frames, %u of them in the kernel; possible are %u",
			      snap->records, stack->frames, stack->kernel_frames,
			      MEMLAT_STACK_FRAMES);
	sum_add(snap, TABLE_STACKS, stack->samples, stack->weight, stack->cost);
	snap->nr_stacks += snapshot_has(snap, TABLE_STACKS);
	return 0;
}

static int take_core(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_core *core = ROW_ADD(snap, cores);
	int ret;

	ret = copy_known(snap, "core", core, sizeof(*core), data, size);
	if (ret)
		return ret;
	if (snapshot_core(snap, core->core))
		return snapshot_broken(snap, "record %llu is a second record of core %u",
			      snap->records, core->core);
	plain_name(core->model_name, sizeof(core->model_name));
	plain_name(core->model_title, sizeof(core->model_title));
	snap->nr_cores++;
	return 0;
}

static int take_source(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_source *source = ROW_ADD(snap, sources);
	int ret;

	ret = copy_known(snap, "source", source, sizeof(*source), data, size);
	if (ret)
		return ret;
	if (source->source >= MEMLAT_SRC_NR)
		return snapshot_broken(snap, "record %llu: source %u of a word, known here are %u",
			      snap->records, source->source,
			      (unsigned int)MEMLAT_SRC_NR);
	sum_add(snap, TABLE_SOURCES, source->samples, 0, 0);
	snap->nr_sources += snapshot_has(snap, TABLE_SOURCES);
	return 0;
}

static int take_count(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_count *count = ROW_ADD(snap, counts);
	int ret;

	ret = copy_known(snap, "count", count, sizeof(*count), data, size);
	if (ret)
		return ret;
	if (count->running > count->enabled)
		return snapshot_broken(snap, "record %llu: event %u of CPU %u was counted for longer than it was to be",
			      snap->records, count->event, count->cpu);
	snap->nr_counts++;
	return 0;
}

static int take_stride(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_stride *stride = ROW_ADD(snap, strides);
	int ret;

	ret = snapshot_copy(snap, "stride", stride, sizeof(*stride), STRIDE_LEAST, data, size);
	if (ret)
		return ret;
	if (stride->stlb_miss > stride->pairs || stride->new_page > stride->pairs)
		return snapshot_broken(snap, "record %llu: a stride has more STLB misses or new pages than pairs",
			      snap->records);
	if (stride->onward > stride->pairs || stride->turned > stride->pairs - stride->onward)
		return snapshot_broken(snap, "record %llu: a stride goes on and turns more often than it has pairs",
			      snap->records);
	sum_add(snap, TABLE_STRIDES, stride->pairs, 0, 0);
	snap->nr_strides += snapshot_has(snap, TABLE_STRIDES);
	return 0;
}

static int take_end(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_end end;
	unsigned int table;
	int ret;

	ret = snapshot_copy(snap, "end", &end, sizeof(end), END_LEAST, data, size);
	if (ret)
		return ret;
	if (end.records != snap->records)
		return snapshot_broken(snap, "its end tells of %llu records, seen were %llu",
			      end.records, snap->records);
	for (table = 0; table < TABLE_NR; table++) {
		__u64 told;

		memcpy(&told, (const char *)&end + tables[table].end_member,
		       sizeof(told));
		if (told != snap->sum[table].rows)
			return snapshot_broken(snap, "its end tells of %llu %s, seen were %llu",
				      told, tables[table].name,
				      snap->sum[table].rows);
	}
	snap->have_end = true;
	return 0;
}

static int take_record(struct snapshot *snap, __u32 type, const void *data,
		       size_t size)
{
	snap->records++;
	if (snap->have_end)
		return snapshot_broken(snap, "record %llu comes after the end",
			      snap->records);
	if (!snap->have_head && type != MEMLAT_REC_STATUS)
		return snapshot_broken(snap, "the first record has type %u, not %u (status)",
			      type, MEMLAT_REC_STATUS);
	switch (type) {
	case MEMLAT_REC_STATUS:
		return take_head(snap, data, size);
	case MEMLAT_REC_BUCKETS:
		return snapshot_take_buckets(snap, data, size);
	case MEMLAT_REC_PARTS:
		return snapshot_take_parts(snap, data, size);
	case MEMLAT_REC_STORES:
		return snapshot_take_stores(snap, data, size);
	case MEMLAT_REC_RAW:
		return snapshot_take_raw(snap, data, size);
	case MEMLAT_REC_LINE:
		return take_line(snap, data, size);
	case MEMLAT_REC_SITE:
		return take_site(snap, data, size);
	case MEMLAT_REC_ACCESS:
		return take_access(snap, data, size);
	case MEMLAT_REC_THREAD:
		return take_thread(snap, data, size);
	case MEMLAT_REC_STACK:
		return take_stack(snap, data, size);
	case MEMLAT_REC_CORE:
		return take_core(snap, data, size);
	case MEMLAT_REC_SOURCE:
		return take_source(snap, data, size);
	case MEMLAT_REC_COUNT:
		return take_count(snap, data, size);
	case MEMLAT_REC_STRIDE:
		return take_stride(snap, data, size);
	case MEMLAT_REC_END:
		return take_end(snap, data, size);
	default:
		snap->skipped++;
		return 0;
	}
}

int snapshot_feed(struct snapshot *snap, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	struct memlat_rec_header header;
	int ret;

	while (bytes) {
		if (bytes < sizeof(header))
			return snapshot_broken(snap, "it breaks off inside the header of record %llu",
				      snap->records + 1);
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8 ||
		    header.size > MEMLAT_REC_MAX)
			return snapshot_broken(snap, "record %llu (type %u) claims %u bytes; possible are multiples of 8 from %zu to %u",
				      snap->records + 1, header.type, header.size,
				      sizeof(header), MEMLAT_REC_MAX);
		if (header.size > bytes)
			return snapshot_broken(snap, "record %llu (type %u) breaks off after %zu of %u bytes",
				      snap->records + 1, header.type, bytes,
				      header.size);
		ret = take_record(snap, header.type, at, header.size);
		if (ret)
			return ret;
		at += header.size;
		bytes -= header.size;
	}
	return 0;
}

const struct memlat_rec_core *snapshot_core(const struct snapshot *snap,
					    __u32 core)
{
	size_t i;

	for (i = 0; i < snap->nr_cores; i++)
		if (snap->cores[i].core == core)
			return &snap->cores[i];
	return NULL;
}

__u64 snapshot_cost(const struct snapshot *snap)
{
	__u64 most = 0;
	unsigned int table;

	/*
	 * Not the stacks, only samples with a call chain have one, and not what
	 * comes after them, which has no cost.
	 */
	for (table = 0; table < TABLE_STACKS; table++)
		if (snap->sum[table].cost > most)
			most = snap->sum[table].cost;
	return most;
}

int snapshot_finish(struct snapshot *snap)
{
	if (!snap->have_end)
		return snapshot_broken(snap, "it breaks off after %llu records, without an end record",
			      snap->records);
	if (!snap->have_buckets && asked(snap, MEMLAT_REC_BUCKETS))
		return snapshot_broken(snap, "it has no buckets record");
	if (!snap->have_raw && asked(snap, MEMLAT_REC_RAW))
		return snapshot_broken(snap, "it has no raw record");
	if (snap->have_parts && snap->have_buckets)
		return snapshot_parts_fit(snap);
	return 0;
}

static void stream_keep(struct snapshot *snap, const void *bytes, size_t size)
{
	ARRAY_GROW(snap->stream, snap->stream_bytes + size, snap->room_stream);
	memcpy(snap->stream + snap->stream_bytes, bytes, size);
	snap->stream_bytes += size;
}

int snapshot_read(struct snapshot *snap, int fd)
{
	unsigned char *buffer;
	int ret;

	if (snap->tables) {
		ret = memlat_device_reader(fd, snap->tables);
		if (ret)
			return ret;
	}
	/* Taken anew each time: a first read() may be of an older copy. */
	ret = memlat_device_snapshot(fd);
	if (ret)
		return ret;
	buffer = xmalloc(READ_BYTES);
	for (;;) {
		ssize_t got = read(fd, buffer, READ_BYTES);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			ret = -errno;
		else if (got)
			ret = snapshot_feed(snap, buffer, (size_t)got);
		if (got > 0 && !ret && snap->keep_stream)
			stream_keep(snap, buffer, (size_t)got);
		if (!got)
			ret = snapshot_finish(snap);
		if (got <= 0 || ret)
			break;
	}
	free(buffer);
	return ret;
}
