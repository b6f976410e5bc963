// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: a walk over a buffer, compared with decoding the same records one by one. The fuzz target
 * "record" also filters what it walks over.
 */
#include "core_test.h"
#include "shard.h"

#define LOADS	(1ULL << 0)
#define STORES	(1ULL << 1)
#define BUFFER	65536

struct side {
	struct memlat_counts counts;
	struct memlat_shard *shard;
};

static void put(u8 *record, unsigned int offset, u64 value)
{
	memcpy(record + offset, &value, sizeof(value));
}

/* Write a record of any type, often a wrong one. Returns its size. */
static unsigned int put_record(const struct memlat_record_layout *layout, u8 *record, u64 *seed)
{
	static const u64 status[] = { LOADS, LOADS, STORES, 0, LOADS | STORES, 1ULL << 7,
				      LOADS | 1ULL << 7 };
	u64 r = random_next(seed), size = layout->size, groups = 1;

	memset(record, 0xee, 256);
	if (layout->arch)
		put(record, 0, 3ULL << 62 | size);
	if (r % 16 == 0)
		size = 8 * (r >> 8) % 256;
	if (r % 16 == 1)
		groups = 3;
	if (layout->adaptive)
		put(record, 0, size << 48 | groups);
	put(record, layout->status, status[(r >> 16) % 7]);
	put(record, layout->ip, r % 32 == 2 ? 0 : 0x401000 + (r >> 20) % 4);
	put(record, layout->addr, 0x10000 + (r >> 22) % 64 * 8);
	put(record, layout->source, random_next(seed));
	/* On cores with two latencies, the lower half is the use latency. */
	put(record, layout->latency, r % 32 == 3 ? 0 : (r >> 24) * 5 | (random_next(seed) << 32));
	return layout->adaptive ? size : layout->size;
}

/* The simple walk. Returns the number of records. */
static unsigned int one_by_one(struct memlat_walk *w, const u8 *record, u64 left)
{
	struct memlat_sample s = { .tgid = w->tgid, .tid = w->tid, .gen = w->gen };
	struct memlat_flow *flow;
	unsigned int n = 0, step;

	for (; left; record += step, left -= step) {
		n++;
		step = memlat_record_step(w->layout, record, left);
		if (!step) {
			w->counts->count[MEMLAT_COUNT_MALFORMED]++;
			break;
		}
		switch (memlat_record_decode(w->layout, w->sources, w->counters, record, &s)) {
		case MEMLAT_VERDICT_SAMPLE:
			flow = s.store ? &w->stores : &w->loads;
			s.weight = flow->period + flow->carry;
			flow->carry = 0;
			flow->samples++;
			s.phys = w->phys ? w->phys(s.addr) : 0;
			s.stack = w->stack ? w->stack(w->context, w, s.ip) : 0;
			if (w->steps && !s.store)
				memlat_steps_load(w->steps, w->counts, &s);
			counts_add(w->counts, &s);
			shard_add(w->shard, w->counts, &s);
			break;
		case MEMLAT_VERDICT_COLLISION:
			w->counts->count[MEMLAT_COUNT_COLLISION]++;
			break;
		case MEMLAT_VERDICT_MALFORMED:
			w->counts->count[MEMLAT_COUNT_MALFORMED]++;
			break;
		}
	}
	return n;
}

static void assert_same(const struct side *a, const struct side *b)
{
	unsigned int i;

	assert_memory_equal(&a->counts, &b->counts, sizeof(a->counts));
	assert_int_equal(a->shard->used, b->shard->used);
	assert_int_equal(a->shard->spilled, b->shard->spilled);
	assert_memory_equal(a->shard->tag, b->shard->tag, sizeof(a->shard->tag));
	for (i = 0; i < a->shard->used; i++) {
		unsigned int place = a->shard->place[i];

		assert_int_equal(place, b->shard->place[i]);
		assert_memory_equal(&a->shard->cell[place], &b->shard->cell[place],
				    sizeof(struct memlat_cell));
	}
	if (a->shard->steps)
		assert_memory_equal(a->shard->steps, b->shard->steps, sizeof(*a->shard->steps));
	for (i = 0; i < a->shard->spilled; i++)
		assert_memory_equal(&a->shard->spill[i], &b->shard->spill[i],
				    sizeof(struct memlat_cell));
}

static u64 phys_of(u64 addr)
{
	return addr % 128 < 64 ? addr & ~63ULL : 0;
}

