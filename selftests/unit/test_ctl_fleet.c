// SPDX-License-Identifier: GPL-2.0
/* Profiles of many machines, by name. */
#include <unistd.h>

#include "ctl_own.h"
#include "ctl_profile.h"
#include "ctl_view.h"

#include "names/operand.h"
#include "profile/history.h"
#include "views/fleet.h"

static void add_golden(struct fleet *fleet, const char *name)
{
	struct profile profile;
	struct namer *namer;
	char path[64];

	snprintf(path, sizeof(path), "golden/%s.memlat", name);
	profile_get(&profile, path, 0);
	namer = namer_new(&profile, "golden");
	fleet_add(fleet, &profile, namer);
	namer_free(namer);
	profile_free(&profile);
}

static const struct fleet_row *row_of(const struct fleet *fleet, const char *name)
{
	size_t i;

	for (i = 0; i < fleet->nr; i++)
		if (fleet->rows[i].name && !strcmp(fleet->rows[i].name, name))
			return &fleet->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* All of a profile's latency is in some row, or reported as evicted. */
TEST(nothing_is_lost)
{
	static const char *const names[] = { "before", "after", "hybrid", "stride" };
	struct fleet fleet;
	unsigned int by;
	size_t i;

	for (by = 0; by < FLEET_BYS; by++) {
		__u64 cost = 0;

		fleet_begin(&fleet, (enum fleet_by)by);
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			add_golden(&fleet, names[i]);
		fleet_end_adding(&fleet);
		for (i = 0; i < fleet.nr; i++)
			cost += fleet.rows[i].cost;
		assert_int_equal(cost + fleet.evicted, fleet.cost);
		assert_int_equal(fleet.nr_profiles, 4);
		assert_int_equal(fleet.samples, 341 + 342 + 324 + 196);
		fleet_free(&fleet);
	}
}

struct red {
	long before, red;
};

struct blue {
	long before, blue;
};

#define PLAIN	__attribute__((noinline, optimize("O2"), no_sanitize("address", "undefined")))

PLAIN static long red_of(const struct red *object)
{
	return object->red;
}

PLAIN static long blue_of(const struct blue *object)
{
	return object->blue;
}

/* The instruction that reads the object. */
static __u64 reads(struct namer *namer, const void *function)
{
	__u64 ip = (__u64)(uintptr_t)function, end = ip + 16;

	for (; ip < end; ip++) {
		const struct operand *operand = namer_operand(namer, (__u32)getpid(), 0, ip);

		if (operand && operand->type && operand->reads)
			return ip;
	}
	fail_msg("no instruction is known to read an object");
	return 0;
}

/* Memory of a stack is used again. The instruction says for what, as data and diff show it. */
TEST(types_of_memory_that_is_used_again)
{
	__attribute__((aligned(16))) long object[2] = { 1, 2 };
	const void *functions[] = { red_of, blue_of };
	struct fleet fleet;
	struct own own;
	size_t i;

	assert_int_equal(red_of((void *)object) + blue_of((void *)object), 4);
	own_open(&own, 0, 2);
	own_name(&own);
	for (i = 0; i < 2; i++)
		own.profile.snap.accesses[i] = (struct memlat_rec_access){
			.addr = (__u64)(uintptr_t)&object[1], .ip = reads(own.namer, functions[i]),
			.tgid = (__u32)getpid(), .tid = (__u32)getpid(), .samples = 50 + i,
			.cost = 5000 + i,
		};
	fleet_begin(&fleet, FLEET_BY_TYPE);
	fleet_add(&fleet, &own.profile, own.namer);
	fleet_end_adding(&fleet);
	assert_int_equal(row_of(&fleet, "struct red")->cost, 5000);
	assert_int_equal(row_of(&fleet, "struct blue")->cost, 5001);
	fleet_free(&fleet);
	own_close(&own);
}

/* The same profile twice: each of its names has twice the cost, and the same shares. */
TEST(one_profile_twice)
{
	struct fleet once, twice;
	const struct fleet_row *one, *two;

	fleet_begin(&once, FLEET_BY_TYPE);
	add_golden(&once, "before");
	fleet_end_adding(&once);
	fleet_begin(&twice, FLEET_BY_TYPE);
	add_golden(&twice, "before");
	add_golden(&twice, "before");
	fleet_end_adding(&twice);
	assert_int_equal(once.nr, twice.nr);
	one = row_of(&once, "struct stats");
	two = row_of(&twice, "struct stats");
	assert_int_equal(two->cost, 2 * one->cost);
	assert_int_equal(two->hitm, 2 * one->hitm);
	assert_int_equal(one->nr_profiles, 1);
	assert_int_equal(two->nr_profiles, 2);
	assert_int_equal(two->nr_builds, 1);
	assert_true(two->most == one->most);
	fleet_free(&once);
	fleet_free(&twice);
}

/* A machine on which nothing was sampled counts, and has no row. */
TEST(an_empty_profile)
{
	struct profile profile;
	struct namer *namer;
	struct fleet fleet;

	profile_init(&profile);
	profile.history = history_new();
	namer = namer_new(&profile, NULL);
	fleet_begin(&fleet, FLEET_BY_TYPE);
	fleet_add(&fleet, &profile, namer);
	add_golden(&fleet, "before");
	fleet_add(&fleet, &profile, namer);
	fleet_end_adding(&fleet);
	assert_int_equal(fleet.nr_profiles, 3);
	assert_int_equal(fleet.nr_measured, 1);
	assert_true(row_of(&fleet, "struct stats")->share > 0.9);
	fleet_free(&fleet);
	namer_free(namer);
	profile_free(&profile);
}

static void put(struct fleet *fleet, const char *name, __u64 build, size_t profile, __u64 cost,
		double share)
{
	fleet->rows[fleet->nr++] = (struct fleet_row){
		.name = name, .build = build, .profile = profile, .cost = cost, .samples = 10,
		.waited = share_row((double)cost, 10), .share = share,
	};
}

/* Builds and profiles are counted, each once. The shares of two builds in one profile add up. */
TEST(builds_and_profiles)
{
	struct fleet fleet;

	fleet_begin(&fleet, FLEET_BY_TYPE);
	fleet.rows = calloc(10, sizeof(*fleet.rows));
	fleet.nr_profiles = fleet.nr_measured = 3;
	put(&fleet, "b", 0, 1, 500, 0.5);
	put(&fleet, "a", 7, 0, 10, 0.2);
	put(&fleet, "a", 8, 0, 20, 0.4);
	put(&fleet, "a", 7, 2, 30, 0.5);
	put(&fleet, "a", 0, 2, 5, 0.05);
	put(&fleet, NULL, 9, 2, 1, 0.01);
	fleet_end_adding(&fleet);
	assert_int_equal(fleet.nr, 3);
	assert_string_equal(fleet.rows[0].name, "b");
	assert_int_equal(fleet.rows[0].nr_builds, 0);
	assert_string_equal(fleet.rows[1].name, "a");
	assert_int_equal(fleet.rows[1].cost, 65);
	assert_int_equal(fleet.rows[1].nr_profiles, 2);
	assert_int_equal(fleet.rows[1].nr_builds, 2);
	assert_true(fleet.rows[1].most > 0.599 && fleet.rows[1].most < 0.601);
	assert_null(fleet.rows[2].name);
	fleet_free(&fleet);
}

TEST_WITH(as_people_type_it, own_folder_make, own_folder_remove)
{
	SAYS(program_ends(0, "fleet golden/before.memlat golden/after.memlat --debug-path golden"),
	     "2 profiles, 683 samples, by type\n", "  struct stats");
	program_refuses("fleet", 2, "fleet: give the profiles");
	program_refuses("fleet --by struct golden/before.memlat", 2,
		"--by struct: rows have no such name; give type, variable, field or function");
	program_refuses("fleet golden/before.memlat golden/cases", 1, "cannot read the profile golden/cases");
}
