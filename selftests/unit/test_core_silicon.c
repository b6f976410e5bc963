// SPDX-License-Identifier: GPL-2.0
/* Samples that perf printed on real machines, converted to records and decoded. */
#include <stddef.h>

#include <linux/perf_event.h>
#include <uapi/linux/memlat.h>

#include "harness.h"
#include "record.h"
#include "sample.h"
#include "silicon/silicon.h"

#define COUNTER		(1 << 2)
#define IP		0xffffffff81000010
#define ADDRESS		0xffff90cf25b26280

/* The bits beside the code, according to the SDM and Linux' union intel_x86_pebs_dse. */
static const struct row {
	const char *name;
	const struct memlat_source_table *sources;
	unsigned int format;
	u64 stlb_miss, locked, blocked_data, blocked_addr;
	bool two_latencies;
} rows[] = {
	{ "skl", &memlat_source_skl, 3, 1 << 4, 1 << 5, 0, 0, false },
	{ "adl-p", &memlat_source_glc, 4, 1 << 4, 1 << 5, 1 << 6, 1 << 7, true },
};

static const struct row *row_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* Where a load was served from, in Linux' words, by code (ds.c: pebs_data_source[]). */
static const struct level {
	unsigned int code, number, snoop;
} levels[] = {
	{ 1, PERF_MEM_LVLNUM_L1, PERF_MEM_SNOOP_NONE },
	{ 2, PERF_MEM_LVLNUM_LFB, PERF_MEM_SNOOP_NONE },
	{ 3, PERF_MEM_LVLNUM_L2, PERF_MEM_SNOOP_NONE },
	{ 4, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_NONE },
	{ 5, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_MISS },
	{ 6, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_HIT },
	{ 7, PERF_MEM_LVLNUM_L3, PERF_MEM_SNOOP_HITM },
};

static u64 code_of(const union perf_mem_data_src *src)
{
	size_t i;

	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (src->mem_lvl_num == levels[i].number && src->mem_snoop == levels[i].snoop)
			return levels[i].code;
	fail_msg("no code is level %u, snoop %#x", src->mem_lvl_num, src->mem_snoop);
	return 0;
}

/* Return the word that the CPU wrote. */
static u64 word_of(const struct row *row, u64 data_src)
{
	const union perf_mem_data_src src = { .val = data_src };
	u64 word = code_of(&src);

	assert_int_equal(src.mem_op, PERF_MEM_OP_LOAD);
	assert_false(src.mem_remote);
	/* All three bits have to exist, otherwise Linux would have printed N/A. */
	assert_false(src.mem_dtlb & PERF_MEM_TLB_NA);
	assert_false(src.mem_lock & PERF_MEM_LOCK_NA);
	if (src.mem_dtlb & PERF_MEM_TLB_MISS)
		word |= row->stlb_miss;
	if (src.mem_lock & PERF_MEM_LOCK_LOCKED)
		word |= row->locked;
	if (src.mem_blk & PERF_MEM_BLK_DATA)
		word |= row->blocked_data;
	if (src.mem_blk & PERF_MEM_BLK_ADDR)
		word |= row->blocked_addr;
	return word;
}

static void put(u8 *record, unsigned int offset, u64 value)
{
	memcpy(record + offset, &value, sizeof(value));
}

/* Offsets as the SDM prints them. */
static void record_make(u8 record[200], const struct row *row, u64 word, u64 latency)
{
	memset(record, 0, 200);
	if (row->format < 4) {
		put(record, 0x90, COUNTER);
		put(record, 0x98, ADDRESS);
		put(record, 0xa0, word);
		put(record, 0xa8, latency);
		put(record, 0xb0, IP);
		return;
	}
	put(record, 0, 1 | 64ULL << 48);	/* memory info */
	put(record, 8, IP);
	put(record, 16, COUNTER);
	put(record, 32, ADDRESS);
	put(record, 40, word);
	put(record, 48, latency);
}

