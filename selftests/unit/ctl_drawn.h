/* SPDX-License-Identifier: GPL-2.0 */
/* Samples that are drawn by chance, put into tables by module/core itself, and read as a snapshot. */
#ifndef CTL_DRAWN_H
#define CTL_DRAWN_H

#include "core_test.h"
#include "ctl_profile.h"

#include "profile/snapshot.h"

#define SOURCES	memlat_source_icx
#define KERNEL	0xffff888000001000ULL

static u64 seed, moment;

static u64 any_of(u64 n)
{
	return random_next(&seed) % n;
}

/* A session whose samples are drawn, and put into tables as the module does. */
struct drawn {
	struct memlat_tables *tables;
	struct memlat_shard *shard[4];	/* of CPUs, two on each node */
	struct memlat_counts counts;
	u64 lines;			/* that samples are drawn of */
	u64 started_ns, duration_ns;
	bool strides;			/* else it has call chains */
};

static void drawn_init(struct drawn *d, u64 bytes, u64 lines, bool strides, u64 started_ns)
{
	unsigned int i;

	memset(d, 0, sizeof(*d));
	d->tables = tables_new_with(bytes, !strides, strides);
	d->lines = lines;
	d->strides = strides;
	d->started_ns = started_ns;
	d->duration_ns = 1000;
	for (i = 0; i < 4; i++) {
		d->shard[i] = shard_new(!strides);
		if (strides)
			d->shard[i]->steps = calloc(1, sizeof(*d->shard[i]->steps));
	}
}

static void drawn_free(struct drawn *d)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		shard_delete(d->shard[i]);
	tables_delete(d->tables);
}

static struct memlat_sample any_sample(const struct drawn *d)
{
	const u64 process = any_of(3);
	struct memlat_sample s = {
		.addr = 0x7f0000000000 + any_of(1 + any_of(d->lines)) * 64 + any_of(64),
		.ip = 0x401000 + any_of(12) * 16, .weight = 1 + any_of(5000),
		.latency = 1 + any_of(1 + any_of(5000)), .tgid = SAMPLE_GONE_PID - process * 8, .gen = process,
		.store = any_of(4) == 0, .phys = any_of(3) ? 0 : 0x40000 + any_of(8) * 64,
	};

	s.tid = s.tgid + any_of(3);
	if (!any_of(5))
		s.addr |= KERNEL;
	if (!any_of(9))
		s.ip |= KERNEL;
	/*
	 * A line that is known by its frame is at one address of one process here: merged, it is not
	 * one row if others used it last.
	 */
	if (s.phys) {
		s.addr = 0x7e0000000000 + s.phys;
		s.tgid = SAMPLE_GONE_PID - 8 * (s.phys / 64 % 3);
		s.gen = s.phys / 64 % 3;
		s.tid = s.tgid + any_of(3);
	}
	memlat_source_decode(&SOURCES, random_next(&seed), &s);
	return s;
}

static void take_one(struct drawn *d)
{
	static const char *const names[] = { "one\033", "two \xff\"", "three" };
	struct memlat_sample s = any_sample(d);
	struct memlat_shard *shard = d->shard[any_of(4)];
	struct memlat_shard_thread *noted;
	u64 chain[5] = { 0x401000 + any_of(1 + d->lines / 8), 0x402000 + any_of(3), 0x403000 };
	char name[MEMLAT_COMM_BYTES] = { 0 };

	strcpy(name, names[s.tid % 3]);
	noted = memlat_shard_note_thread(shard, s.tgid, s.gen, s.tid, name, name);
	noted->first_ns = noted->first_ns ?: ++moment;
	noted->named_ns = noted->named_ns ?: ++moment;
	noted->tls_base = ++moment;
	if (!d->strides) {
		s.stack = memlat_shard_stack(shard, s.tgid, s.gen, chain, 2 + any_of(2), 0);
		d->counts.count[MEMLAT_COUNT_STACKS_LOST] += !s.stack;
	} else if (!s.store) {
		if (!any_of(60))
			memlat_steps_begin(shard->steps);
		memlat_steps_load(shard->steps, &d->counts, &s);
	}
	counts_add(&d->counts, &s);
	shard_add(shard, &d->counts, &s);
	d->counts.count[MEMLAT_COUNT_RECORDS]++;
}

