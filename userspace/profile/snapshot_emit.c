// SPDX-License-Identifier: GPL-2.0
#include "snapshot.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

struct emitter {
	snapshot_put *put;
	void *arg;
	__u64 records;
};

/*
 * One record. Rows may come from a module that knew less of their structure: what
 * is held is of the size known here, and so is what is written.
 */
static int emit(struct emitter *emitter, __u32 type, const void *record, size_t size)
{
	struct memlat_rec_header header = { .type = type, .size = (__u32)size };
	unsigned char bytes[MEMLAT_REC_MAX];

	memcpy(bytes, record, size);
	memcpy(bytes, &header, sizeof(header));
	emitter->records++;
	return emitter->put(emitter->arg, bytes, size);
}

static int emit_rows(struct emitter *emitter, __u32 type, const void *rows, size_t nr,
		     size_t size)
{
	const unsigned char *at = rows;
	int ret = 0;

	for (; nr && !ret; nr--, at += size)
		ret = emit(emitter, type, at, size);
	return ret;
}

static int emit_end(struct emitter *emitter, const struct snapshot *snap)
{
	const struct memlat_rec_end end = {
		.records = emitter->records + 1,
		.lines = snap->nr_lines,
		.sites = snap->nr_sites,
		.accesses = snap->nr_accesses,
		.threads = snap->nr_threads,
		.stacks = snap->nr_stacks,
		.sources = snap->nr_sources,
		.strides = snap->nr_strides,
	};

	return emit(emitter, MEMLAT_REC_END, &end, sizeof(end));
}

int snapshot_emit(const struct snapshot *snap, snapshot_put *put, void *arg)
{
	struct emitter emitter = { .put = put, .arg = arg };
	const struct {
		__u32 type;
		const void *rows;
		size_t nr, size;
	} tables[] = {
		{ MEMLAT_REC_STATUS, &snap->head, 1, sizeof(snap->head) },
		{ MEMLAT_REC_BUCKETS, &snap->buckets, 1, sizeof(snap->buckets) },
		{ MEMLAT_REC_PARTS, &snap->parts, snap->have_parts, sizeof(snap->parts) },
		{ MEMLAT_REC_STORES, &snap->stores, snap->have_stores, sizeof(snap->stores) },
		{ MEMLAT_REC_RAW, &snap->raw, 1, sizeof(snap->raw) },
		{ MEMLAT_REC_LINE, snap->lines, snap->nr_lines, sizeof(*snap->lines) },
		{ MEMLAT_REC_SITE, snap->sites, snap->nr_sites, sizeof(*snap->sites) },
		{ MEMLAT_REC_ACCESS, snap->accesses, snap->nr_accesses,
		  sizeof(*snap->accesses) },
		{ MEMLAT_REC_THREAD, snap->threads, snap->nr_threads,
		  sizeof(*snap->threads) },
		{ MEMLAT_REC_STACK, snap->stacks, snap->nr_stacks, sizeof(*snap->stacks) },
		{ MEMLAT_REC_CORE, snap->cores, snap->nr_cores, sizeof(*snap->cores) },
		{ MEMLAT_REC_SOURCE, snap->sources, snap->nr_sources,
		  sizeof(*snap->sources) },
		{ MEMLAT_REC_STRIDE, snap->strides, snap->nr_strides,
		  sizeof(*snap->strides) },
		{ MEMLAT_REC_COUNT, snap->counts, snap->nr_counts, sizeof(*snap->counts) },
	};
	size_t i;
	int ret = 0;

	if (snap->stream)
		return put(arg, snap->stream, snap->stream_bytes);
	if (snap->tables)
		return -EINVAL;
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]) && !ret; i++)
		ret = emit_rows(&emitter, tables[i].type, tables[i].rows, tables[i].nr,
				tables[i].size);
	return ret ? ret : emit_end(&emitter, snap);
}
