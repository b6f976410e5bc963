// SPDX-License-Identifier: GPL-2.0
/* The truth: what qualifies, stores, and the lines of a range. */
#include "truth_test.h"

static void touch(struct vp_truth *truth, unsigned int cpu, uint64_t vaddr, bool store, bool user,
		  uint32_t latency)
{
	struct vp_access access = {
		.cpu = cpu, .store = store, .user = user, .size = 8,
		.ip = store ? 0x401000 : 0x400000, .vaddr = vaddr, .paddr = vaddr & 0xfffffff,
	};
	struct vp_outcome outcome = { .code = VP_DRAM, .latency = latency };

	vp_truth_access(truth, &access, &outcome);
}

static void stored(struct vp_truth *truth, unsigned int cpu, uint64_t vaddr, bool l1_hit)
{
	struct vp_access access = {
		.cpu = cpu, .store = true, .size = 8, .ip = 0x401000,
		.vaddr = vaddr, .paddr = vaddr & 0xfffffff,
	};
	struct vp_outcome outcome = {
		.code = l1_hit ? VP_L1 : VP_L3_HITM, .l1_hit = l1_hit, .latency = 4,
	};

	vp_truth_stored(truth, &access, &outcome);
	vp_truth_record(truth, &access, VP_WRITTEN, VP_NO_WORD);
}

TEST_WITH(test_qualify, setup, teardown)
{
	json_object *json, *line, *row;

	touch(*state, 0, 0x1008, false, true, 500);	/* nobody asked yet */
	vp_truth_qualify(*state, 30);
	touch(*state, 0, 0x1008, false, true, 30);	/* not above it */
	touch(*state, 0, 0x1008, false, true, 31);
	touch(*state, 1, 0x1010, false, false, 500);
	touch(*state, 1, 0x1018, true, false, 4);	/* stores: whatever they take */
	json = bracket(*state);
	HAS(json, "/qualify 30", "/lines_unkept 0", "/counted/total 0");
	line = at(get(json, "lines"), 0);
	HAS(line, "/vaddr 0x1000", "/qualified 2", "/stores 1", "/counted 0", "/store_counted 0");
	row = at(get(json, "by_cpu"), 0);
	HAS(row, "/qualified_user 1", "/qualified_kernel 0");
	row = at(get(json, "by_cpu"), 1);
	HAS(row, "/qualified_user 0", "/qualified_kernel 1");
	assert_int_equal(sum_of(get(json, "ips"), "qualified"), 2);
	assert_int_equal(sum_of(get(json, "ips"), "stores"), 1);

	vp_truth_qualify(*state, 0);
	touch(*state, 0, 0x1008, false, true, 500);
	json = bracket(*state);
	assert_int_equal(sum_of(get(json, "lines"), "qualified"), 2);
}

TEST_WITH(test_only_in_brackets, setup, teardown)
{
	json_object *json;

	vp_truth_qualify(*state, 30);
	vp_truth_end(*state);
	touch(*state, 0, 0x1008, false, true, 500);
	stored(*state, 0, 0x1008, true);
	json = bracket(*state);
	assert_int_equal(sum_of(get(json, "lines"), "qualified"), 0);
	assert_int_equal(num(get(json, "stores"), "counted"), 0);
	/* The figures of the whole run have the totals, and no line. */
	json = parse(*state, vp_truth_json_run);
	assert_int_equal(num(get(json, "stores"), "counted"), 1);
	assert_int_equal(json_object_array_length(get(json, "lines")), 0);
	assert_int_equal(json_object_array_length(get(json, "ips")), 0);
	assert_int_equal(sum_of(get(json, "by_cpu"), "qualified_user"), 0);
	vp_truth_begin(*state);
	touch(*state, 0, 0x1008, false, true, 500);
	json = bracket(*state);
	assert_int_equal(sum_of(get(json, "lines"), "qualified"), 1);
}