static u16 stack_of(void *context, const struct memlat_walk *walk, u64 ip)
{
	assert_ptr_equal(context, walk->sources);
	return ip % 3;
}

/* Fill a shard, so that cells of further samples are often evicted into the spill. */
static void crowd(struct side *side)
{
	u64 seed = 1;
	unsigned int i;

	for (i = 0; i < MEMLAT_SHARD_CELLS; i++) {
		const struct memlat_sample s = sample(0x20000 + random_next(&seed) * 8, 100, 0);

		shard_add(side->shard, &side->counts, &s);
	}
}

/* Returns how many cells the walk evicted into the spill. */
static unsigned int check(const struct memlat_record_layout *layout,
			  const struct memlat_source_table *sources, u64 seed)
{
	const struct memlat_record_counters counters = {
		.loads = seed % 5 ? LOADS : 0, .stores = seed % 3 ? STORES : 0,
	};
	struct side whole = { .shard = shard_new(false) }, single = { .shard = shard_new(false) };
	struct memlat_walk a = {
		.layout = layout, .sources = sources, .counters = &counters,
		.counts = &whole.counts, .shard = whole.shard,
		.loads = { .period = 101, .carry = seed % 2 ? 50 : 0, .samples = 3 },
		.stores = { .period = 211, .carry = seed % 4 ? 0 : 70 },
		.tgid = 7, .tid = 8, .gen = 9,
		.phys = seed % 7 == 1 ? phys_of : NULL, .stack = seed % 7 > 4 ? stack_of : NULL,
		.context = (void *)sources,
	};
	struct memlat_walk b = a;
	u8 *made = malloc(BUFFER + 256), *buffer;
	unsigned int spilled;
	u64 bytes = 0;

	b.counts = &single.counts;
	b.shard = single.shard;
	if (seed % 3 == 1) {
		a.steps = whole.shard->steps = calloc(1, sizeof(*a.steps));
		b.steps = single.shard->steps = calloc(1, sizeof(*b.steps));
		assert_true(a.steps && b.steps);
		memlat_steps_begin(a.steps);
		memlat_steps_begin(b.steps);
	}
	if (seed % 5 == 2) {
		crowd(&whole);
		crowd(&single);
	}
	spilled = whole.shard->spilled;
	while (bytes < BUFFER / (1 + seed % 40))
		bytes += put_record(layout, made + bytes, &seed);
	/* The last record may be cut off. Nothing behind it exists to be read. */
	if (seed % 2)
		bytes -= 8;
	buffer = malloc(bytes);
	assert_non_null(buffer);
	memcpy(buffer, made, bytes);

	assert_int_equal(memlat_record_walk(&a, buffer, bytes), one_by_one(&b, buffer, bytes));
	assert_same(&whole, &single);
	assert_memory_equal(&a.loads, &b.loads, sizeof(a.loads));
	assert_memory_equal(&a.stores, &b.stores, sizeof(a.stores));
	assert_int_equal(whole.counts.count[MEMLAT_COUNT_SAMPLES] + 3,
			 a.loads.samples + a.stores.samples);
	/* A malformed record is between two loads of no pair. */
	assert_true(whole.counts.count[MEMLAT_COUNT_PAIRS] <=
		    (a.steps ? whole.counts.count[MEMLAT_COUNT_LOADS] : 0));
	spilled = whole.shard->spilled - spilled;
	free(buffer);
	free(made);
	shard_delete(whole.shard);
	shard_delete(single.shard);
	return spilled;
}

TEST(test_as_one_by_one)
{
	static const struct {
		unsigned int format;
		const struct memlat_source_table *sources;
	} cpu[] = {
		{ 1, &memlat_source_nhm }, { 1, &memlat_source_snb }, { 2, &memlat_source_hsw },
		{ 3, &memlat_source_skx }, { 4, &memlat_source_skx }, { 4, &memlat_source_glc },
		{ 5, &memlat_source_cmt }, { 6, &memlat_source_lnc },
		{ 0xf, &memlat_source_cmt }, { 0xf, &memlat_source_lnc },
	};
	unsigned int i, spilled;
	u64 seed;

	for (i = 0; i < sizeof(cpu) / sizeof(cpu[0]); i++) {
		spilled = 0;
		for (seed = 1; seed < 100; seed++)
			spilled += check(memlat_record_layout_of(cpu[i].format, true),
					 cpu[i].sources, seed);
		/* Or the spills would be compared without anything in them. */
		assert_true(spilled);
	}
}
