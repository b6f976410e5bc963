// SPDX-License-Identifier: GPL-2.0
/*
 * The snapshot: the stream of records that read() gives out.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/bucket.h"
#include "session.h"
#include "snapshot.h"

/* What a reader gets in any case, and what it can choose; all before the tables. */
static_assert(sizeof(struct memlat_rec_status) % 8 == 0);
static_assert(sizeof(struct memlat_rec_status) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_buckets) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_raw) <= MEMLAT_REC_MAX);

static bool wanted(u32 tables, u32 type)
{
	return tables & BIT(type);
}

static struct memlat_rec_header header(u32 type, u32 size)
{
	return (struct memlat_rec_header) { .type = type, .size = size };
}

static void *put_status(struct memlat_rec_status *rec, const struct memlat_status *status)
{
	memset(rec, 0, sizeof(*rec));
	rec->hdr = header(MEMLAT_REC_STATUS, sizeof(*rec));
	rec->abi_version = MEMLAT_ABI_VERSION;
	strscpy(rec->model_name, memlat_session_model(), sizeof(rec->model_name));
	rec->status = *status;
	return rec + 1;
}

static void *put_buckets(struct memlat_rec_buckets *rec, const struct memlat_counts *sum)
{
	unsigned int row, source;

	memset(rec, 0, sizeof(*rec));
	rec->hdr = header(MEMLAT_REC_BUCKETS, sizeof(*rec));
	rec->rows = MEMLAT_BUCKETS;
	rec->sources = MEMLAT_SRC_NR;
	for (row = 0; row < ARRAY_SIZE(memlat_bucket_edge); row++)
		rec->edge[row] = memlat_bucket_edge[row];
	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		for (source = 0; source < MEMLAT_SRC_NR; source++) {
			rec->count[row][source] = sum->bucket[row][source].samples;
			rec->weight[row][source] = sum->bucket[row][source].weight;
		}
	}
	memcpy(rec->latency, sum->latency, sizeof(rec->latency));
	return rec + 1;
}

static void *put_raw(struct memlat_rec_raw *rec, const struct memlat_counts *sum)
{
	memset(rec, 0, sizeof(*rec));
	rec->hdr = header(MEMLAT_REC_RAW, sizeof(*rec));
	memcpy(rec->count, sum->raw, sizeof(rec->count));
	return rec + 1;
}

static void put_end(struct memlat_rec_end *rec, const struct memlat_totals *t, u32 tables)
{
	memset(rec, 0, sizeof(*rec));
	rec->hdr = header(MEMLAT_REC_END, sizeof(*rec));
	if (wanted(tables, MEMLAT_REC_LINE))
		rec->lines = t->lines.used;
	if (wanted(tables, MEMLAT_REC_SITE))
		rec->sites = t->sites.used;
	if (wanted(tables, MEMLAT_REC_ACCESS))
		rec->accesses = t->accesses.used;
	if (wanted(tables, MEMLAT_REC_THREAD))
		rec->threads = t->threads.used;
	if (wanted(tables, MEMLAT_REC_STACK))
		rec->stacks = t->stacks.used;
	/* Status and this one are always there. */
	rec->records = 2 + wanted(tables, MEMLAT_REC_BUCKETS) + wanted(tables, MEMLAT_REC_RAW) +
		       rec->lines + rec->sites + rec->accesses + rec->threads + rec->stacks;
}

/**
 * memlat_snapshot_take - a consistent copy of everything asked for, as a stream
 * @tables: bits of MEMLAT_SNAPSHOT_TABLES; 0: all
 * @size: bytes of the stream
 *
 * Return: the stream, for kvfree(), or NULL without memory.
 */
void *memlat_snapshot_take(u32 tables, size_t *size)
{
	size_t head = sizeof(struct memlat_rec_status), bytes;
	struct memlat_totals *totals = kvmalloc_obj(*totals);
	struct memlat_status status;
	void *copy = NULL, *at;

	if (!tables)
		tables = MEMLAT_SNAPSHOT_TABLES;
	if (wanted(tables, MEMLAT_REC_BUCKETS))
		head += sizeof(struct memlat_rec_buckets);
	if (wanted(tables, MEMLAT_REC_RAW))
		head += sizeof(struct memlat_rec_raw);
	if (totals)
		copy = memlat_session_snapshot(&status, totals, tables, head,
					       sizeof(struct memlat_rec_end), &bytes);
	if (copy) {
		at = put_status(copy, &status);
		if (wanted(tables, MEMLAT_REC_BUCKETS))
			at = put_buckets(at, &totals->sum);
		if (wanted(tables, MEMLAT_REC_RAW))
			at = put_raw(at, &totals->sum);
		put_end(at + bytes, totals, tables);
		*size = head + bytes + sizeof(struct memlat_rec_end);
	}
	kvfree(totals);
	return copy;
}
