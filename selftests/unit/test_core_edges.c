// SPDX-License-Identifier: GPL-2.0
/* Rare events: a store without room, and a round number that wraps. */
#include "core_test.h"

/* If no table has room, every sample is counted as evicted, and nothing is written. */
TEST(no_place_anywhere)
{
	struct memlat_tables *tables = tables_new(0, false);
	struct memlat_shard *shard = shard_new(true);
	const u64 frames[2] = { 0x401000, 0x402000 };
	struct memlat_counts counts = { 0 };
	struct memlat_line *line;
	struct memlat_sample s = sample(0x1000, 70, MEMLAT_SRC_L3_HITM);
	unsigned int i;

	s.stack = memlat_shard_stack(shard, s.tgid, s.gen, frames, 2, 0);
	assert_int_not_equal(s.stack, 0);
	shard_add(shard, &counts, &s);
	shard_add(shard, &counts, &s);
	line = tables_add(tables, shard, &shard->cell[shard->place[0]], 1, 0);
	assert_null(line);
	for (i = 0; i < MEMLAT_TABLES; i++) {
		assert_int_equal(tables->table[i].sets, 0);
		assert_int_equal(tables->table[i].now.used, 0);
		/* There was no pair. */
		assert_int_equal(tables->table[i].now.evicted, i == MEMLAT_STRIDES ? 0 : 2);
	}
	assert_int_equal(tables->table[MEMLAT_LINES].now.error, 2);
	assert_int_equal(tables->top.lines, 0);
	shard_delete(shard);
	tables_delete(tables);
}

/*
 * After four billion merges the number of the round wraps. Names that were noted in an old round
 * with the same number must not be taken for names of this round.
 */
TEST(rounds_begin_anew)
{
	struct memlat_shard *shard = shard_new(false);
	const char comm[MEMLAT_COMM_BYTES] = "old", process[MEMLAT_COMM_BYTES] = "leader";

	assert_non_null(memlat_shard_note_thread(shard, 7, 9, 8, comm, process));
	memlat_shard_clear(shard);
	assert_int_equal(shard->emptied, 1);
	/* The name's round is 1: it is counted again in the first round after the number wraps. */
	shard->emptied = ~0U - 1;
	memlat_shard_clear(shard);
	assert_int_equal(shard->emptied, 0);
	assert_null(memlat_shard_find_thread(shard, 7, 9, 8));
	assert_non_null(memlat_shard_note_thread(shard, 7, 9, 8, comm, process));
	assert_non_null(memlat_shard_find_thread(shard, 7, 9, 8));
	assert_int_equal(shard->threads, 1);
	shard_delete(shard);
}

/* The same of steps: an old one with the same number would not be merged any more. */
TEST(rounds_of_steps_begin_anew)
{
	struct memlat_steps *steps = calloc(1, sizeof(*steps));
	struct memlat_counts counts = { 0 };
	struct memlat_sample s = sample(0x1000, 70, MEMLAT_SRC_L2);
	unsigned int round;

	assert_non_null(steps);
	for (round = 0; round < 2; round++) {
		memlat_steps_begin(steps);
		memlat_steps_load(steps, &counts, &s);
		s.addr += 64;
		memlat_steps_load(steps, &counts, &s);
		assert_int_equal(steps->used, 1);
		assert_int_equal(steps->step[steps->place[0]].pairs, 1);
		memlat_steps_clear(steps);
		/* The number wraps when they are cleared once more. */
		steps->emptied = ~0U - 1;
		memlat_steps_clear(steps);
		assert_int_equal(steps->emptied, 0);
	}
	assert_int_equal(counts.count[MEMLAT_COUNT_PAIRS], 2);
	assert_int_equal(counts.count[MEMLAT_COUNT_PAIRS_LOST], 0);
	free(steps);
}
