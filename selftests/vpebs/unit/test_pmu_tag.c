// SPDX-License-Identifier: GPL-2.0
/* Load latency samples tagged loads. Loads are tagged at random and one at a time. */
#include "pmu_models.h"

#define TAG	30
#define LOADS	100000

static struct env *tagging(void **state, uint64_t tag, uint64_t seed)
{
	const struct vp_options options = { .tag = tag, .seed = seed };
	struct env *e = machine(state, "skx");

	vp_pmu_configure(e->pmu, &options);
	ds_make(e, ROOM);
	return e;
}

/* The number of counted loads, and the gaps between them. */
struct gaps {
	unsigned int counted, least, most;
};

struct kind {
	bool user;
	uint32_t latency;
};

/* Loads of two kinds take turns. */
static struct gaps by_turns(struct env *e, struct kind odd, struct kind even)
{
	struct gaps g = { .least = UINT32_MAX };
	unsigned int i, last = 0;

	for (i = 1; i <= LOADS; i++) {
		const struct kind *k = i & 1 ? &odd : &even;
		unsigned int before = e->counted;

		access_as(e, false, k->user, k->latency, VP_DRAM);
		if (e->counted == before)
			continue;
		if (g.counted++) {
			g.least = i - last < g.least ? i - last : g.least;
			g.most = i - last > g.most ? i - last : g.most;
		}
		last = i;
	}
	return g;
}

static struct gaps loads(struct env *e, uint32_t latency)
{
	const struct kind all = { .latency = latency };

	return by_turns(e, all, all);
}

/*
 * One load in TAG by chance: 3333 with a sigma of 33. Only the load right after a tagged one cannot
 * be tagged.
 */
TEST_WITH(one_in_many, env_setup, env_teardown)
{
	struct env *e = tagging(state, TAG, 1);
	struct gaps g;

	arm(e, 3, 1ULL << 40, BOTH);
	g = loads(e, 4);
	assert_in_range(g.counted, 3202, 3464);
	assert_int_equal(g.least, 2);
	assert_in_range(g.most, 2 * TAG - 2, 2 * TAG);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER((1ULL << 40) - g.counted));
}

/*
 * While a tagged load is outstanding, no other load is tagged: 56 loads are behind it in the
 * buffer. The next one is tagged by chance again. So there are 1 to 59 more loads between two of
 * them. The first one beyond the 56 is 20 beyond in the mean, because long gaps are more likely to
 * reach beyond than short ones.
 */
TEST_WITH(one_in_flight, env_setup, env_teardown)
{
	struct env *e = tagging(state, TAG, 1);
	struct gaps g;

	arm(e, 30, 1ULL << 40, BOTH);
	g = loads(e, 345);
	assert_int_equal(g.least, 57);
	assert_in_range(g.most, 56 + 2 * TAG - 3, 56 + 2 * TAG - 1);
	assert_in_range(g.counted, LOADS / 80, LOADS / 73);
	/* Loads that are not slower than the threshold do not count. */
	assert_int_equal(loads(e, 30).counted, 0);
}

TEST_WITH(every_load, env_setup, env_teardown)
{
	struct env *e = tagging(state, 1, 1);

	arm(e, 30, 1ULL << 40, BOTH);
	assert_int_equal(loads(e, 345).counted, LOADS);
}

/* Records are of tagged loads, one for each period of their count. Other events count all loads. */
TEST_WITH(records, env_setup, env_teardown)
{
	struct env *e = tagging(state, TAG, 1);
	unsigned int i;

	arm(e, 3, 10, BOTH);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0 + 1, 0);
	wr(e, VP_MSR_EVTSEL0 + 1, EV_LOADS | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 3);
	for (i = 0; i < 30000; i++) {
		ds_set(e, VP_DS_PEBS_INDEX, BUF);
		load(e, 4);
	}
	assert_int_equal(e->fates[VP_PMU_WRITTEN], e->counted / 10);
	assert_in_range(e->counted, 900, 1100);
	assert_int_equal(rd(e, VP_MSR_PMC0 + 1), 30000);
}

/* The same seed tags the same loads. Another seed or CPU tags other ones. */
TEST_WITH(seeds, env_setup, env_teardown)
{
	static const uint64_t seed[3] = { 5, 5, 6 };
	unsigned char seen[4][1000];
	unsigned int i, j;

	for (i = 0; i < 4; i++) {
		unsigned int cpu = i == 3;
		struct env *e = tagging(state, TAG, seed[cpu ? 0 : i]);

		ds_for(e, cpu, 200, ROOM);
		arm_loads(e, cpu, core_of("skx"), 0, -1, 1ULL << 40);
		for (j = 0; j < 1000; j++) {
			unsigned int before = e->counted;
			const struct vp_outcome o = { .code = VP_L2, .latency = 31 };

			access_on(e, cpu, false, false, &o);
			seen[i][j] = e->counted != before;
		}
	}
	assert_memory_equal(seen[0], seen[1], 1000);
	assert_memory_not_equal(seen[0], seen[2], 1000);
	assert_memory_not_equal(seen[0], seen[3], 1000);
}

/*
 * Every second load cannot count, but uses up tags. The number of the others that count does not
 * show that: half of all tags, or tags among half of the loads. Their gaps do. If only the others
 * used up tags, no gap would be longer than 4 TAG.
 */
static void assert_tags_used_up(struct gaps g)
{
	assert_in_range(g.counted, 1500, 1800);
	assert_true(g.most > 5 * TAG);
	assert_int_equal(g.least, 2);
}

/* Loads of the other mode use up tags, and no counter counts them. */
TEST_WITH(other_mode, env_setup, env_teardown)
{
	const struct kind kernel = { .latency = 4 }, user = { .user = true, .latency = 4 };
	struct env *e = tagging(state, TAG, 1);

	arm(e, 3, 1ULL << 40, VP_EVTSEL_USR);
	assert_tags_used_up(by_turns(e, kernel, user));
}

/* So do loads that are not slower than the threshold. */
TEST_WITH(fast_ones, env_setup, env_teardown)
{
	const struct kind fast = { .latency = 3 }, slow = { .latency = 4 };
	struct env *e = tagging(state, TAG, 1);

	arm(e, 3, 1ULL << 40, BOTH);
	assert_tags_used_up(by_turns(e, fast, slow));
}
