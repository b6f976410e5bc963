// SPDX-License-Identifier: GPL-2.0
/* Counts by a clock in the truth: of brackets, of the whole run, and none without a clock. */
#include "truth_test.h"

static void add(struct vp_counts *c, bool user, enum vp_count what, uint64_t n)
{
	vp_counts_add(&c->by[user][what], n);
}

static uint64_t figure(json_object *events, unsigned int cpu, const char *part, const char *key)
{
	assert_int_equal(num(at(events, cpu), "cpu"), cpu);
	return num(get(at(events, cpu), part), key);
}

TEST_WITH(test_bracket, setup, teardown)
{
	struct vp_counts *c = vp_truth_counts(*state);
	json_object *all, *events;

	assert_non_null(c);
	add(&c[1], true, VP_CT_CYCLES, 5);
	vp_truth_begin(*state);
	add(&c[1], true, VP_CT_CYCLES, 700);
	add(&c[1], false, VP_CT_READS_CYCLES, 80);
	add(&c[2], false, VP_CT_RFOS, 9);
	vp_counts_add(&c[1].counted[VP_CT_CYCLES], 300);
	all = bracket(*state);
	assert_int_equal(figure(get(all, "events"), 1, "user", "cycles"), 700);
	vp_truth_end(*state);
	add(&c[1], true, VP_CT_CYCLES, 10000);

	all = bracket(*state);
	events = get(all, "events");
	assert_int_equal(json_object_array_length(events), 4);
	assert_int_equal(figure(events, 1, "user", "cycles"), 700);
	assert_int_equal(figure(events, 1, "kernel", "cycles"), 0);
	assert_int_equal(figure(events, 1, "kernel", "reads_cycles"), 80);
	assert_int_equal(figure(events, 1, "counted", "cycles"), 300);
	assert_int_equal(figure(events, 2, "kernel", "rfos"), 9);
	assert_int_equal(figure(events, 0, "user", "cycles"), 0);

	all = parse(*state, vp_truth_json_run);
	assert_int_equal(figure(get(all, "events"), 1, "user", "cycles"), 10705);
}

/* Each count has a name of its own. */
TEST(test_names)
{
	unsigned int i, k;

	for (i = 0; i < VP_COUNTS; i++)
		for (k = 0; k < i; k++)
			assert_string_not_equal(vp_count_name((enum vp_count)i),
						vp_count_name((enum vp_count)k));
}

TEST_WITH(test_no_clock, setup, teardown)
{
	json_object *all = bracket(*state), *unused;

	assert_false(json_object_object_get_ex(all, "events", &unused));
}
