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

/* What stands before the lines. */
struct head {
	struct memlat_rec_status status;
	struct memlat_rec_buckets buckets;
	struct memlat_rec_raw raw;
};

static_assert(sizeof(struct memlat_rec_status) % 8 == 0);
static_assert(sizeof(struct memlat_rec_buckets) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_raw) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct head) == sizeof(struct memlat_rec_status) +
	      sizeof(struct memlat_rec_buckets) + sizeof(struct memlat_rec_raw));

static struct memlat_rec_header header(u32 type, u32 size)
{
	return (struct memlat_rec_header) { .type = type, .size = size };
}

static void fill_head(struct head *h, const struct memlat_status *status,
		      const struct memlat_totals *t)
{
	unsigned int i;

	memset(h, 0, sizeof(*h));
	h->status.hdr = header(MEMLAT_REC_STATUS, sizeof(h->status));
	h->status.abi_version = MEMLAT_ABI_VERSION;
	strscpy(h->status.model_name, memlat_session_model(), sizeof(h->status.model_name));
	h->status.status = *status;

	h->buckets.hdr = header(MEMLAT_REC_BUCKETS, sizeof(h->buckets));
	h->buckets.rows = MEMLAT_BUCKETS;
	h->buckets.sources = MEMLAT_SRC_NR;
	for (i = 0; i < ARRAY_SIZE(memlat_bucket_edge); i++)
		h->buckets.edge[i] = memlat_bucket_edge[i];
	memcpy(h->buckets.count, t->bucket, sizeof(h->buckets.count));
	memcpy(h->buckets.latency, t->latency, sizeof(h->buckets.latency));

	h->raw.hdr = header(MEMLAT_REC_RAW, sizeof(h->raw));
	memcpy(h->raw.count, t->raw, sizeof(h->raw.count));
}

/**
 * memlat_snapshot_take - a consistent copy of everything, as a stream
 * @size: bytes of the stream
 *
 * Return: the stream, for kvfree(), or NULL without memory.
 */
void *memlat_snapshot_take(size_t *size)
{
	struct memlat_totals *totals = kvmalloc_obj(*totals);
	struct memlat_status status;
	struct memlat_rec_end *end;
	struct head *copy = NULL;

	if (totals)
		copy = memlat_session_snapshot(&status, totals, sizeof(*copy), sizeof(*end));
	if (copy) {
		fill_head(copy, &status, totals);
		end = (void *)(copy + 1) + totals->lines * sizeof(struct memlat_rec_line);
		*end = (struct memlat_rec_end) {
			.hdr = header(MEMLAT_REC_END, sizeof(*end)),
			.records = totals->lines + 4,
			.lines = totals->lines,
		};
		*size = (void *)(end + 1) - (void *)copy;
	}
	kvfree(totals);
	return copy;
}
