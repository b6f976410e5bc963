// SPDX-License-Identifier: GPL-2.0
/* module/core: records without their zeros, read as uapi/linux/memlat_records.h describes them. */
#include <stdlib.h>

#include "core_test.h"
#include "tables.h"

#define WORDS_MAX	(MEMLAT_REC_MAX / 8)
#define RECORDS		3

static u64 record[RECORDS * WORDS_MAX], packed[RECORDS * (WORDS_MAX + 8) + 1];

/* Return the n-th word behind the header, according to the description. */
static u64 unpacked(const u64 *from, u32 words, u32 n)
{
	const u64 *at = from + 1 + (words - 1 + 63) / 64;
	u32 i;

	for (i = 0; i < n; i++)
		at += from[1 + i / 64] >> i % 64 & 1;
	return from[1 + n / 64] >> n % 64 & 1 ? *at : 0;
}

static const u64 *check_one(const u64 *from, u32 words, u32 nr)
{
	struct memlat_rec_header header;
	u32 n, set = 0;

	memcpy(&header, from, sizeof(header));
	assert_int_equal(header.type & MEMLAT_REC_TYPE_MASK, 4 + nr);
	assert_int_equal(header.type >> MEMLAT_REC_WORDS_SHIFT, words);
	for (n = 0; n < words - 1; n++) {
		assert_true(unpacked(from, words, n) == record[nr * words + 1 + n]);
		set += !!record[nr * words + 1 + n];
	}
	assert_int_equal(header.size, 8 * (1 + (words - 1 + 63) / 64 + set));
	return from + header.size / 8;
}

/* Check some records of so many words. About one of `seldom` words is not zero; 0: all are zero. */
static void check(u32 words, u32 seldom)
{
	const u64 *at = packed, *end;
	u32 room, nr, n;

	for (nr = 0; nr < RECORDS; nr++) {
		const struct memlat_rec_header header = { .type = 4 + nr, .size = words * 8 };

		memcpy(&record[nr * words], &header, sizeof(header));
		for (n = 1; n < words; n++)
			record[nr * words + n] = seldom && !(rand() % seldom) ?
						 (u64)rand() << 31 | 1 : 0;
	}
	room = RECORDS * memlat_pack_room(words * 8);
	assert_true(room < sizeof(packed));
	packed[room / 8] = 0x5a5a;
	end = memlat_pack(packed, record, RECORDS, words * 8);
	assert_int_equal(packed[room / 8], 0x5a5a);
	for (nr = 0; nr < RECORDS; nr++)
		at = check_one(at, words, nr);
	assert_ptr_equal(at, end);
	assert_true(end <= packed + room / 8);
}

TEST(each_size)
{
	u32 words, seldom;

	srand(1);
	for (words = 1; words <= WORDS_MAX; words++)
		for (seldom = 0; seldom <= 9; seldom += 3)
			check(words, seldom);
}

TEST(all_and_one)
{
	u32 words;

	srand(2);
	for (words = 1; words < 200; words++) {
		check(words, 1);
		check(words, words);
	}
}

TEST(a_line_of_one_sample)
{
	const u64 *end;
	struct memlat_rec_line line = {
		.hdr = { MEMLAT_REC_LINE, sizeof(line) },
		.addr = 0x7f0000001040, .space = 7, .gen = 1, .samples = 1, .latency_sum = 80,
		.latency_max = 80, .cpus = 1, .nodes = 1, .ip = 0x401000, .comm = "worker",
		.home = MEMLAT_NODE_UNKNOWN, .weight = 1009, .cost = 80720, .bytes_loaded = 1,
	};

	line.source[MEMLAT_SRC_DRAM] = 1;
	line.latency[MEMLAT_SRC_DRAM] = 80;
	line.slot[0] = 1;
	assert_true(memlat_pack_room(sizeof(line)) < sizeof(packed));
	end = memlat_pack(packed, &line, 1, sizeof(line));
	/* It has at most a quarter of the size. */
	assert_true((end - packed) * 8 <= (long)sizeof(line) / 4);
}
