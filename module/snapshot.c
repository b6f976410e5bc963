// SPDX-License-Identifier: GPL-2.0
/*
 * The snapshot: the stream of records that read() returns.
 */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/counts.h"
#include "core/sample.h"
#include "hw/pmu.h"
#include "memlat.h"

/*
 * The records that are not rows of tables. All precede the tables, except the records of source
 * words and counted events and the end record, whose number or content is known last.
 */
static_assert(sizeof(struct memlat_rec_status) % 8 == 0);
static_assert(sizeof(struct memlat_rec_status) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_buckets) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_parts) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_parts) % 8 == 0);
static_assert(sizeof(struct memlat_rec_stores) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_stores) % 8 == 0);
static_assert(sizeof(struct memlat_rec_raw) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_core) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_core) % 8 == 0);
static_assert(sizeof(struct memlat_rec_source) % 8 == 0);
static_assert(sizeof(struct memlat_rec_count) % 8 == 0);

/* What was counted when the snapshot was taken. */
struct counted {
	struct memlat_totals totals;
	u64 events;	/* number of MEMLAT_REC_COUNT records */
	struct memlat_core_counts core[];	/* memlat_cores_nr() of them */
};

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
	strscpy(rec->model_name, memlat_cores_model(), sizeof(rec->model_name));
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
	memcpy(rec->cache_latency, sum->cache_latency, sizeof(rec->cache_latency));
	return rec + 1;
}

static void *put_parts(struct memlat_rec_parts *rec, const struct memlat_counts *sum)
{
	unsigned int part, row;

	memset(rec, 0, sizeof(*rec));
	rec->hdr = header(MEMLAT_REC_PARTS, sizeof(*rec));
	rec->rows = MEMLAT_BUCKETS;
	rec->parts = MEMLAT_PART_NR;
	memcpy(rec->use_latency, sum->use_latency, sizeof(rec->use_latency));
	for (part = 0; part < MEMLAT_PART_NR; part++) {
		struct memlat_part_figures *to = &rec->part[part];

		for (row = 0; row < MEMLAT_BUCKETS; row++) {
			to->count[row] = sum->part[part][row].samples;
			to->weight[row] = sum->part[part][row].weight;
		}
		to->latency = sum->part_latency[part];
	}
	return rec + 1;
}

static void *put_stores(struct memlat_rec_stores *rec, const struct memlat_counts *sum)
{
	unsigned int source;

	memset(rec, 0, sizeof(*rec));
	rec->hdr = header(MEMLAT_REC_STORES, sizeof(*rec));
	rec->sources = MEMLAT_SRC_NR;
	for (source = 0; source < MEMLAT_SRC_NR; source++) {
		rec->count[source] = sum->store[source].samples;
		rec->weight[source] = sum->store[source].weight;
		rec->latency[source] = sum->store_latency[source];
	}
	rec->xsnp_fwd = sum->store_xsnp_fwd;
	return rec + 1;
}

static void *put_raw(struct memlat_rec_raw *rec, const struct memlat_core_counts *core)
{
	unsigned int i, raw;

	memset(rec, 0, sizeof(*rec));
	rec->hdr = header(MEMLAT_REC_RAW, sizeof(*rec));
	for (i = 0; i < memlat_cores_nr(); i++) {
		const struct memlat_source_table *sources = memlat_cores_info(i)->sources;
		const unsigned int raws = memlat_cores_raws(i);

		for (raw = 0; raw < raws; raw++)
			if (core[i].raw[raw])
				rec->count[(u8)memlat_source_word(sources, raw)] +=
					core[i].raw[raw];
	}
	return rec + 1;
}

static void *put_core(struct memlat_rec_core *rec, unsigned int nr,
		      const struct memlat_core_counts *counts)
{
	const struct memlat_core_info *core = memlat_cores_info(nr);
	unsigned int cpu;

	memset(rec, 0, sizeof(*rec));
	rec->hdr = header(MEMLAT_REC_CORE, sizeof(*rec));
	rec->core = nr;
	rec->traits = core->traits;
	rec->pebs_format = core->format;
	rec->record_size = core->record_size;
	strscpy(rec->model_name, core->name, sizeof(rec->model_name));
	strscpy(rec->model_title, core->title, sizeof(rec->model_title));
	rec->loads = counts->loads;
	rec->stores = counts->stores;
	for_each_possible_cpu(cpu)
		if (cpu < 64 * MEMLAT_CPU_WORDS && memlat_cores_cpu_is(cpu, nr))
			rec->cpus[cpu / 64] |= BIT_ULL(cpu % 64);
	return rec + 1;
}

static void *put_source(struct memlat_rec_source *rec, unsigned int core, unsigned int raw,
			u64 samples)
{
	const struct memlat_source_table *table = memlat_cores_info(core)->sources;
	const u32 word = memlat_source_word(table, raw);
	struct memlat_sample s = {};

	memlat_source_decode(table, word, &s);
	*rec = (struct memlat_rec_source) {
		.hdr = header(MEMLAT_REC_SOURCE, sizeof(*rec)),
		.core = core,
		.word = word,
		.samples = samples,
		.source = s.source,
		.snoop = memlat_source_code_of(table, word)->snoop,
		.flags = (s.stlb_miss ? MEMLAT_WORD_STLB_MISS : 0) |
			 (s.locked ? MEMLAT_WORD_LOCKED : 0) |
			 (s.blocked_data ? MEMLAT_WORD_BLOCKED_DATA : 0) |
			 (s.blocked_addr ? MEMLAT_WORD_BLOCKED_ADDR : 0),
	};
	return rec + 1;
}

