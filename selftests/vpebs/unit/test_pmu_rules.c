// SPDX-License-Identifier: GPL-2.0
/* The rules of the hardware: each one broken, and what is permitted nearby. */
#include "pmu_models.h"

static const struct vp_outcome slow = { .code = VP_L3_HITM, .stlb_miss = true, .latency = 345 };

/* Every core is programmed by its rules, which is no violation. */
TEST_WITH(lawful, env_setup, env_teardown)
{
	const struct vp_model *m;
	const struct vp_core *core;
	unsigned int k, cores = 0;

	for_each_core(m, k, core) {
		struct env *e = machine(state, m->name);
		unsigned int cpu = cpu_of(m, k);

		print_message("# %s\n", core->name);
		ds_for(e, cpu, 64 * 3, ROOM);
		arm_loads(e, cpu, core, load_of(core), aux_of(core), 100);
		access_on(e, cpu, false, false, &slow);
		assert_int_equal(e->counted, 1);
		wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
		wr_on(e, cpu, VP_MSR_EVTSEL0 + load_of(core), 0);
		wr_on(e, cpu, VP_MSR_PEBS_ENABLE, 0);
		if (core->store_event) {
			arm_stores(e, cpu, core, lowest(core->store_counters), 1000);
			access_on(e, cpu, true, false, &slow);
			assert_int_equal(e->stored, 1);
		}
		assert_int_equal(e->violations, 0);
		cores++;
	}
	assert_true(cores >= DS_CORES);
}

TEST_WITH(wrong_counter, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		unsigned int cpu;
		bool store;
		unsigned int bad;
	} t[] = {
		{ "snb", 0, false, 2 },
		{ "snb", 0, true, 0 },
		{ "ivb", 0, false, 0 },
		{ "icx", 0, true, 4 },
		{ "gnr", 0, false, 0 },
		{ "gnr", 0, true, 1 },
		{ "mtl", 1, false, 2 },
		{ "adl", 1, false, 5 },
		{ "lnl", 0, false, 1 },
		{ "lnl", 0, true, 2 },
		{ "srf", 0, false, 7 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const struct vp_core *core =
			vp_model_core(vp_model_find(t[i].model), t[i].cpu, CPUS);
		struct env *e = machine(state, t[i].model);

		print_message("# %s\n", core->name);
		ds_for(e, t[i].cpu, 64 * 3, ROOM);
		if (t[i].store)
			arm_stores(e, t[i].cpu, core, t[i].bad, 1000);
		else
			arm_loads(e, t[i].cpu, core, t[i].bad, -1, 100);
		expect_violation(e, 1, "wrong-counter");
		assert_non_null(strstr(e->detail, core->name));
		/* It is reported once as long as it lasts, and not without PEBS. */
		wr_on(e, t[i].cpu, VP_MSR_LD_LAT, 30);
		assert_int_equal(e->violations, 1);
		wr_on(e, t[i].cpu, VP_MSR_PEBS_ENABLE, 0);
		wr_on(e, t[i].cpu, VP_MSR_GLOBAL_CTRL, 0);
		wr_on(e, t[i].cpu, VP_MSR_GLOBAL_CTRL, 1ULL << t[i].bad);
		assert_int_equal(e->violations, 1);
	}
}