/* Sums are the same without lines, and the next bracket has lines again. */
TEST_WITH(test_sums_alone, setup, teardown)
{
	json_object *json;

	vp_truth_qualify(*state, 30);
	vp_truth_begin(*state);
	vp_truth_sums(*state);
	touch(*state, 0, 0x1008, false, true, 500);
	stored(*state, 0, 0x1008, true);
	json = bracket(*state);
	HAS(json, "/stores/counted 1", "/stores/written 1", "/by_cpu/0/qualified_user 1",
	    "/lines_total 0", "/ips_total 0", "/lines_unkept 0");
	vp_truth_begin(*state);
	stored(*state, 0, 0x1008, true);
	HAS(bracket(*state), "/lines_total 1", "/ips_total 1", "/lines/0/store_records 1");
}

TEST_WITH(test_stores, setup, teardown)
{
	json_object *json, *line;

	stored(*state, 0, 0x1000, true);
	stored(*state, 1, 0x1038, false);
	stored(*state, 1, 0x2000, true);
	json = bracket(*state);
	HAS(json, "/stores/counted 3", "/stores/written 3", "/stores/l1_hit 2",
	    "/records/written_loads 0", "/by_cpu/1/store_counted 2");
	/* Both lines have only stores. The line with more of them comes first. */
	line = at(get(json, "lines"), 0);
	HAS(line, "/vaddr 0x1000", "/store_counted 2", "/store_l1_hit 1", "/store_records 2",
	    "/records 0", "/store_slots/0 1", "/store_slots/7 1");
	assert_int_equal(sum(get(line, "slots")), 0);
	assert_int_equal(num(at(get(json, "ips"), 0), "store_counted"), 3);
}

static uint64_t range_start, range_bytes;

static size_t write_range(struct vp_truth *truth, char *buf, size_t size)
{
	return vp_truth_json_lines(truth, range_start, range_bytes, buf, size);
}

static size_t write_sum(struct vp_truth *truth, char *buf, size_t size)
{
	return vp_truth_json_sum(truth, range_start, range_bytes, buf, size);
}

static size_t lines_in(struct vp_truth *truth, uint64_t start, uint64_t bytes)
{
	json_object *json;
	size_t n;

	range_start = start;
	range_bytes = bytes;
	json = parse(truth, write_range);
	n = json_object_array_length(get(json, "lines"));
	return n;
}

TEST_WITH(test_range, setup, teardown)
{
	const unsigned int many = TRUTH_TOP_LINES + 100;
	json_object *json;
	unsigned int i;

	for (i = 0; i < many; i++)
		counted(*state, i % 4, 0x100000 + i * 64, 0x400000, VP_DRAM, 100);
	json = bracket(*state);
	assert_int_equal(json_object_array_length(get(json, "lines")), TRUTH_TOP_LINES);
	assert_int_equal(num(json, "lines_truncated"), 100);
	assert_int_equal(lines_in(*state, 0x100000, many * 64), many);
	assert_int_equal(lines_in(*state, 0, UINT64_MAX), many);
	assert_int_equal(lines_in(*state, 0x100000, 1), 1);
	assert_int_equal(lines_in(*state, 0x100008, 1), 1);
	assert_int_equal(lines_in(*state, 0x10003f, 2), 2);
	assert_int_equal(lines_in(*state, 0x100000 - 64, 64), 0);
	assert_int_equal(lines_in(*state, 0x100000 + many * 64, 4096), 0);
}

static void load_recorded(struct vp_truth *truth, uint64_t vaddr)
{
	const struct vp_access access = {
		.size = 8, .ip = 0x400000, .vaddr = vaddr, .paddr = vaddr & 0xfffffff,
	};

	vp_truth_record(truth, &access, VP_WRITTEN, VP_NO_WORD);
}

