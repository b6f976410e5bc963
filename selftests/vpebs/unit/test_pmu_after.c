// SPDX-License-Identifier: GPL-2.0
/*
 * A record is that of the event after the one that overflowed, unless the event is precisely
 * distributed.
 */
#include "pmu_models.h"

static struct env *after(void **state, const char *model)
{
	const struct vp_options options = { .tag = 1, .after = true };
	struct env *e = machine(state, model);

	vp_pmu_configure(e->pmu, &options);
	return e;
}

/* Each load has another latency (101, 102, ...), which identifies it in a record. */
static void loads(struct env *e, unsigned int n, uint32_t *latency)
{
	while (n--)
		load(e, ++*latency);
}

/* With a period of 3, each load is counted, and every fourth one is recorded. */
TEST_WITH(next_one, env_setup, env_teardown)
{
	struct env *e = after(state, "skx");
	uint32_t latency = 100;

	sample_loads(e, ROOM, 3);
	loads(e, 2, &latency);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(1));
	loads(e, 1, &latency);
	/* A record is due: the counter is 0, and nothing is written yet. */
	assert_int_equal(rd(e, VP_MSR_PMC0), 0);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 0);
	loads(e, 1, &latency);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	assert_int_equal(rec_get(e, 0, 0xa8), 104);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(3));
	loads(e, 8, &latency);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 3);
	assert_int_equal(rec_get(e, 1, 0xa8), 108);
	assert_int_equal(rec_get(e, 2, 0xa8), 112);
	assert_int_equal(e->counted, 12);
	assert_int_equal(e->violations, 0);
}

/* A due record stays due while the counter is stopped. Writing the counter cancels it. */
TEST_WITH(due, env_setup, env_teardown)
{
	struct env *e = after(state, "skx");
	uint32_t latency = 100;

	sample_loads(e, ROOM, 1);
	loads(e, 1, &latency);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	loads(e, 5, &latency);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	loads(e, 1, &latency);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	assert_int_equal(rec_get(e, 0, 0xa8), 107);
	loads(e, 1, &latency);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(1));
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	loads(e, 1, &latency);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	loads(e, 1, &latency);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
	loads(e, 1, &latency);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_PEBS_ENABLE, 0);
	wr(e, VP_MSR_PEBS_ENABLE, 1 | 1ULL << 32);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	loads(e, 1, &latency);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
	assert_int_equal(e->violations, 0);
}

/* A store's record is that of the next store, too, but not on counter 0 since Golden Cove. */
TEST_WITH(stores, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		unsigned int counter, period, stores, records;
	} t[] = {
		{ "skx", 0, 200, 402, 2 },
		{ "icx", 0, 200, 402, 2 },
		{ "srf", 0, 200, 402, 2 },
		{ "lnl", 0, 200, 400, 2 },
		{ "lnl", 1, 200, 402, 2 },
		{ "spr", 0, 200, 400, 2 },
		{ "adl", 0, 200, 400, 2 },
	};
	static const struct vp_outcome hit = { .code = VP_L1, .l1_hit = true, .latency = 5 };
	unsigned int i, j;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const struct vp_core *core = core_of(t[i].model);
		struct env *e = after(state, t[i].model);

		print_message("# %s\n", t[i].model);
		ds_for(e, 0, vp_core_format(core) < 4 ? 200 : 64, ROOM);
		assert_true(core->store_counters >> t[i].counter & 1);
		arm_stores(e, 0, core, t[i].counter, t[i].period);
		for (j = 1; j <= t[i].stores; j++) {
			access_on(e, 0, true, false, &hit);
			if (j == t[i].stores - 1)
				assert_int_equal(e->fates[VP_PMU_WRITTEN], t[i].records - 1);
		}
		assert_int_equal(e->fates[VP_PMU_WRITTEN], t[i].records);
		assert_int_equal(e->violations, 0);
	}
}

/* Without PEBS, an overflow has its effect immediately. */
TEST_WITH(plain, env_setup, env_teardown)
{
	struct env *e = after(state, "skx");

	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(2));
	wr(e, VP_MSR_EVTSEL0, EV_LOADS | BOTH | VP_EVTSEL_INT | VP_EVTSEL_EN);
	e->lvtpc[0] = VP_LVT_NMI;
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	load(e, 4);
	assert_int_equal(e->pmis_sent, 0);
	load(e, 4);
	assert_int_equal(e->pmis_sent, 1);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1);
}