TEST_WITH(no_aux, env_setup, env_teardown)
{
	static const char *const models[] = { "spr", "emr", "adl" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		const struct vp_core *core = core_of(models[i]);
		struct env *e = machine(state, models[i]);

		ds_for(e, 0, 64, ROOM);
		arm_loads(e, 0, core, 2, -1, 1);
		expect_violation(e, 1, "no-aux");
		/* The flags are right, but there is no code. */
		access_on(e, 0, false, true, &slow);
		assert_int_equal(word_at(e, 40), 0x30);
		assert_int_equal(e->word, 0x30);
		/*
		 * The event is enabled, but GLOBAL_CTRL stops it, or it is on a counter that cannot
		 * count it.
		 */
		wr(e, VP_MSR_EVTSEL0 + 1, 0x8203 | BOTH | VP_EVTSEL_EN);
		wr(e, VP_MSR_EVTSEL0 + 4, 0x8203 | BOTH | VP_EVTSEL_EN);
		wr(e, VP_MSR_GLOBAL_CTRL, 0x14);
		access_on(e, 0, false, true, &slow);
		assert_int_equal(word_at(e, 64 + 40), 0x30);
		wr(e, VP_MSR_GLOBAL_CTRL, 0x6);
		access_on(e, 0, false, true, &slow);
		assert_int_equal(word_at(e, 128 + 40), 0x37);
		assert_int_equal(e->violations, 1);
		/* It is removed again. */
		wr(e, VP_MSR_EVTSEL0 + 1, 0);
		expect_violation(e, 2, "no-aux");
	}
	/* No violation on a core that needs no auxiliary event. */
	ds_for(machine(state, "gnr"), 0, 64, ROOM);
	arm_loads(*state, 0, core_of("gnr"), 2, -1, 1);
	assert_int_equal(((struct env *)*state)->violations, 0);
}

TEST_WITH(no_enable_sequence, env_setup, env_teardown)
{
	static const char *const models[] = { "nhm", "wsm" };
	const uint64_t event = 0x100b | BOTH | VP_EVTSEL_EN;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct env *e = machine(state, models[i]);

		ds_for(e, 0, 176, ROOM);
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_LD_LAT, 30);
		wr(e, VP_MSR_EVTSEL0 + 3, event);
		wr(e, VP_MSR_PEBS_ENABLE, 8 | 8ULL << 32);
		assert_int_equal(e->violations, 0);
		wr(e, VP_MSR_GLOBAL_CTRL, 8);
		expect_violation(e, 1, "no-enable-sequence");
		/* Once the event was added, it may be stopped and started. */
		nhm_sequence(e, 0);
		wr(e, VP_MSR_EVTSEL0 + 3, event);
		wr(e, VP_MSR_PEBS_ENABLE, 8 | 8ULL << 32);
		wr(e, VP_MSR_GLOBAL_CTRL, 8);
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_EVTSEL0 + 3, event & ~VP_EVTSEL_EN);
		wr(e, VP_MSR_EVTSEL0 + 3, event);
		wr(e, VP_MSR_GLOBAL_CTRL, 8);
		assert_int_equal(e->violations, 1);
		/* Another event, or the same event on a counter that was free. */
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_EVTSEL0 + 3, 0x010b | BOTH | VP_EVTSEL_EN);
		wr(e, VP_MSR_PEBS_ENABLE, 8);
		wr(e, VP_MSR_GLOBAL_CTRL, 8);
		expect_violation(e, 2, "no-enable-sequence");
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_EVTSEL0 + 3, 0);
		wr(e, VP_MSR_EVTSEL0 + 3, event);
		wr(e, VP_MSR_GLOBAL_CTRL, 8);
		expect_violation(e, 3, "no-enable-sequence");
	}
}

/* A sequence with a missing step does not count. */
TEST_WITH(half_a_sequence, env_setup, env_teardown)
{
	unsigned int missing, i;

	for (missing = 0; missing < 5; missing++) {
		static const uint64_t events[4] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
		struct env *e = machine(state, "nhm");

		ds_for(e, 0, 176, ROOM);
		wr(e, VP_MSR_LD_LAT, 30);
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_PEBS_ENABLE, missing == 0 ? 8 : 0);
		for (i = 0; i < 4; i++) {
			wr(e, VP_MSR_EVTSEL0 + i, missing == 1 && i == 3 ? 0x4300b5 : events[i]);
			wr(e, VP_MSR_PMC0 + i, missing == 2 && i == 2 ? 7 : 0);
		}
		wr(e, VP_MSR_GLOBAL_CTRL, missing == 3 ? 0x7 : 0xf);
		if (missing != 4)
			wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_EVTSEL0 + 3, 0);
		wr(e, VP_MSR_EVTSEL0 + 3, 0x100b | BOTH | VP_EVTSEL_EN);
		wr(e, VP_MSR_PEBS_ENABLE, 8 | 8ULL << 32);
		e->violations = 0;
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_GLOBAL_CTRL, 8);
		/* The last step may be late. */
		if (missing == 4)
			assert_int_equal(e->violations, 0);
		else
			expect_violation(e, 1, "no-enable-sequence");
	}
}

