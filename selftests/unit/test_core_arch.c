// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: records of architectural PEBS, which are chains of fragments. Offsets are those
 * of Linux' asm/perf_event.h (struct arch_pebs_header, _basic and _aux).
 */
#include "core_test.h"
#include "shard.h"

#define LOADS	(1ULL << 3)
#define STORES	(1ULL << 1)
#define BASIC	(1ULL << 63)
#define AUX	(1ULL << 62)
#define GPRS	(1ULL << 61)
#define MORE	(1ULL << 31)
#define IP	0x401234
#define ADDR	0x7f0012345678

/* Memory of exactly the bytes that were written, so that a read beyond them is noticed. */
struct buffer {
	u8 byte[4096];
	unsigned int bytes;
};

static void put(struct buffer *b, unsigned int at, u64 value)
{
	memcpy(b->byte + at, &value, sizeof(value));
}

/* Write a header, and make room for what it says. Returns where the groups begin. */
static unsigned int fragment(struct buffer *b, u64 groups, unsigned int size)
{
	const unsigned int at = b->bytes;

	assert_true(at + size <= sizeof(b->byte));
	memset(b->byte + at, 0xee, size);
	put(b, at, groups | size | 1ULL << 30);
	put(b, at + 8, 0);
	b->bytes += size;
	return at + 16;
}

static void put_basic(struct buffer *b, unsigned int at, u64 counters)
{
	put(b, at, IP);
	put(b, at + 8, counters);
	put(b, at + 24, 1 << 16 | 300);
}

static void put_aux(struct buffer *b, unsigned int at)
{
	put(b, at, ADDR);
	put(b, at + 40, 0x4);
	put(b, at + 48, 371 | 351ULL << 32);
}

static void one(struct buffer *b, u64 counters)
{
	const unsigned int at = fragment(b, BASIC | AUX, 128);

	put_basic(b, at, counters);
	put_aux(b, at + 48);
}

static void two(struct buffer *b)
{
	put_basic(b, fragment(b, BASIC | MORE, 64), LOADS);
	put_aux(b, fragment(b, AUX, 80));
}

/* Groups that nobody requested follow, and fragments without a group say that more follow. */
static void many(struct buffer *b)
{
	unsigned int at = b->bytes;

	put_basic(b, fragment(b, BASIC | GPRS | MORE, 64 + 160), LOADS);
	at = fragment(b, 0, 16) - 16;
	put(b, at, 16);
	put_aux(b, fragment(b, AUX | GPRS | MORE, 80 + 160));
	fragment(b, GPRS, 176);
}

struct result {
	unsigned int records;
	u64 samples, malformed, collision, filtered;
	struct memlat_cell cell;
};

/* Walk the first bytes of a buffer, and once more with a filter that rejects everything. */
static struct result walked(const struct buffer *b, unsigned int bytes)
{
	static struct memlat_shard *shard;
	const struct memlat_record_counters counters = { .loads = LOADS, .stores = STORES };
	struct memlat_counts counts = { 0 }, filtered = { 0 };
	struct memlat_walk walk = {
		.layout = memlat_record_layout_of(0xf, false), .sources = &memlat_source_cmt,
		.counters = &counters, .counts = &counts, .loads.period = 1, .stores.period = 1,
	};
	struct result r = { 0 };
	u8 *copy = malloc(bytes ? bytes : 1);

	if (!shard)
		shard = shard_new(false);
	assert_non_null(copy);
	memcpy(copy, b->byte, bytes);
	walk.shard = shard;
	r.records = memlat_record_walk(&walk, copy, bytes);
	r.samples = counts.count[MEMLAT_COUNT_SAMPLES];
	r.malformed = counts.count[MEMLAT_COUNT_MALFORMED];
	r.collision = counts.count[MEMLAT_COUNT_COLLISION];
	if (shard->used)
		r.cell = shard->cell[shard->place[0]];
	assert_int_equal(r.records, r.samples + r.malformed + r.collision);
	assert_int_equal(shard_samples(shard), r.samples);
	memlat_shard_clear(shard);
	walk.counts = &filtered;
	assert_int_equal(memlat_record_walk_filtered(&walk, copy, bytes), r.records);
	r.filtered = filtered.count[MEMLAT_COUNT_FILTERED];
	free(copy);
	return r;
}

static void is_sample(const struct result *r, unsigned int records)
{
	assert_int_equal(r->records, records);
	assert_int_equal(r->samples, records);
	assert_int_equal(r->filtered, records);
	assert_int_equal(r->cell.addr, ADDR);
	assert_int_equal(r->cell.ip, IP);
	assert_int_equal(r->cell.latency_max, 351);
}

