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
#include "../util/text.h"
#include "../util/xalloc.h"
#include "snapshot_rows.h"

/*
 * The sizes that the first modules of this ABI version sent. A member that was appended since
 * counts as zero if it is missing.
 */
#define STATUS_LEAST	(offsetof(struct memlat_rec_status, status) + \
			 offsetof(struct memlat_status, traits))
#define END_LEAST	offsetof(struct memlat_rec_end, sources)

void snapshot_init(struct snapshot *snap)
{
	memset(snap, 0, sizeof(*snap));
}

void snapshot_free(struct snapshot *snap)
{
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++)
		free(snap->rows[table].row);
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

static int take_head(struct snapshot *snap, const void *data, size_t size)
{
	int ret;

	if (snap->have_head)
		return snapshot_broken(snap, "record %llu is a second status record",
			      snap->records);
	/* Check the ABI version first, because sizes may differ in another one. */
	if (size >= offsetof(struct memlat_rec_status, reserved)) {
		__u32 version;

		memcpy(&version, (const char *)data +
		       offsetof(struct memlat_rec_status, abi_version),
		       sizeof(version));
		if (version != MEMLAT_ABI_VERSION)
			return snapshot_broken(snap, "its ABI version is %u, but this memlat-ctl knows %u",
				      version, MEMLAT_ABI_VERSION);
	}
	ret = snapshot_copy(snap, "status", &snap->head, sizeof(snap->head),
			 STATUS_LEAST, data, size);
	if (ret)
		return ret;
	text_plain(snap->head.model_name, sizeof(snap->head.model_name));
	snap->have_head = true;
	return 0;
}

static bool asked(const struct snapshot *snap, enum memlat_rec_type type)
{
	return !snap->tables || snap->tables >> type & 1;
}

bool snapshot_has(const struct snapshot *snap, enum snapshot_table table)
{
	return row_kinds[table].always || asked(snap, row_kinds[table].type);
}

int snapshot_row(struct snapshot *snap, enum snapshot_table table, void *row, const void *data,
		 size_t size)
{
	const struct row_kind *kind = &row_kinds[table];
	int ret = snapshot_copy(snap, kind->name, row, kind->size, kind->least, data, size);

	return !ret && kind->check ? kind->check(snap, row) : ret;
}

/* A row of a table that was not asked for is checked, added up, and dropped. */
static int take_row(struct snapshot *snap, enum snapshot_table table, const void *data,
		    size_t size)
{
	const struct row_kind *kind = &row_kinds[table];
	struct snapshot_rows *rows = &snap->rows[table];
	void *row;
	int ret;

	if (snap->each && snap->each(snap, table, data, size, &ret))
		return ret;
	rows->row = xgrow(rows->row, rows->nr + 1, &rows->room, kind->size);
	row = row_at(snap, table, rows->nr);
	ret = snapshot_row(snap, table, row, data, size);
	if (ret)
		return ret;
	row_sum(&snap->sum[table], table, row);
	rows->nr += snapshot_has(snap, table);
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
		return snapshot_broken(snap, "its end record counts %llu records, but %llu were read",
			      end.records, snap->records);
	for (table = 0; table < TABLE_NR; table++) {
		const struct row_kind *kind = &row_kinds[table];
		__u64 told = row_figure(&end, kind->end_rows);

		if (kind->end_rows && told != snap->sum[table].rows)
			return snapshot_broken(snap, "its end record counts %llu %s, but %llu were read",
				      told, kind->names, snap->sum[table].rows);
	}
	snap->have_end = true;
	return 0;
}

static int take_record(struct snapshot *snap, __u32 type, const void *data,
		       size_t size)
{
	unsigned int table;

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
	case MEMLAT_REC_END:
		return take_end(snap, data, size);
	}
	for (table = 0; table < TABLE_NR; table++)
		if (row_kinds[table].type == type)
			return take_row(snap, table, data, size);
	snap->skipped++;
	return 0;
}

static int take_packed(struct snapshot *snap, const struct memlat_rec_header *header,
		       const void *data)
{
	unsigned char record[MEMLAT_REC_MAX];
	const __u32 type = header->type & MEMLAT_REC_TYPE_MASK;
	const size_t size = snapshot_unpack(record, data, header->size);

	if (!size)
		return snapshot_broken(snap, "record %llu (type %u) is packed into %u bytes that do not hold what its map describes",
				       snap->records + 1, type, header->size);
	return take_record(snap, type, record, size);
}

int snapshot_feed(struct snapshot *snap, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	struct memlat_rec_header header;
	int ret;

	while (bytes) {
		if (bytes < sizeof(header))
			return snapshot_broken(snap, "it is cut off inside the header of record %llu",
				      snap->records + 1);
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8 ||
		    header.size > MEMLAT_REC_MAX)
			return snapshot_broken(snap, "record %llu (type %u) claims %u bytes; possible are multiples of 8 from %zu to %u",
				      snap->records + 1, header.type, header.size,
				      sizeof(header), MEMLAT_REC_MAX);
		if (header.size > bytes)
			return snapshot_broken(snap, "record %llu (type %u) is cut off after %zu of %u bytes",
				      snap->records + 1, header.type, bytes,
				      header.size);
		ret = header.type > MEMLAT_REC_TYPE_MASK ? take_packed(snap, &header, at) :
		      take_record(snap, header.type, at, header.size);
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
	 * Skip the stacks, because only samples with a call chain have one, and the tables behind
	 * them, which have no cost.
	 */
	for (table = 0; table < TABLE_STACKS; table++)
		if (snap->sum[table].cost > most)
			most = snap->sum[table].cost;
	return most;
}

int snapshot_finish(struct snapshot *snap)
{
	if (!snap->have_end)
		return snapshot_broken(snap, "it is cut off after %llu records, without an end record",
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

	ret = memlat_device_reader(fd, snap->tables, snap->interval_ms);
	if (ret)
		return ret;
	/* Take a new snapshot each time: without it the first read() could return an older one. */
	ret = memlat_device_snapshot(fd);
	if (ret)
		return ret;
	buffer = xmalloc(SNAPSHOT_READ);
	for (;;) {
		ssize_t got = read(fd, buffer, SNAPSHOT_READ);

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