TEST_WITH(not_alone, env_setup, env_teardown)
{
	static const char *const models[] = { "nhm", "hsw", "bdw" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		const struct vp_core *core = core_of(models[i]);
		struct env *e = machine(state, models[i]);

		ds_for(e, 0, 64 * 3, ROOM);
		arm_loads(e, 0, core, 3, -1, 100);
		/* Another counter that counts without PEBS is permitted. */
		wr(e, VP_MSR_EVTSEL0, 0x00c0 | BOTH | VP_EVTSEL_EN);
		wr(e, VP_MSR_GLOBAL_CTRL, 9);
		/* So is PEBS on a counter that does not run. */
		wr(e, VP_MSR_PEBS_ENABLE, 0xa | 8ULL << 32);
		assert_int_equal(e->violations, 0);
		e->violations = 0;
		wr(e, VP_MSR_PEBS_ENABLE, 9 | 8ULL << 32);
		/* On Nehalem, the other event was added without the sequence as well. */
		assert_int_equal(e->violations, i ? 1 : 2);
		assert_string_equal(e->kind, i ? "pebs-not-alone" : "no-enable-sequence");
	}
	/* Since Skylake this is permitted. Two other events are permitted on any core. */
	ds_for(machine(state, "skx"), 0, 200, ROOM);
	arm_loads(*state, 0, core_of("skx"), 0, -1, 100);
	wr(*state, VP_MSR_EVTSEL0 + 1, EV_STORES | BOTH | VP_EVTSEL_EN);
	wr(*state, VP_MSR_PEBS_ENABLE, 3 | 1ULL << 32);
	wr(*state, VP_MSR_GLOBAL_CTRL, 3);
	assert_int_equal(((struct env *)*state)->violations, 0);
	ds_for(machine(state, "hsw"), 0, 192, ROOM);
	arm_stores(*state, 0, core_of("hsw"), 0, 100);
	wr(*state, VP_MSR_EVTSEL0 + 1, EV_LOADS | BOTH | VP_EVTSEL_EN);
	wr(*state, VP_MSR_PEBS_ENABLE, 3);
	wr(*state, VP_MSR_GLOBAL_CTRL, 3);
	assert_int_equal(((struct env *)*state)->violations, 0);
}

/* Write one record, which makes a PMI. */
static struct env *with_pmi(void **state, const char *model, unsigned int cpu)
{
	const struct vp_core *core = vp_model_core(vp_model_find(model), cpu, CPUS);
	struct env *e = machine(state, model);

	ds_for(e, cpu, vp_core_adaptive(core) ? 64 : 200, 1);
	if (vp_core_format(core) < 3) {
		ds_set(e, VP_DS_PEBS_MAX, BUF + 192);
		ds_set(e, VP_DS_PEBS_THRESHOLD, BUF + 176);
	}
	arm_loads(e, cpu, core, load_of(core), aux_of(core), 1);
	access_on(e, cpu, false, false, &slow);
	assert_int_equal(e->nmis[cpu], 1);
	assert_int_equal(e->violations, 0);
	return e;
}

static void unmask(struct env *e, unsigned int cpu)
{
	e->lvtpc[cpu] = VP_LVT_NMI;
	vp_pmu_saw_lvtpc(e->pmu, cpu, VP_LVT_NMI);
	vp_pmu_retire(e->pmu, cpu, false, 0, IP);
}

