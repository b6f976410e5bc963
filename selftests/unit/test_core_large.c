// SPDX-License-Identifier: GPL-2.0
/*
 * A machine with 1024 CPUs, 128 nodes and more processes than the tables can hold: every sample is
 * in a table or counted as evicted, and CPUs and nodes above 63 have a bit.
 */
#include "core_test.h"

#define CPUS		1024
#define NODES		128
#define PROCESSES	16384	/* STORE has room for some thousand lines */

/* Process @tgid loads a line of its own, and a line that all processes share. */
static void runs(struct memlat_shard *shard, struct memlat_counts *counts, u32 tgid)
{
	struct memlat_sample own = sample(0x7f0000000000 + 64ULL * tgid, 300, MEMLAT_SRC_DRAM);
	struct memlat_sample shared = sample(0xffff888000001000, 400, MEMLAT_SRC_DRAM);

	own.tgid = tgid;
	own.tid = tgid;
	shared.tgid = 0;
	shared.gen = 0;
	shard_add(shard, counts, &own);
	shard_add(shard, counts, &shared);
}

static u64 samples_in(const struct memlat_table *lines, const struct memlat_line **most)
{
	u64 sum = 0;
	u32 i;

	*most = NULL;
	for (i = 0; i < lines->now.used; i++) {
		const struct memlat_line *line = memlat_table_at(lines, i);

		sum += line->samples;
		if (!*most || line->samples > (*most)->samples)
			*most = line;
	}
	return sum;
}

TEST(test_large_machine)
{
	struct memlat_shard *shard = shard_new(false);
	struct memlat_tables *tables = tables_new(STORE, false);
	struct memlat_counts *counts = calloc(1, sizeof(*counts));
	const struct memlat_table *lines = &tables->table[MEMLAT_LINES];
	const struct memlat_line *most;
	unsigned int cpu, process;

	assert_non_null(counts);
	for (cpu = 0; cpu < CPUS; cpu++) {
		for (process = cpu; process < PROCESSES; process += CPUS)
			runs(shard, counts, 1000 + process);
		merge(tables, shard, cpu, cpu / (CPUS / NODES));
	}
	assert_int_equal(samples_in(lines, &most) + lines->now.evicted +
			 counts->count[MEMLAT_COUNT_CELLS_LOST], 2 * PROCESSES);
	assert_true(lines->now.evicted > 0);
	assert_int_equal(most->samples, PROCESSES);
	assert_true(most->nodes == ~0ULL);
	free(counts);
	tables_delete(tables);
	shard_delete(shard);
}
