// SPDX-License-Identifier: GPL-2.0
/* module/core: buckets, shards, and the store's table of lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "bucket.h"
#include "lines.h"
#include "shard.h"

static struct memlat_shard *shard_new(void)
{
	struct memlat_shard *shard = aligned_alloc(64, (sizeof(*shard) + 63) / 64 * 64);

	assert_non_null(shard);
	/* Lines start over when their tag is set: what they held must not show. */
	memset(shard, 0xa5, sizeof(*shard));
	memlat_shard_clear(shard);
	return shard;
}

static struct memlat_sample sample(u64 addr, u32 space, u32 latency, u8 source)
{
	return (struct memlat_sample) {
		.ip = 0x401000, .addr = addr, .space = space, .latency = latency,
		.source = source, .raw = source, .comm = "name of 15 byte",
	};
}

static const struct memlat_shard_line *find(const struct memlat_shard *shard, u64 addr, u32 space)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_SHARD_LINES; i++)
		if (shard->tag[i] && shard->line[i].addr == addr && shard->line[i].space == space)
			return &shard->line[i];
	return NULL;
}

static void test_bucket_edges(void **state)
{
	static const u32 edge[] = { 32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096 };
	unsigned int i;

	assert_int_equal(memlat_bucket_of(0), 0);
	for (i = 0; i < sizeof(edge) / sizeof(edge[0]); i++) {
		assert_int_equal(memlat_bucket_of(edge[i]), i);
		assert_int_equal(memlat_bucket_of(edge[i] + 1), i + 1);
	}
	assert_int_equal(memlat_bucket_of(UINT32_MAX), MEMLAT_BUCKETS - 1);
}

static void test_shard_counts(void **state)
{
	struct memlat_shard *shard = shard_new();
	struct memlat_sample a = sample(0x1008, 7, 100, MEMLAT_SRC_RHITM);
	struct memlat_sample b = sample(0x103f, 7, 300, MEMLAT_SRC_DRAM);
	const struct memlat_shard_line *line;

	b.locked = true;
	b.stlb_miss = true;
	b.ip = 0x402000;
	memlat_shard_add(shard, &a);
	memlat_shard_add(shard, &a);
	memlat_shard_add(shard, &b);

	assert_int_equal(shard->count[MEMLAT_COUNT_SAMPLES], 3);
	assert_int_equal(shard->count[MEMLAT_COUNT_LATENCY_SUM], 500);
	assert_int_equal(shard->latency_max, 300);
	assert_int_equal(shard->bucket[4][MEMLAT_SRC_RHITM], 2);
	assert_int_equal(shard->bucket[7][MEMLAT_SRC_DRAM], 1);
	assert_int_equal(shard->raw[MEMLAT_SRC_RHITM], 2);
	assert_int_equal(shard->latency[MEMLAT_SRC_RHITM], 200);
	assert_int_equal(shard->used, 1);

	line = find(shard, 0x1000, 7);
	assert_non_null(line);
	assert_int_equal(line->samples, 3);
	assert_int_equal(line->latency_sum, 500);
	assert_int_equal(line->latency_max, 300);
	assert_int_equal(line->locked, 1);
	assert_int_equal(line->stlb_miss, 1);
	assert_int_equal(line->ip, 0x402000);
	assert_string_equal(line->comm, "name of 15 byte");
	assert_int_equal(line->source[MEMLAT_SRC_RHITM], 2);
	assert_int_equal(line->slot[1], 2);
	assert_int_equal(line->slot[7], 1);
	assert_int_equal(line->slot_hitm[1], 2);
	assert_int_equal(line->slot_hitm[7], 0);
	free(shard);
}

