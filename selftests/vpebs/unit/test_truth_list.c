// SPDX-License-Identifier: GPL-2.0
/* The truth's lists at their limits, and JSON in a small buffer. */
#include "truth_test.h"

TEST_WITH(test_violations, setup, teardown)
{
	json_object *json, *list;
	char kind[32], detail[1000];
	unsigned int i;

	for (i = 0; i < 3; i++)
		vp_truth_violation(*state, 1, 0xffffffff81000000, "reserved-bit", "MSR 0x%x bit %d",
				   0x186, 40);
	vp_truth_violation(*state, 1, 0xffffffff81000000, "reserved-bit", "MSR 0x%x bit %d",
			   0x187, 40);
	vp_truth_violation(*state, 2, 0xffffffff81000000, "reserved-bit", "MSR 0x%x bit %d",
			   0x187, 40);
	vp_truth_violation(*state, 2, 0, "reserved-bit", "MSR 0x%x bit %d", 0x187, 40);
	vp_truth_begin(*state);	/* no bracket resets them */
	json = bracket(*state);
	list = get(json, "violations");
	assert_int_equal(json_object_array_length(list), 4);
	HAS(list, "/0/kind reserved-bit", "/0/detail MSR 0x186 bit 40",
	    "/0/ip 0xffffffff81000000", "/0/cpu 1", "/0/count 3", "/1/count 1");
	assert_int_equal(vp_truth_violations(*state), 6);

	vp_truth_forgive(*state);
	assert_int_equal(vp_truth_violations(*state), 0);

	/* More kinds than there is room for: they are counted all the same. */
	for (i = 0; i < TRUTH_VIOLATIONS + 50; i++) {
		snprintf(kind, sizeof(kind), "kind-%u", i);
		vp_truth_violation(*state, 0, i, kind, "%s", "x");
	}
	vp_truth_violation(*state, 0, 0, "kind-0", "%s", "x");
	assert_int_equal(vp_truth_violations(*state), TRUTH_VIOLATIONS + 51);
	json = bracket(*state);
	assert_int_equal(json_object_array_length(get(json, "violations")), TRUTH_VIOLATIONS);
	HAS(json, "/violations_more 50", "/violations/0/count 2");

	/* Texts that JSON has to quote, or that are too long. */
	vp_truth_forgive(*state);
	vp_truth_violation(*state, 0, 0, "quote", "a\"b\\c\n\t\x01\x7f end");
	memset(detail, 'y', sizeof(detail) - 1);
	detail[sizeof(detail) - 1] = '\0';
	vp_truth_violation(*state, 0, 0, "long", "%s", detail);
	json = bracket(*state);
	assert_string_equal(str(at(get(json, "violations"), 0), "detail"),
			    "a\"b\\c\n\t\x01\x7f end");
	assert_int_equal(strlen(str(at(get(json, "violations"), 1), "detail")), TRUTH_DETAIL - 1);
}

/* As with snprintf(): returns the needed length, and never writes a byte too much. */
TEST_WITH(test_size_limits, setup, teardown)
{
	size_t length, size, i;
	char *whole, *part;

	feed(*state, 20);
	vp_truth_violation(*state, 0, 1, "kind", "detail");
	length = vp_truth_json(*state, NULL, 0);
	assert_true(length > 500);
	whole = malloc(length + 1);
	part = malloc(length + 16);
	assert_non_null(whole);
	assert_non_null(part);
	assert_int_equal(vp_truth_json(*state, whole, length + 1), length);
	assert_int_equal(whole[length - 1], '}');
	for (size = 1; size <= length + 1; size += size < length - 3 ? 7 : 1) {
		memset(part, 0x5a, length + 16);
		assert_int_equal(vp_truth_json(*state, part, size), length);
		assert_memory_equal(part, whole, size - 1);
		assert_int_equal(part[size - 1], '\0');
		for (i = size; i < length + 16; i++)
			assert_int_equal(part[i], 0x5a);
	}
	free(whole);
	free(part);
}

TEST(test_table)
{
	struct place_table table;
	struct place *place, *first;
	uint64_t i;

	place_table_init(&table, sizeof(struct place), 5000);
	first = place_table_get(&table, 0, 0);	/* as good an address as any */
	assert_non_null(first);
	for (i = 1; i < 5000; i++) {
		place = place_table_get(&table, i * 4096, i % 3);
		assert_non_null(place);
		assert_int_equal(place->counted, 0);
		place->counted = i;
	}
	assert_int_equal(table.used, 5000);
	/* A full table accepts no new places, but has all old ones where they were. */
	assert_null(place_table_get(&table, 1, 1));
	assert_ptr_equal(place_table_get(&table, 0, 0), first);
	for (i = 1; i < 5000; i++) {
		place = place_table_get(&table, i * 4096, i % 3);
		assert_non_null(place);
		assert_int_equal(place->counted, i);
	}
	place_table_clear(&table);
	assert_int_equal(table.used, 0);
	place = place_table_get(&table, 4096, 1);
	assert_non_null(place);
	assert_int_equal(place->counted, 0);
	place_table_destroy(&table);
}

/*
 * Loads for which the line table was full are in the totals, and the truth says that lines are
 * missing.
 */
TEST_WITH(test_full_table, setup, teardown)
{
	struct vp_truth *truth = *state;
	json_object *json;
	unsigned int i;

	truth->shard[0].bracket.lines.max = 10;
	truth->shard[0].bracket.ips.max = 4;
	for (i = 0; i < 25; i++)
		counted(truth, 0, i * 64ULL, i, VP_DRAM, 200);
	counted(truth, 0, 0, 0, VP_DRAM, 200);
	json = bracket(truth);
	HAS(json, "/counted/total 26", "/lines_total 10");
	assert_int_equal(sum_of(get(json, "lines"), "counted"), 11);
	HAS(json, "/lines_truncated 15", "/ips_total 4", "/ips_truncated 21", "/lines_unkept 21");
}

TEST(test_bad_topology)
{
	struct vp_topology bad = topology;

	bad.cpus = 0;
	errno = 0;
	assert_null(vp_truth_new(&bad, vp_model_find("skx")));
	assert_int_equal(errno, EINVAL);
	bad.cpus = VP_MAX_CPUS + 1;
	assert_null(vp_truth_new(&bad, vp_model_find("skx")));
	bad.cpus = 1;
	bad.nodes = VP_MAX_NODES + 1;
	assert_null(vp_truth_new(&bad, vp_model_find("skx")));
}