TEST_WITH(early_unmask, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		unsigned int cpu;
		bool late;
	} t[] = {
		{ "nhm", 0, false }, { "snb", 0, false }, { "hsw", 0, true }, { "skx", 0, true },
		{ "icx", 0, true }, { "spr", 0, true }, { "adl", 0, true }, { "adl", 1, false },
		{ "srf", 0, false }, { "lnl", 0, true }, { "lnl", 1, false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		unsigned int cpu = t[i].cpu;
		uint64_t ctrl;
		struct env *e;

		print_message("# %s\n", t[i].model);
		/* LVTPC is unmasked before anything else. */
		e = with_pmi(state, t[i].model, cpu);
		unmask(e, cpu);
		assert_int_equal(e->violations, t[i].late);
		if (t[i].late) {
			assert_string_equal(e->kind, "early-unmask");
			assert_non_null(strstr(e->detail, "after a PMI at 0x"));
		}
		/* LVTPC is unmasked while the counters are stopped. */
		e = with_pmi(state, t[i].model, cpu);
		ctrl = vp_pmu_rdmsr(e->pmu, cpu, VP_MSR_GLOBAL_CTRL, IP);
		wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
		unmask(e, cpu);
		assert_int_equal(e->violations, t[i].late);
		wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, ctrl);
		assert_int_equal(e->violations, t[i].late);
		/*
		 * LVTPC is unmasked after the counters run again, which is too late on the other
		 * cores.
		 */
		e = with_pmi(state, t[i].model, cpu);
		wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
		wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, ctrl);
		assert_int_equal(e->violations, !t[i].late);
		if (!t[i].late)
			assert_string_equal(e->kind, "late-unmask");
		unmask(e, cpu);
		assert_int_equal(e->violations, !t[i].late);
		/* PEBS is off, so LVTPC may be unmasked at any time. */
		e = with_pmi(state, t[i].model, cpu);
		wr_on(e, cpu, VP_MSR_PEBS_ENABLE, 0);
		unmask(e, cpu);
		assert_int_equal(e->violations, 0);
		/* GLOBAL_CTRL keeps its value twice, so nothing has started to run. */
		e = with_pmi(state, t[i].model, cpu);
		wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
		wr_on(e, cpu, VP_MSR_GLOBAL_CTRL, 0);
		unmask(e, cpu);
		assert_int_equal(e->violations, 0);
	}
}

/*
 * A PMI that comes while the counters are stopped is held until then. Linux' handler leaves them
 * stopped, and unmasks after it has written GLOBAL_CTRL once.
 */
TEST_WITH(unmask_while_stopped, env_setup, env_teardown)
{
	struct env *e = with_pmi(state, "icx", 0);

	wr(e, VP_MSR_GLOBAL_RESET, VP_STATUS_DS);
	access_on(e, 0, false, false, &slow);		/* buffer full: a PMI, held */
	assert_int_equal(e->pmis_masked, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	unmask(e, 0);
	assert_int_equal(e->nmis[0], 2);
	assert_int_equal(e->lvtpc[0], VP_LVT_NMI | VP_LVT_MASKED);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	unmask(e, 0);
	assert_int_equal(e->violations, 0);
	/*
	 * With Linux' mid_ack, the NMI waits for the handler's end. The counters run before that.
	 */
	e = with_pmi(state, "srf", 0);
	wr(e, VP_MSR_GLOBAL_RESET, VP_STATUS_DS);
	access_on(e, 0, false, false, &slow);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	unmask(e, 0);
	assert_int_equal(e->nmis[0], 2);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	assert_int_equal(e->violations, 0);
}

/* Each PMI is checked on its own. */
TEST_WITH(unmask_each_time, env_setup, env_teardown)
{
	struct env *e = with_pmi(state, "icx", 0);
	unsigned int i;

	for (i = 1; i <= 3; i++) {
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_GLOBAL_RESET, VP_STATUS_DS);
		ds_set(e, VP_DS_PEBS_INDEX, BUF);
		wr(e, VP_MSR_GLOBAL_CTRL, 1);
		unmask(e, 0);
		assert_int_equal(e->violations, 0);
		access_on(e, 0, false, false, &slow);
		assert_int_equal(e->nmis[0], 1 + i);
	}
	unmask(e, 0);
	expect_violation(e, 1, "early-unmask");
}