static void test_shard_spaces(void **state)
{
	struct memlat_shard *shard = shard_new();
	struct memlat_sample a = sample(0x7000, 1, 50, MEMLAT_SRC_L3);
	struct memlat_sample b = sample(0x7000, 2, 50, MEMLAT_SRC_L3);

	memlat_shard_add(shard, &a);
	memlat_shard_add(shard, &b);
	memlat_shard_add(shard, &b);
	assert_int_equal(find(shard, 0x7000, 1)->samples, 1);
	assert_int_equal(find(shard, 0x7000, 2)->samples, 2);
	/* The line at address 0 is a line too. */
	a = sample(0, 1, 50, MEMLAT_SRC_L3);
	memlat_shard_add(shard, &a);
	assert_int_equal(find(shard, 0, 1)->samples, 1);
	free(shard);
}

static u64 shard_line_samples(const struct memlat_shard *shard)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_SHARD_LINES; i++)
		if (shard->tag[i])
			sum += shard->line[i].samples;
	for (i = 0; i < shard->spilled; i++)
		sum += shard->spill[i].samples;
	return sum;
}

/* Far more lines than fit: what can't stay is counted, the heavy line stays. */
static void test_shard_overflow(void **state)
{
	struct memlat_shard *shard = shard_new();
	struct memlat_sample heavy = sample(0x40, 3, 50, MEMLAT_SRC_L3);
	struct memlat_sample s;
	unsigned int i;

	for (i = 0; i < 5; i++)
		memlat_shard_add(shard, &heavy);
	for (i = 0; i < 10000; i++) {
		s = sample(0x100000 + i * 64ULL, 3, 50, MEMLAT_SRC_L3);
		memlat_shard_add(shard, &s);
	}
	assert_int_equal(shard->spilled, MEMLAT_SHARD_SPILL);
	assert_int_equal(shard->used, MEMLAT_SHARD_LINES);
	assert_true(memlat_shard_is_crowded(shard));
	assert_true(shard->count[MEMLAT_COUNT_LINES_EVICTED] > 0);
	assert_int_equal(shard_line_samples(shard) + shard->count[MEMLAT_COUNT_LINES_EVICTED],
			 shard->count[MEMLAT_COUNT_SAMPLES]);
	assert_int_equal(find(shard, 0x40, 3)->samples, 5);

	memlat_shard_clear(shard);
	assert_int_equal(shard_line_samples(shard), 0);
	assert_int_equal(shard->count[MEMLAT_COUNT_SAMPLES], 0);
	assert_false(memlat_shard_is_crowded(shard));
	memlat_shard_add(shard, &heavy);
	assert_int_equal(find(shard, 0x40, 3)->samples, 1);
	free(shard);
}

static void lines_new(struct memlat_lines *lines, u32 sets, u32 chunks)
{
	u32 i;

	*lines = (struct memlat_lines) {
		.sets = sets, .chunks = chunks, .max_chunks = chunks,
		.index = calloc(sets * MEMLAT_LINES_WAYS, sizeof(u32)),
		.chunk = calloc(chunks, sizeof(*lines->chunk)),
	};
	for (i = 0; i < chunks; i++)
		lines->chunk[i] = malloc(sizeof(**lines->chunk));
}

static void lines_delete(struct memlat_lines *lines)
{
	u32 i;

	for (i = 0; i < lines->chunks; i++)
		free(lines->chunk[i]);
	free(lines->chunk);
	free(lines->index);
}

static struct memlat_shard_line shard_line(u64 addr, u32 samples)
{
	struct memlat_shard_line line = { .addr = addr, .space = 9, .samples = samples };

	line.source[MEMLAT_SRC_DRAM] = samples;
	return line;
}

static const struct memlat_rec_line *lines_find(const struct memlat_lines *lines, u64 addr)
{
	u32 i;

	for (i = 0; i < lines->used; i++)
		if (memlat_lines_at(lines, i)->addr == addr)
			return memlat_lines_at(lines, i);
	return NULL;
}

static u64 lines_samples(const struct memlat_lines *lines)
{
	u64 sum = lines->evicted;
	u32 i;

	for (i = 0; i < lines->used; i++)
		sum += memlat_lines_at(lines, i)->samples;
	return sum;
}

