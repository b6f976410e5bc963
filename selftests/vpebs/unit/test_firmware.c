// SPDX-License-Identifier: GPL-2.0
/* States that firmware, other drivers and hypervisors leave, and their effects. */
#include "pmu_models.h"

#define FREEZE		(1ULL << 12)
#define FREEZE_LBR	(1ULL << 11)
#define FROZEN		(1ULL << 59)
#define LBR_FROZEN	(1ULL << 58)

static const struct vp_outcome slow = { .code = VP_DRAM, .latency = 345 };

static struct env *configured(void **state, const char *model, struct vp_options options)
{
	struct env *e = machine(state, model);

	vp_pmu_configure(e->pmu, &options);
	return e;
}

/*
 * After a PMI no counter counts until the freeze bit is cleared: neither those of PEBS nor any
 * other.
 */
TEST_WITH(frozen, env_setup, env_teardown)
{
	static const char *const models[] = { "skx", "icx", "spr", "srf", "lnl" };
	unsigned int i;

	for (i = 0; i < sizeof(models) / sizeof(*models); i++) {
		const struct vp_core *core = core_of(models[i]);
		unsigned int size = vp_core_format(core) < 4 ? 200 : 64, j;
		struct env *e = configured(state, models[i], (struct vp_options) { .freeze = true });
		unsigned int counter = load_of(core);

		print_message("# %s\n", models[i]);
		assert_int_equal(rd(e, VP_MSR_DEBUGCTL), FREEZE);
		ds_for(e, 0, size, 2);
		arm_loads(e, 0, core, counter, aux_of(core), 1);
		wr(e, VP_MSR_GLOBAL_CTRL, rd(e, VP_MSR_GLOBAL_CTRL) | 1ULL << 32);
		wr(e, VP_MSR_FIXED_CTR_CTRL, 3);
		vp_pmu_retire(e->pmu, 0, true, 10, USER_IP);
		assert_int_equal(rd(e, VP_MSR_FIXED_CTR0), 10);
		for (j = 0; j < 5; j++)
			access_on(e, 0, false, false, &slow);
		vp_pmu_retire(e->pmu, 0, true, 10, USER_IP);
		assert_int_equal(e->pmis_sent, 1);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
		assert_int_equal(e->fates[VP_PMU_BUFFER_FULL], 0);
		assert_int_equal(rd(e, VP_MSR_FIXED_CTR0), 10);
		assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), VP_STATUS_DS | FROZEN);
		assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_NOTHING);
		/* If the handler clears only its own bits, the counters stay frozen. */
		ds_for(e, 0, size, 2);
		wr(e, VP_MSR_GLOBAL_RESET, VP_STATUS_DS | 1ULL << counter);
		e->lvtpc[0] = VP_LVT_NMI;
		access_on(e, 0, false, false, &slow);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
		wr(e, VP_MSR_GLOBAL_RESET, FROZEN);
		access_on(e, 0, false, false, &slow);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 3);
		vp_pmu_retire(e->pmu, 0, true, 1, USER_IP);
		assert_int_equal(rd(e, VP_MSR_FIXED_CTR0), 11);
		assert_int_equal(e->violations, 0);
	}
}

/*
 * The overflow of a plain counter freezes too, after its last count. Bit 11 freezes LBRs and sets
 * bit 58.
 */
TEST_WITH(plain, env_setup, env_teardown)
{
	struct env *e = machine(state, "icx");

	wr(e, VP_MSR_DEBUGCTL, FREEZE | FREEZE_LBR);
	assert_int_equal(e->violations, 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH | VP_EVTSEL_INT | VP_EVTSEL_EN);
	wr(e, VP_MSR_A_PMC0, COUNTER(5));
	e->lvtpc[0] = VP_LVT_NMI;
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	vp_pmu_retire(e->pmu, 0, true, 8, USER_IP);
	assert_int_equal(e->pmis_sent, 1);
	assert_int_equal(rd(e, VP_MSR_PMC0), 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1 | FROZEN | LBR_FROZEN);
	/* A frozen counter does not count, so it may be written. */
	wr(e, VP_MSR_A_PMC0, COUNTER(7));
	assert_int_equal(e->violations, 0);
	/* At power off it is still enabled, which is a violation. */
	vp_pmu_power_off(e->pmu);
	expect_violation(e, 1, "left-on");
	/* If software sets the freeze bit, counters are frozen as well. */
	e = machine(state, "icx");
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << 32);
	wr(e, VP_MSR_FIXED_CTR_CTRL, 3);
	wr(e, VP_MSR_GLOBAL_SET, FROZEN);
	vp_pmu_retire(e->pmu, 0, true, 8, USER_IP);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0), 0);
}

