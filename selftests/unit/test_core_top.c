// SPDX-License-Identifier: GPL-2.0
/* module/core: the list of the hottest lines, compared with sorting all lines. */
#include "core_test.h"

static u64 heat(const struct memlat_line *line)
{
	struct memlat_rec_line row;

	memlat_table_read(&memlat_lines_kind, line, &row);
	return row.source[MEMLAT_SRC_L3_HITM] + row.source[MEMLAT_SRC_RHITM];
}

static int by_heat(const void *a, const void *b)
{
	const struct memlat_line *l = *(const struct memlat_line **)a;
	const struct memlat_line *r = *(const struct memlat_line **)b;

	if (heat(l) != heat(r))
		return heat(l) < heat(r) ? 1 : -1;
	return l->cost < r->cost ? 1 : l->cost > r->cost ? -1 : 0;
}

/* The first twenty of the list are those that sorting the table finds. */
static void check_top(const struct memlat_tables *tables)
{
	const struct memlat_table *lines = &tables->table[MEMLAT_LINES];
	const struct memlat_line **all = calloc(lines->now.used, sizeof(*all));
	unsigned int i, n = lines->now.used < 20 ? lines->now.used : 20;

	for (i = 0; i < lines->now.used; i++)
		all[i] = memlat_table_at(lines, i);
	qsort(all, lines->now.used, sizeof(*all), by_heat);
	assert_in_range(tables->top.lines, n, MEMLAT_TOP);
	for (i = 0; i < n; i++) {
		assert_int_equal(heat(all[i]), heat(tables->top.line[i]));
		assert_int_equal(all[i]->cost, tables->top.line[i]->cost);
	}
	free(all);
}

TEST(test_top)
{
	struct memlat_tables *tables = tables_new(4 * STORE, false);
	struct memlat_shard *shard = shard_new(false);
	u64 seed = 11;
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		u64 line = random_next(&seed) % (1 + random_next(&seed) % 2000);
		struct memlat_cell c = cell(line * 64, random_next(&seed) % MEMLAT_SRC_NR,
					    1 + random_next(&seed) % 5);

		/* Many samples do not have to be many cycles. */
		c.latency_sum *= 1 + random_next(&seed) % 9;
		tables_add(tables, shard, &c, 0, 0);
		if (i < 200 || i % 1000 == 0)
			check_top(tables);
	}
	check_top(tables);
	tables_delete(tables);
	shard_delete(shard);
}

/* Lines are evicted from the list too: it stays in order, and has each line once. */
TEST(test_top_evicted)
{
	struct memlat_tables *tables = tables_new(STORE, false);
	struct memlat_shard *shard = shard_new(false);
	const struct memlat_top *top = &tables->top;
	u64 seed = 12;
	unsigned int i, k, n;

	for (i = 0; i < 60000; i++) {
		u64 r = random_next(&seed);
		/* Sometimes a light line has many HITM loads. */
		struct memlat_cell c = cell(r % 5000 * 64, r % 97 ? MEMLAT_SRC_L3 :
					    MEMLAT_SRC_RHITM, 1 + random_next(&seed) % 5);

		tables_add(tables, shard, &c, 0, 0);
		if (i % 500)
			continue;
		for (k = 1; k < top->lines; k++) {
			assert_true(by_heat(&top->line[k - 1], &top->line[k]) <= 0);
			for (n = 0; n < k; n++)
				assert_ptr_not_equal(top->line[n], top->line[k]);
		}
	}
	assert_true(tables->table[MEMLAT_LINES].now.evicted > 0);
	assert_int_equal(top->lines, MEMLAT_TOP);
	tables_delete(tables);
	shard_delete(shard);
}
