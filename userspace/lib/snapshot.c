// SPDX-License-Identifier: GPL-2.0
#include "snapshot.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

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
};

void snapshot_init(struct snapshot *snap)
{
	memset(snap, 0, sizeof(*snap));
}

void snapshot_free(struct snapshot *snap)
{
	free(snap->lines);
	free(snap->sites);
	free(snap->accesses);
	snapshot_init(snap);
}

__attribute__((format(printf, 2, 3)))
static int broken(struct snapshot *snap, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(snap->error, sizeof(snap->error), format, args);
	va_end(args);
	return -EBADMSG;
}

/*
 * A record that is larger than the one known here comes from a newer module:
 * structures grow at their end, so the beginning still means the same.
 */
static int copy_known(struct snapshot *snap, const char *name, void *to,
		      size_t known, const void *from, size_t size)
{
	if (size < known)
		return broken(snap, "record %llu (%s) has %zu bytes, needs %zu",
			      snap->records, name, size, known);
	memcpy(to, from, known);
	return 0;
}

static int take_head(struct snapshot *snap, const void *data, size_t size)
{
	int ret;

	if (snap->have_head)
		return broken(snap, "record %llu is a second status record",
			      snap->records);
	/* First of all, whose records these are: sizes may differ for that. */
	if (size >= offsetof(struct memlat_rec_status, reserved)) {
		__u32 version;

		memcpy(&version, (const char *)data +
		       offsetof(struct memlat_rec_status, abi_version),
		       sizeof(version));
		if (version != MEMLAT_ABI_VERSION)
			return broken(snap, "its ABI version is %u, known here is %u",
				      version, MEMLAT_ABI_VERSION);
	}
	ret = copy_known(snap, "status", &snap->head, sizeof(snap->head),
			 data, size);
	if (ret)
		return ret;
	/* Text from outside is only text once it is known to end. */
	snap->head.model_name[sizeof(snap->head.model_name) - 1] = '\0';
	snap->have_head = true;
	return 0;
}

static int take_buckets(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_buckets *buckets = &snap->buckets;
	unsigned int row;
	int ret;

	if (snap->have_buckets)
		return broken(snap, "record %llu is a second buckets record",
			      snap->records);
	ret = copy_known(snap, "buckets", buckets, sizeof(*buckets), data, size);
	if (ret)
		return ret;
	/* Another shape would make every count mean something else. */
	if (buckets->rows != MEMLAT_BUCKETS || buckets->sources != MEMLAT_SRC_NR)
		return broken(snap, "its buckets are %u by %u, known here are %u by %u",
			      buckets->rows, buckets->sources,
			      (unsigned int)MEMLAT_BUCKETS,
			      (unsigned int)MEMLAT_SRC_NR);
	for (row = 1; row < MEMLAT_BUCKETS - 1; row++)
		if (buckets->edge[row] <= buckets->edge[row - 1])
			return broken(snap, "bucket edge %u does not rise", row);
	if (buckets->edge[MEMLAT_BUCKETS - 1])
		return broken(snap, "the last bucket is not open-ended");
	snap->have_buckets = true;
	return 0;
}

static int take_raw(struct snapshot *snap, const void *data, size_t size)
{
	int ret;

	if (snap->have_raw)
		return broken(snap, "record %llu is a second raw record",
			      snap->records);
	ret = copy_known(snap, "raw", &snap->raw, sizeof(snap->raw), data, size);
	if (!ret)
		snap->have_raw = true;
	return ret;
}

/* Room for one more row of size bytes; NULL when there is no memory. */
static void *row_add(void **rows, size_t nr, size_t *room, size_t size)
{
	if (nr == *room) {
		size_t more = *room ? *room * 2 : 1024;
		void *grown = reallocarray(*rows, more, size);

		if (!grown)
			return NULL;
		*rows = grown;
		*room = more;
	}
	return (char *)*rows + nr * size;
}

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
	struct memlat_rec_line *line;
	int ret;

	line = row_add((void **)&snap->lines, snap->nr_lines, &snap->room_lines,
		       sizeof(*line));
	if (!line)
		return -ENOMEM;
	ret = copy_known(snap, "line", line, sizeof(*line), data, size);
	if (ret)
		return ret;
	if (line->addr % MEMLAT_LINE_BYTES)
		return broken(snap, "record %llu: line address 0x%llx is not a multiple of %u",
			      snap->records, line->addr, MEMLAT_LINE_BYTES);
	if (line->stores > line->samples)
		return broken(snap, "record %llu: a line has more stores than samples",
			      snap->records);
	sum_add(snap, TABLE_LINES, line->samples, line->weight, line->cost);
	snap->nr_lines++;
	return 0;
}