static void test_lines_merge(void **state)
{
	struct memlat_shard_line from = shard_line(0x1000, 2);
	const struct memlat_rec_line *line;
	struct memlat_lines lines;

	lines_new(&lines, 4, 1);
	from.latency_sum = 70;
	from.latency_max = 40;
	from.slot[3] = 2;
	memlat_lines_merge(&lines, &from, 0, 0);
	from.source[MEMLAT_SRC_RHITM] = 1;
	from.latency_max = 30;
	strcpy(from.comm, "later");
	from.slot_hitm[3] = 1;
	memlat_lines_merge(&lines, &from, 65, 1);

	assert_int_equal(lines.used, 1);
	line = lines_find(&lines, 0x1000);
	assert_int_equal(line->hdr.type, MEMLAT_REC_LINE);
	assert_int_equal(line->hdr.size, sizeof(*line));
	assert_int_equal(line->space, 9);
	assert_int_equal(line->samples, 4);
	assert_int_equal(line->error, 0);
	assert_int_equal(line->latency_sum, 140);
	assert_int_equal(line->latency_max, 40);
	assert_int_equal(line->source[MEMLAT_SRC_DRAM], 4);
	assert_int_equal(line->slot[3], 4);
	assert_int_equal(line->slot_hitm[3], 1);
	assert_int_equal(line->cpus, 1 | 1 << 1);
	assert_int_equal(line->nodes, 3);
	assert_int_equal(line->hitm_nodes, 2);
	assert_string_equal(line->comm, "later");
	lines_delete(&lines);
}

/*
 * A table that is far too small, and a truth beside it: nothing is lost
 * uncounted, and samples <= truth <= samples + error for every line that stays.
 */
static void test_lines_error_bound(void **state)
{
	enum { LINES = 4000, ROUNDS = 40, HEAVY = 3210 };
	static u64 truth[LINES];
	struct memlat_lines lines;
	u64 total = 0, seed = 1;
	u32 i, n;

	lines_new(&lines, 16, 1);
	for (i = 0; i < LINES * ROUNDS; i++) {
		struct memlat_shard_line from;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		/*
		 * A skewed choice, and one line with 5 % of all merges: more
		 * than the 1/170 that the sketch needs to keep it.
		 */
		n = i % 20 ? (u32)(seed >> 33) % ((u32)(seed >> 40) % LINES + 1) : HEAVY;
		from = shard_line(0x10000 + n * 64ULL, 1 + (u32)(seed >> 60));
		truth[n] += from.samples;
		total += from.samples;
		memlat_lines_merge(&lines, &from, 0, 0);
	}
	assert_int_equal(lines.used, MEMLAT_LINES_PER_CHUNK);
	assert_true(lines.evicted > 0);
	assert_int_equal(lines_samples(&lines), total);
	for (i = 0; i < lines.used; i++) {
		const struct memlat_rec_line *line = memlat_lines_at(&lines, i);
		u64 t = truth[(line->addr - 0x10000) / 64];

		assert_true(line->samples <= t);
		assert_true(t <= line->samples + line->error);
	}
	assert_non_null(lines_find(&lines, 0x10000 + HEAVY * 64ULL));

	memlat_lines_clear(&lines);
	assert_int_equal(lines_samples(&lines), 0);
	lines_delete(&lines);
}

/* No memory for any line: all is evicted, and counted. */
static void test_lines_without_memory(void **state)
{
	struct memlat_shard_line from = shard_line(0x1000, 3);
	struct memlat_lines lines;

	lines_new(&lines, 4, 0);
	memlat_lines_merge(&lines, &from, 0, 0);
	assert_int_equal(lines.used, 0);
	assert_int_equal(lines.evicted, 3);
	lines_delete(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bucket_edges),
		cmocka_unit_test(test_shard_counts),
		cmocka_unit_test(test_shard_spaces),
		cmocka_unit_test(test_shard_overflow),
		cmocka_unit_test(test_lines_merge),
		cmocka_unit_test(test_lines_error_bound),
		cmocka_unit_test(test_lines_without_memory),
	};

	return cmocka_run_group_tests_name("core tables", tests, NULL, NULL);
}