/* In every form it is the same sample. */
TEST(test_forms)
{
	static struct buffer b;
	struct result r;

	b.bytes = 0;
	one(&b, LOADS);
	r = walked(&b, b.bytes);
	is_sample(&r, 1);
	b.bytes = 0;
	two(&b);
	r = walked(&b, b.bytes);
	is_sample(&r, 1);
	b.bytes = 0;
	many(&b);
	r = walked(&b, b.bytes);
	is_sample(&r, 1);
	/* One record after the other, in one buffer. */
	two(&b);
	one(&b, LOADS);
	one(&b, LOADS);
	many(&b);
	r = walked(&b, b.bytes);
	is_sample(&r, 5);
	/* memlat ignores a retire latency without its valid bit, and the mode. */
	b.bytes = 0;
	one(&b, LOADS);
	put(&b, 0, BASIC | AUX | 128);
	put(&b, 40, 0);
	r = walked(&b, b.bytes);
	is_sample(&r, 1);
}

/* Records that are not memlat's are skipped, and the records behind them are found. */
TEST(test_groups)
{
	static const struct {
		u64 groups[3];
		unsigned int size[3];
	} t[] = {
		{ { BASIC }, { 64 } },				/* no address */
		{ { AUX }, { 80 } },				/* the rest of another */
		{ { AUX | MORE, BASIC }, { 80, 64 } },
		{ { BASIC | MORE, BASIC | AUX }, { 64, 128 } },
		{ { BASIC | MORE, AUX | MORE, AUX }, { 64, 80, 80 } },
		{ { BASIC | MORE, GPRS | MORE, GPRS }, { 64, 176, 176 } },
		{ { GPRS }, { 176 } },
		/* Groups that are not in the record. */
		{ { BASIC | AUX }, { 112 } },
		{ { BASIC | AUX }, { 48 } },
		{ { BASIC | MORE, AUX }, { 64, 64 } },
		{ { BASIC | MORE, AUX }, { 32, 80 } },
		{ { BASIC | AUX }, { 16 } },
	};
	static struct buffer b;
	struct result r;
	unsigned int i, k;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		b.bytes = 0;
		for (k = 0; k < 3 && t[i].size[k]; k++)
			fragment(&b, t[i].groups[k], t[i].size[k]);
		one(&b, LOADS);
		r = walked(&b, b.bytes);
		print_message("# %u\n", i);
		assert_int_equal(r.records, 2);
		assert_int_equal(r.samples, 1);
		assert_int_equal(r.malformed, 1);
		assert_int_equal(r.filtered, 2);
	}
}

/* A buffer may end anywhere: whole records are samples, and the rest is malformed. */
TEST(test_cut)
{
	static struct buffer b;
	unsigned int end[4], cut, whole;

	b.bytes = 0;
	one(&b, LOADS);
	end[0] = b.bytes;
	two(&b);
	end[1] = b.bytes;
	many(&b);
	end[2] = b.bytes;
	one(&b, LOADS);
	end[3] = b.bytes;
	for (cut = 0; cut <= b.bytes; cut++) {
		struct result r = walked(&b, cut);

		for (whole = 0; whole < 4 && end[whole] <= cut; whole++)
			;
		assert_int_equal(r.samples, whole);
		assert_int_equal(r.malformed, cut != (whole ? end[whole - 1] : 0));
	}
}

/* Wrong sizes in each fragment: the walk ends, stays inside, and counts what it found. */
TEST(test_sizes)
{
	static struct buffer b;
	static const unsigned int at[] = { 0, 64, 144, 144 + 224, 144 + 240 };
	unsigned int i, size;

	b.bytes = 0;
	two(&b);
	many(&b);
	one(&b, LOADS);
	for (i = 0; i < sizeof(at) / sizeof(*at); i++) {
		u64 header;

		memcpy(&header, b.byte + at[i], sizeof(header));
		for (size = 0; size < 0x10000; size += size < 1024 ? 1 : 509) {
			struct result r;

			put(&b, at[i], (header & ~0xffffULL) | size);
			r = walked(&b, b.bytes);
			assert_true(r.records >= 1 && r.samples <= 3);
			/* It cannot be known where the next one begins. */
			if (size < 16 || size % 16 || size > b.bytes - at[i])
				assert_int_equal(r.malformed, 1);
		}
		put(&b, at[i], header);
	}
}