static int take_site(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_site *site;
	int ret;

	site = row_add((void **)&snap->sites, snap->nr_sites, &snap->room_sites,
		       sizeof(*site));
	if (!site)
		return -ENOMEM;
	ret = copy_known(snap, "site", site, sizeof(*site), data, size);
	if (ret)
		return ret;
	if (site->stores > site->samples)
		return broken(snap, "record %llu: a site has more stores than samples",
			      snap->records);
	sum_add(snap, TABLE_SITES, site->samples, site->weight, site->cost);
	snap->nr_sites++;
	return 0;
}

static int take_access(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_access *access;
	int ret;

	access = row_add((void **)&snap->accesses, snap->nr_accesses,
			 &snap->room_accesses, sizeof(*access));
	if (!access)
		return -ENOMEM;
	ret = copy_known(snap, "access", access, sizeof(*access), data, size);
	if (ret)
		return ret;
	sum_add(snap, TABLE_ACCESSES, access->samples, access->weight,
		access->cost);
	snap->nr_accesses++;
	return 0;
}

/* Of these no view shows rows: what they add up to keeps the account. */
static int take_thread(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_thread thread;
	int ret = copy_known(snap, "thread", &thread, sizeof(thread), data, size);

	if (!ret)
		sum_add(snap, TABLE_THREADS, thread.samples, thread.weight,
			thread.cost);
	return ret;
}

static int take_stack(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_stack stack;
	int ret = copy_known(snap, "stack", &stack, sizeof(stack), data, size);

	if (!ret)
		sum_add(snap, TABLE_STACKS, stack.samples, stack.weight,
			stack.cost);
	return ret;
}

static int take_end(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_end end;
	unsigned int table;
	int ret;

	ret = copy_known(snap, "end", &end, sizeof(end), data, size);
	if (ret)
		return ret;
	if (end.records != snap->records)
		return broken(snap, "its end tells of %llu records, seen were %llu",
			      end.records, snap->records);
	for (table = 0; table < TABLE_NR; table++) {
		__u64 told;

		memcpy(&told, (const char *)&end + tables[table].end_member,
		       sizeof(told));
		if (told != snap->sum[table].rows)
			return broken(snap, "its end tells of %llu %s, seen were %llu",
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
		return broken(snap, "record %llu comes after the end",
			      snap->records);
	if (!snap->have_head && type != MEMLAT_REC_STATUS)
		return broken(snap, "the first record has type %u, not %u (status)",
			      type, MEMLAT_REC_STATUS);
	switch (type) {
	case MEMLAT_REC_STATUS:
		return take_head(snap, data, size);
	case MEMLAT_REC_BUCKETS:
		return take_buckets(snap, data, size);
	case MEMLAT_REC_RAW:
		return take_raw(snap, data, size);
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
			return broken(snap, "it breaks off inside the header of record %llu",
				      snap->records + 1);
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8 ||
		    header.size > MEMLAT_REC_MAX)
			return broken(snap, "record %llu (type %u) claims %u bytes; possible are multiples of 8 from %zu to %u",
				      snap->records + 1, header.type, header.size,
				      sizeof(header), MEMLAT_REC_MAX);
		if (header.size > bytes)
			return broken(snap, "record %llu (type %u) breaks off after %zu of %u bytes",
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

static bool asked(const struct snapshot *snap, enum memlat_rec_type type)
{
	return !snap->tables || snap->tables >> type & 1;
}

bool snapshot_has(const struct snapshot *snap, enum snapshot_table table)
{
	return asked(snap, tables[table].type);
}

__u64 snapshot_cost(const struct snapshot *snap)
{
	__u64 most = 0;
	unsigned int table;

	/* Not the stacks: only samples with a call chain have one. */
	for (table = 0; table < TABLE_STACKS; table++)
		if (snap->sum[table].cost > most)
			most = snap->sum[table].cost;
	return most;
}

int snapshot_finish(struct snapshot *snap)
{
	if (!snap->have_end)
		return broken(snap, "it breaks off after %llu records, without an end record",
			      snap->records);
	if (!snap->have_buckets && asked(snap, MEMLAT_REC_BUCKETS))
		return broken(snap, "it has no buckets record");
	if (!snap->have_raw && asked(snap, MEMLAT_REC_RAW))
		return broken(snap, "it has no raw record");
	return 0;
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
	buffer = malloc(READ_BYTES);
	if (!buffer)
		return -ENOMEM;
	for (;;) {
		ssize_t got = read(fd, buffer, READ_BYTES);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			ret = -errno;
		else if (got)
			ret = snapshot_feed(snap, buffer, (size_t)got);
		else
			ret = snapshot_finish(snap);
		if (got <= 0 || ret)
			break;
	}
	free(buffer);
	return ret;
}