/* Put only the words that occurred. */
static void *put_sources(void *at, const struct memlat_core_counts *core, u64 *records)
{
	unsigned int i, raw;

	for (i = 0; i < memlat_cores_nr(); i++) {
		const unsigned int raws = memlat_cores_raws(i);

		for (raw = 0; raw < raws; raw++) {
			if (!core[i].raw[raw])
				continue;
			at = put_source(at, i, raw, core[i].raw[raw]);
			++*records;
		}
	}
	return at;
}

static void *put_end(struct memlat_rec_end *rec, const struct counted *counted, u32 tables,
		     u64 sources)
{
	const struct memlat_totals *t = &counted->totals;

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
	if (wanted(tables, MEMLAT_REC_STRIDE))
		rec->strides = t->strides.used;
	rec->sources = sources;
	/* There always are the status record and this one. */
	rec->records = 2 + wanted(tables, MEMLAT_REC_BUCKETS) + wanted(tables, MEMLAT_REC_PARTS) +
		       wanted(tables, MEMLAT_REC_STORES) + wanted(tables, MEMLAT_REC_RAW) +
		       wanted(tables, MEMLAT_REC_CORE) * memlat_cores_nr() +
		       rec->lines + rec->sites + rec->accesses + rec->threads + rec->stacks +
		       rec->sources + rec->strides + counted->events;
	return rec + 1;
}

static size_t head_bytes(u32 tables)
{
	size_t bytes = sizeof(struct memlat_rec_status);

	if (wanted(tables, MEMLAT_REC_BUCKETS))
		bytes += sizeof(struct memlat_rec_buckets);
	if (wanted(tables, MEMLAT_REC_PARTS))
		bytes += sizeof(struct memlat_rec_parts);
	if (wanted(tables, MEMLAT_REC_STORES))
		bytes += sizeof(struct memlat_rec_stores);
	if (wanted(tables, MEMLAT_REC_RAW))
		bytes += sizeof(struct memlat_rec_raw);
	if (wanted(tables, MEMLAT_REC_CORE))
		bytes += memlat_cores_nr() * sizeof(struct memlat_rec_core);
	return bytes;
}

/* The most bytes that put_tail() may need. */
static size_t tail_bytes(u32 tables)
{
	size_t bytes = sizeof(struct memlat_rec_end);
	unsigned int i;

	if (wanted(tables, MEMLAT_REC_SOURCE))
		for (i = 0; i < memlat_cores_nr(); i++)
			bytes += memlat_cores_raws(i) * sizeof(struct memlat_rec_source);
	return bytes;
}

static void put_head(void *at, const struct memlat_status *status, const struct counted *counted,
		     u32 tables)
{
	unsigned int i;

	at = put_status(at, status);
	if (wanted(tables, MEMLAT_REC_BUCKETS))
		at = put_buckets(at, &counted->totals.sum);
	if (wanted(tables, MEMLAT_REC_PARTS))
		at = put_parts(at, &counted->totals.sum);
	if (wanted(tables, MEMLAT_REC_STORES))
		at = put_stores(at, &counted->totals.sum);
	if (wanted(tables, MEMLAT_REC_RAW))
		at = put_raw(at, counted->core);
	if (wanted(tables, MEMLAT_REC_CORE))
		for (i = 0; i < memlat_cores_nr(); i++)
			at = put_core(at, i, &counted->core[i]);
}

/* Write behind the records of counted events, which are there already. Returns the end. */
static void *put_tail(void *at, const struct counted *counted, u32 tables)
{
	u64 sources = 0;

	at += counted->events * sizeof(struct memlat_rec_count);
	if (wanted(tables, MEMLAT_REC_SOURCE))
		at = put_sources(at, counted->core, &sources);
	return put_end(at, counted, tables, sources);
}

/**
 * memlat_snapshot_take - make a consistent copy of everything wanted, as a stream
 * @tables: bits of MEMLAT_SNAPSHOT_TABLES, and MEMLAT_SNAPSHOT_PACKED
 *
 * Return: the stream, for memlat_copy_free(); NULL if there is no memory.
 */
struct memlat_copy *memlat_snapshot_take(u32 tables)
{
	struct counted *counted = kvmalloc(struct_size(counted, core, memlat_cores_nr()),
					   MEMLAT_GFP);
	struct memlat_status status;
	struct memlat_copy *copy;

	if (!counted)
		return NULL;
	copy = memlat_session_snapshot(&status, &counted->totals, counted->core, tables,
				       head_bytes(tables), tail_bytes(tables), &counted->events);
	if (copy) {
		put_head(memlat_copy_head(copy), &status, counted, tables);
		memlat_copy_end(copy, put_tail(memlat_copy_tail(copy), counted, tables));
	}
	kvfree(counted);
	return copy;
}