static void merge_all(struct drawn *d)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < 4; cpu++) {
		const struct memlat_steps *steps = d->shard[cpu]->steps;

		for (i = 0; steps && i < steps->used; i++)
			memlat_strides_add(&d->tables->table[MEMLAT_STRIDES], &steps->step[steps->place[i]]);
		merge(d->tables, d->shard[cpu], cpu, cpu / 2);
	}
}

/* So many samples more. No burst goes on from one of these calls to the next, and each ends with a merge. */
static void take(struct drawn *d, unsigned int samples)
{
	unsigned int cpu;

	for (cpu = 0; cpu < 4 && d->strides; cpu++)
		memlat_steps_begin(d->shard[cpu]->steps);
	for (d->duration_ns += samples; samples--;) {
		take_one(d);
		if (samples % 64 == 0)
			merge_all(d);
	}
}

static void put(struct snapshot *snap, u32 type, void *record, size_t size)
{
	const struct memlat_rec_header header = { .type = type, .size = size };

	memcpy(record, &header, sizeof(header));
	if (snapshot_feed(snap, record, size))
		fail_msg("%s", snap->error);
}

#define PUT(snap, type, ...) \
	do { \
		__VA_ARGS__; \
		put(snap, type, &record, sizeof(record)); \
	} while (0)

static void put_status(struct snapshot *snap, const struct drawn *d)
{
	const struct memlat_counts *c = &d->counts;
	const struct memlat_table *t = d->tables->table;
	const u64 lost = c->count[MEMLAT_COUNT_CELLS_LOST];

	PUT(snap, MEMLAT_REC_STATUS, struct memlat_rec_status record = {
		.abi_version = MEMLAT_ABI_VERSION, .model_name = "icx",
		.status = {
			.size = sizeof(struct memlat_status), .state = MEMLAT_STATE_RUNNING, .ldlat = 30,
			.flags = MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_LOADS | MEMLAT_F_STORES | MEMLAT_F_PHYS,
			.period = 1009, .period_low = 1009, .period_high = 2000 + any_of(9), .nodes = 2,
			.cpus_online = 4, .cpus_armed = 4, .cores = 1, .traits = MEMLAT_TRAIT_TLB,
			.started_ns = d->started_ns, .duration_ns = d->duration_ns, .max_overhead = 100,
			.busy_cycles = 1000 * d->duration_ns, .own_cycles = 9 * d->duration_ns,
			.sampled_cycles = 700 * d->duration_ns,
			.records = c->count[MEMLAT_COUNT_RECORDS], .samples = c->count[MEMLAT_COUNT_SAMPLES],
			.loads = c->count[MEMLAT_COUNT_LOADS], .stores = c->count[MEMLAT_COUNT_STORES],
			.weight_loads = c->count[MEMLAT_COUNT_WEIGHT_LOADS],
			.weight_stores = c->count[MEMLAT_COUNT_WEIGHT_STORES],
			.latency_sum = c->count[MEMLAT_COUNT_LATENCY_SUM], .latency_max = c->latency_max,
			.cells_lost = lost, .pairs = c->count[MEMLAT_COUNT_PAIRS],
			.lines = t[MEMLAT_LINES].now.used, .lines_error = t[MEMLAT_LINES].now.error,
			.lines_evicted = t[MEMLAT_LINES].now.evicted + lost,
			.sites = t[MEMLAT_SITES].now.used, .sites_error = t[MEMLAT_SITES].now.error,
			.sites_evicted = t[MEMLAT_SITES].now.evicted + lost,
			.accesses = t[MEMLAT_ACCESSES].now.used, .accesses_error = t[MEMLAT_ACCESSES].now.error,
			.accesses_evicted = t[MEMLAT_ACCESSES].now.evicted + lost,
			.threads = t[MEMLAT_THREADS].now.used, .threads_error = t[MEMLAT_THREADS].now.error,
			.threads_evicted = t[MEMLAT_THREADS].now.evicted + lost,
			.stacks = t[MEMLAT_STACKS].now.used,
			.stacks_lost = t[MEMLAT_STACKS].now.evicted + c->count[MEMLAT_COUNT_STACKS_LOST],
			.strides = t[MEMLAT_STRIDES].now.used, .strides_error = t[MEMLAT_STRIDES].now.error,
			.strides_evicted = t[MEMLAT_STRIDES].now.evicted + c->count[MEMLAT_COUNT_PAIRS_LOST],
		},
	});
}