/* The sum of a range is the sum of the list of the same range, member by member. */
TEST_WITH(test_sum, setup, teardown)
{
	static const char *const members[] = {
		"counted", "records", "qualified", "stores", "store_counted",
		"store_l1_hit", "store_records", "modified", "store_modified",
	};
	static const char *const arrays[] = { "slots", "slot_hitm", "store_slots" };
	json_object *json, *list, *sums;
	unsigned int i, k;

	vp_truth_qualify(*state, 30);
	for (i = 0; i < 10; i++)
		counted(*state, i % 4, 0x1000 + i * 8, 0x400000, i % 3 ? VP_DRAM : VP_RHITM, 100);
	/* In both lines of the range, and in one that is not in it. */
	for (i = 0; i < 3; i++) {
		const uint64_t line = i < 2 ? 0x1000 + i * 64 : 0x3000;

		touch(*state, 0, line + 8, false, true, 500);
		touch(*state, 1, line + 16, true, true, 500);
		load_recorded(*state, line + 24);
	}
	stored(*state, 0, 0x1000, true);
	stored(*state, 1, 0x1038, false);
	stored(*state, 2, 0x1048, false);
	stored(*state, 3, 0x1050, true);
	stored(*state, 1, 0x3000, true);
	counted(*state, 1, 0x3000, 0x400000, VP_DRAM, 100);
	range_start = 0x1000;
	range_bytes = 128;
	json = parse(*state, write_range);
	list = get(json, "lines");
	assert_int_equal(json_object_array_length(list), 2);
	assert_int_equal(sum_of(list, "counted"), 10);
	assert_int_equal(sum_of(list, "store_counted"), 4);

	sums = parse(*state, write_sum);
	assert_false(json_object_object_get_ex(sums, "lines", NULL));
	assert_false(json_object_object_get_ex(sums, "ips", NULL));
	HAS(sums, "/counted/total 11", "/lines_sum/lines 2", "/lines_sum/by_source/dram 6",
	    "/lines_sum/by_source/rhitm 4", "/lines_sum/hitm_nodes 3");
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		/* Else nothing would be compared with nothing. */
		assert_true(num(at(list, 0), members[i]) && num(at(list, 1), members[i]));
		assert_int_equal(num(get(sums, "lines_sum"), members[i]), sum_of(list, members[i]));
	}
	for (k = 0; k < sizeof(arrays) / sizeof(arrays[0]); k++) {
		json_object *array = get(get(sums, "lines_sum"), arrays[k]);

		assert_true(sum(get(at(list, 0), arrays[k])) && sum(get(at(list, 1), arrays[k])));
		for (i = 0; i < TRUTH_SLOTS; i++)
			assert_int_equal(num_at(array, i), num_at(get(at(list, 0), arrays[k]), i) +
					 num_at(get(at(list, 1), arrays[k]), i));
	}
}

TEST_WITH(test_cost, setup, teardown)
{
	const struct vp_cost_figures row[4] = {
		{ .instructions = 1000, .pmi = 10, .pmi_count = 1, .longest_pmi = 10, .hook = 5,
		  .hook_count = 1, .longest_hook = 4 },
		{ .instructions = 3000, .pmi = 20, .pmi_count = 2, .longest_pmi = 15, .hook = 5,
		  .hook_count = 2, .longest_hook = 3 },
	};
	json_object *json = bracket(*state), *cost;

	assert_false(json_object_object_get_ex(json, "cost", NULL));
	vp_truth_cost(*state, row, 3);
	json = bracket(*state);
	cost = get(json, "cost");
	HAS(cost, "/instructions 4000", "/pmi 30", "/pmi_count 3", "/longest_pmi 15", "/hook 10",
	    "/hook_count 3", "/longest_hook 4", "/lost 3", "/share_percent 1.0000",
	    "/per_cpu/1/pmi 20");
	vp_truth_cost(*state, NULL, 0);
	json = bracket(*state);
	assert_false(json_object_object_get_ex(json, "cost", NULL));
}