static u8 source_named(const char *name)
{
	static const char *const names[MEMLAT_SRC_NR] = {
		[MEMLAT_SRC_L1] = "L1", [MEMLAT_SRC_LFB] = "LFB", [MEMLAT_SRC_L2] = "L2",
		[MEMLAT_SRC_L3] = "L3",
	};
	u8 i;

	for (i = 0; i < MEMLAT_SRC_NR; i++)
		if (names[i] && !strcmp(names[i], name))
			return i;
	fail_msg("no source %s", name);
	return 0;
}

static u16 flags_named(const char *names)
{
	static const struct {
		const char *name;
		u16 flag;
	} known[] = {
		{ "STLB_MISS", MEMLAT_CELL_STLB_MISS }, { "LOCKED", MEMLAT_CELL_LOCKED },
		{ "BLOCKED_DATA", MEMLAT_CELL_BLOCKED_DATA },
		{ "BLOCKED_ADDR", MEMLAT_CELL_BLOCKED_ADDR },
	};
	char copy[64], *rest = copy, *name;
	u16 flags = 0;
	size_t i;

	if (!silicon_told(names))
		return 0;
	snprintf(copy, sizeof(copy), "%s", names);
	while ((name = strsep(&rest, "+"))) {
		u16 flag = 0;

		for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (!strcmp(known[i].name, name))
				flag = known[i].flag;
		assert_true(flag);
		flags |= flag;
	}
	return flags;
}

/* Samples; those above the threshold by only one latency; and those reported as not memory's. */
static unsigned int samples, below, not_memory;

static void decode(const struct silicon_line *line)
{
	static const struct memlat_record_counters counters = { .loads = COUNTER };
	const struct row *row = row_of(line->column[0]);
	const u64 word = word_of(row, silicon_hex(line->column[1]));
	const unsigned int weight = silicon_number(line->column[2]);
	unsigned int use = weight;
	struct memlat_sample s = { };
	u8 record[200];

	if (row->two_latencies) {
		assert_true(silicon_told(line->column[3]));
		use = silicon_number(line->column[3]);
	}
	/* Its upper half is the cache's: SDM, "Memory Info", and Linux' pebs_meminfo. */
	record_make(record, row, word, row->two_latencies ? (u64)weight << 32 | use : weight);
	assert_int_equal(memlat_record_decode(memlat_record_layout_of(row->format, row->format > 3),
					      row->sources, &counters, record, &s),
			 MEMLAT_VERDICT_SAMPLE);
	assert_true(s.addr == ADDRESS && s.ip == IP);
	/*
	 * Memory's latency. If the CPU reports both, also the one that the threshold is compared
	 * with.
	 */
	assert_int_equal(s.latency, weight);
	assert_int_equal(s.use_latency, row->two_latencies ? use : 0);
	assert_int_equal(s.source, source_named(line->column[4]));
	assert_string_equal(line->column[5], "NONE");
	assert_int_equal(memlat_source_code_of(row->sources, word)->snoop, MEMLAT_SNOOP_NONE);
	not_memory += s.not_memory;
	assert_int_equal(s.flags & ~MEMLAT_CELL_NOT_MEMORY, flags_named(line->column[6]));
	/* And back: the packed word has the same meaning. */
	assert_int_equal(memlat_source_word(row->sources, s.raw), word);
	samples++;
	if (!row->two_latencies)
		return;
	/* Sampled with ldlat=30, so the threshold was compared with this one. */
	assert_true(s.use_latency > 30);
	below += s.latency <= 30;
}

TEST(as_printed)
{
	struct silicon_line line = { .source = "" };
	FILE *file = fopen("silicon/samples.txt", "r");

	assert_non_null(file);
	while (silicon_next(file, &line, 7))
		decode(&line);
	fclose(file);
	assert_int_equal(samples, 19);
	/* Most of Golden Cove's samples are hits in L1 that waited for something else. */
	assert_int_equal(below, 7);
	assert_int_equal(not_memory, 7);
}