static void put_totals(struct snapshot *snap, const struct memlat_counts *c)
{
	struct memlat_rec_buckets buckets = { .rows = MEMLAT_BUCKETS, .sources = MEMLAT_SRC_NR };
	struct memlat_rec_stores stores = { .sources = MEMLAT_SRC_NR };
	struct memlat_rec_raw raw = { 0 };
	unsigned int row, source;

	for (row = 0; row < MEMLAT_BUCKETS - 1; row++)
		buckets.edge[row] = memlat_bucket_edge[row];
	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++) {
			buckets.count[row][source] = c->bucket[row][source].samples;
			buckets.weight[row][source] = c->bucket[row][source].weight;
		}
	memcpy(buckets.latency, c->latency, sizeof(buckets.latency));
	for (source = 0; source < MEMLAT_SRC_NR; source++) {
		stores.count[source] = c->store[source].samples;
		stores.weight[source] = c->store[source].weight;
		stores.latency[source] = c->store_latency[source];
	}
	for (row = 0; row < MEMLAT_RAWS; row++)
		raw.count[(u8)memlat_source_word(&SOURCES, row)] += c->raw[row];
	put(snap, MEMLAT_REC_BUCKETS, &buckets, sizeof(buckets));
	put(snap, MEMLAT_REC_STORES, &stores, sizeof(stores));
	put(snap, MEMLAT_REC_RAW, &raw, sizeof(raw));
	PUT(snap, MEMLAT_REC_CORE, struct memlat_rec_core record = {
		.traits = MEMLAT_TRAIT_TLB, .pebs_format = 4, .record_size = 200, .model_name = "icx",
		.loads = c->count[MEMLAT_COUNT_LOADS], .stores = c->count[MEMLAT_COUNT_STORES], .cpus = { 0xf },
	});
	for (row = 0; row < MEMLAT_RAWS; row++)
		if (c->raw[row])
			PUT(snap, MEMLAT_REC_SOURCE, struct memlat_rec_source record = {
				.word = memlat_source_word(&SOURCES, row), .samples = c->raw[row],
				.source = memlat_source_code_of(&SOURCES,
								memlat_source_word(&SOURCES, row))->source,
			});
}

/* What a reader of the device gets now. */
static void snapshot_of(struct snapshot *snap, const struct drawn *d)
{
	const struct memlat_table *table;
	const char *broken;
	u32 nr;

	snapshot_init(snap);
	put_status(snap, d);
	put_totals(snap, &d->counts);
	for (table = d->tables->table; table < d->tables->table + MEMLAT_TABLES; table++)
		for (nr = 0; nr < table->now.used; nr++)
			put(snap, table->kind->type, (void *)row_read(table, nr),
			    memlat_table_row_bytes(table->kind));
	PUT(snap, MEMLAT_REC_END, struct memlat_rec_end record = {
		.records = snap->records + 1, .lines = snap->nr_lines, .sites = snap->nr_sites,
		.accesses = snap->nr_accesses, .threads = snap->nr_threads, .stacks = snap->nr_stacks,
		.sources = snap->nr_sources, .strides = snap->nr_strides,
	});
	assert_int_equal(snapshot_finish(snap), 0);
	broken = account_snapshot_broken(snap);
	if (broken)
		fail_msg("%s", broken);
}

static void profile_of(struct profile *profile, const struct drawn *d)
{
	sample_profile(profile);
	snapshot_free(&profile->snap);
	snapshot_of(&profile->snap, d);
}

#endif