/* Before version 4, a PMI clears GLOBAL_CTRL. */
TEST_WITH(legacy, env_setup, env_teardown)
{
	struct env *e = configured(state, "hsw", (struct vp_options) { .freeze = true });
	unsigned int j;

	ds_for(e, 0, 192, 2);
	arm_loads(e, 0, core_of("hsw"), 3, -1, 1);
	for (j = 0; j < 5; j++)
		access_on(e, 0, false, false, &slow);
	assert_int_equal(e->pmis_sent, 1);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
	assert_int_equal(e->fates[VP_PMU_BUFFER_FULL], 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_CTRL), 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), VP_STATUS_DS);
	assert_int_equal(e->violations, 0);
}

/*
 * MSR 38d is 330 at reset: these counters count from the first instruction on, without any
 * violation.
 */
TEST_WITH(fixed, env_setup, env_teardown)
{
	static const char *const models[] = { "hsw", "skx", "adl", "arlh" };
	unsigned int i;

	for (i = 0; i < sizeof(models) / sizeof(*models); i++) {
		struct env *e = configured(state, models[i], (struct vp_options) { .firmware = true });

		print_message("# %s\n", models[i]);
		assert_int_equal(rd(e, VP_MSR_FIXED_CTR_CTRL), 0x330);
		assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_TIME);
		assert_int_equal(vp_pmu_watch(e->pmu, 1), VP_WATCH_TIME);
		vp_pmu_photo(e->pmu);
		vp_pmu_retire(e->pmu, 0, true, 100, USER_IP);
		assert_int_equal(rd(e, VP_MSR_FIXED_CTR0), 0);
		assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + 1), 100);
		assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + 2), 100);
		assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 0);
		vp_pmu_power_off(e->pmu);
		assert_int_equal(e->violations, 0);
		/*
		 * Other bits are violations all the same, and so is a register that is not
		 * restored.
		 */
		wr(e, VP_MSR_FIXED_CTR_CTRL, 0x3b0);
		vp_pmu_power_off(e->pmu);
		expect_violation(e, 1, "left-on");
		assert_non_null(strstr(e->detail, "fixed 1"));
		assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 1);
	}
}

/*
 * PEBS_ENABLE accepts writes without a fault and reads as 0: counters count, and no record is
 * written.
 */
TEST_WITH(swallowed, env_setup, env_teardown)
{
	const struct vp_core *core = core_of("icx");
	struct env *e = configured(state, "icx", (struct vp_options) { .swallow = true });

	ds_for(e, 0, 64, 2);
	arm_loads(e, 0, core, 0, -1, 1000);
	assert_int_equal(rd(e, VP_MSR_PEBS_ENABLE), 0);
	access_on(e, 0, false, false, &slow);
	access_on(e, 0, false, false, &slow);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(998));
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(1));
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	access_on(e, 0, false, false, &slow);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1);
	/* It accepts any value, because the write does not reach the register. */
	wr(e, VP_MSR_PEBS_ENABLE, 1ULL << 36);
	assert_int_equal(e->violations, 0);
	/* The other registers work, and configuring another machine does not change this one. */
	assert_int_equal(rd(e, VP_MSR_DS_AREA), DS);
	e = configured(state, "icx", (struct vp_options) { .swallow = false });
	wr(e, VP_MSR_PEBS_ENABLE, 1);
	assert_int_equal(rd(e, VP_MSR_PEBS_ENABLE), 1);
}