/* Since version 5 the event alone makes load latency, so its threshold and INT are checked. */
TEST_WITH(version_5, env_setup, env_teardown)
{
	struct env *e = machine(state, "icx");

	ds_for(e, 0, 64, ROOM);
	arm_loads(e, 0, core_of("icx"), 0, -1, 100);
	wr(e, VP_MSR_LD_LAT, 31);
	expect_violation(e, 1, "running-counter");
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_LD_LAT, 2);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	expect_violation(e, 2, "ldlat-threshold");
	/* Bit 32 is fixed counter 0's PEBS bit, and counter 0 needs none. */
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_PEBS_ENABLE, 1ULL << 32);
	assert_int_equal(e->violations, 2);
	/* The E-cores' event is not 0xcd. It must not be filtered either. */
	e = machine(state, "srf");
	ds_for(e, 0, 64, ROOM);
	arm_loads(e, 0, core_of("srf"), 0, -1, 100);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0, evtsel(core_of("srf"), 0x05d0) | VP_EVTSEL_EDGE);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	expect_violation(e, 1, "pebs-filter");
}

/* Stores of Golden Cove and later on counter 0: reported once until the period is right. */
TEST_WITH(pdist_period, env_setup, env_teardown)
{
	static const char *const models[] = {
		"adl", "spr", "emr", "gnr", "mtl", "lnl", "arl", "arlh",
	};
	static const struct vp_outcome hit = { .code = VP_L1, .l1_hit = true, .latency = 5 };
	unsigned int i, j;

	for (i = 0; i < sizeof(models) / sizeof(*models); i++) {
		const struct vp_core *core = core_of(models[i]);
		struct env *e = machine(state, models[i]);

		ds_for(e, 0, 64, ROOM);
		/* As perf does: 2^48 events after the first record, unless a handler sets it. */
		arm_stores(e, 0, core, 0, 0);
		assert_int_equal(e->violations, 0);
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		arm_stores(e, 0, core, 0, 128);
		for (j = 0; j < 300; j++)
			access_on(e, 0, true, false, &hit);
		assert_int_equal(e->violations, 0);
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		arm_stores(e, 0, core, 0, 127);
		expect_violation(e, 1, "pdist-period");
		assert_non_null(strstr(e->detail, "period of 127, below 128"));
		for (j = 0; j < 300; j++)
			access_on(e, 0, true, false, &hit);
		assert_int_equal(e->violations, 1);
		/* The value was changed while the counter ran. That is noticed when it is used. */
		ds_set(e, vp_ds_reset(core, 0), COUNTER(1000));
		for (j = 0; j < 300; j++)
			access_on(e, 0, true, false, &hit);
		ds_set(e, vp_ds_reset(core, 0), COUNTER(17));
		for (j = 0; j < 1000; j++)
			access_on(e, 0, true, false, &hit);
		expect_violation(e, 2, "pdist-period");
	}
}

/* A first value may be small, and so may a load's period, and a store's on other cores. */
TEST_WITH(pdist_others, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		unsigned int cpu, counter;
	} t[] = { { "icx", 0, 0 }, { "srf", 0, 0 }, { "adl", 1, 0 }, { "lnl", 0, 1 } };
	const struct vp_core *core = core_of("spr");
	struct env *e;
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		e = machine(state, t[i].model);
		ds_for(e, t[i].cpu, 64, ROOM);
		arm_stores(e, t[i].cpu, vp_model_core(vp_model_find(t[i].model), t[i].cpu, CPUS),
			   t[i].counter, 2);
		assert_int_equal(e->violations, 0);
	}
	e = machine(state, "spr");
	ds_for(e, 0, 64, ROOM);
	arm_loads(e, 0, core, load_of(core), aux_of(core), 2);
	assert_int_equal(e->violations, 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0 + load_of(core), 0);
	arm_stores(e, 0, core, 0, 1000);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(3));
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	assert_int_equal(e->violations, 0);
}
