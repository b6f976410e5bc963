// SPDX-License-Identifier: GPL-2.0
/* Registers: which ones a core has, their bits, and their addresses. */
#include "pmu_models.h"

/* MSRs that exist on some machines only. */
TEST_WITH(presence, env_setup, env_teardown)
{
	static const struct {
		uint32_t msr;
		const char *has, *lacks;
	} t[] = {
		{ VP_MSR_A_PMC0, "ivb", "snb" },
		{ VP_MSR_A_PMC0, "hsw", "nhm" },
		{ VP_MSR_OFFCORE_RSP1, "wsm", "nhm" },
		{ VP_MSR_GLOBAL_SET, "skl", "bdw" },
		{ VP_MSR_PEBS_DATA_CFG, "icx", "skx" },
		{ VP_MSR_PEBS_DATA_CFG, "srf", "guest-icx" },
		{ VP_MSR_METRICS, "icl", "skx" },
		{ VP_MSR_METRICS, "mtl", "srf" },
		{ VP_MSR_LD_LAT, "nhm", "knl" },
		{ VP_MSR_FRONTEND, "lnl", "bdw" },
		{ VP_MSR_FRONTEND, "skl", "srf" },
		{ VP_MSR_SNOOP_RSP0 + 1, "srf", "spr" },
		{ VP_MSR_EVTSEL0 + 7, "icx", "skx" },
		{ VP_MSR_EVTSEL0 + 9, "lnl", "icx" },
		{ VP_MSR_PMC0 + 3, "nhm", "knl" },
		{ VP_MSR_FIXED_CTR0 + 3, "icx", "skx" },
		{ VP_MSR_FIXED_CTR0 + 2, "srf", NULL },
		{ VP_MSR_FIXED_CTR0 + 3, "gnr", "srf" },
		{ VP_MSR_V6_GP, "lnl", "gnr" },
		{ VP_MSR_V6_GP + 4 * 9 + 1, "arl", "srf" },
		{ VP_MSR_V6_FIXED, "arl", "arlh" },
		{ VP_MSR_PEBS_BASE, "ptl", "lnl" },
		{ VP_MSR_V6_GP + 3, "ptl", "lnl" },
		{ VP_MSR_V6_FIXED + 3, "ptl", "arl" },
		{ VP_MSR_PEBS_ENABLE, "lnl", "ptl" },
		{ VP_MSR_PREFETCH, "nhm", "knl" },
		{ VP_MSR_PREFETCH, "bdw", "guest-icx" },
		{ VP_MSR_PREFETCH, "skl", NULL },
		{ VP_MSR_PREFETCH, "icx", NULL },
		{ VP_MSR_PREFETCH, "adl", NULL },
		{ VP_MSR_PREFETCH, "srf", NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct env *e = machine(state, t[i].has);

		print_message("# 0x%x\n", t[i].msr);
		assert_true(vp_pmu_owns(e->pmu, 0, t[i].msr));
		wr(e, t[i].msr, 1);
		assert_int_equal(e->violations, 0);
		rd(e, t[i].msr);
		assert_int_equal(e->violations, 0);
		if (!t[i].lacks)
			continue;
		e = machine(state, t[i].lacks);
		assert_true(vp_pmu_owns(e->pmu, 0, t[i].msr));
		assert_int_equal(rd(e, t[i].msr), 0);
		expect_violation(e, 1, "unknown-msr");
		wr(e, t[i].msr, 1);
		expect_violation(e, 2, "unknown-msr");
	}
	/* CFG_B, a fixed counter's event select, and registers of other devices. */
	wr(machine(state, "lnl"), VP_MSR_V6_GP + 2, 1);
	expect_violation((struct env *)*state, 1, "unknown-msr");
	wr(*state, VP_MSR_V6_FIXED + 1, 1);
	expect_violation((struct env *)*state, 2, "unknown-msr");
	assert_false(vp_pmu_owns(((struct env *)*state)->pmu, 0, 0x19a0));
	assert_false(vp_pmu_owns(((struct env *)*state)->pmu, 0, 0x10a));
}

/* Each type of core of a hybrid machine has its own registers. */
TEST_WITH(hybrid, env_setup, env_teardown)
{
	struct env *e = machine(state, "lnl");

	vp_pmu_wrmsr(e->pmu, 0, VP_MSR_EVTSEL0 + 9, 0x3c, IP);
	assert_int_equal(e->violations, 0);
	vp_pmu_wrmsr(e->pmu, 1, VP_MSR_EVTSEL0 + 9, 0x3c, IP);
	expect_violation(e, 1, "unknown-msr");
	assert_int_equal(vp_pmu_rdmsr(e->pmu, 0, VP_MSR_PERF_CAPS, IP) >> 15 & 1, 1);
	assert_int_equal(vp_pmu_rdmsr(e->pmu, 1, VP_MSR_PERF_CAPS, IP) >> 15 & 1, 0);
	assert_int_equal(vp_pmu_rdmsr(e->pmu, 0, VP_MSR_GLOBAL_CTRL, IP), 0x3ff);
	assert_int_equal(vp_pmu_rdmsr(e->pmu, 1, VP_MSR_GLOBAL_CTRL, IP), 0xff);
}

/* The highest defined bit is accepted. The next one is not, and changes nothing. */
TEST_WITH(reserved_bits, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		uint32_t msr;
		uint64_t good, bad;
	} t[] = {
		{ "nhm", VP_MSR_EVTSEL0, 1ULL << 31, 1ULL << 32 },
		{ "hsw", VP_MSR_EVTSEL0, 1ULL << 33, 1ULL << 34 },
		{ "icx", VP_MSR_EVTSEL0, 1ULL << 34, 1ULL << 35 },
		{ "srf", VP_MSR_EVTSEL0, 1ULL << 34, 1ULL << 32 },
		{ "guest-icx", VP_MSR_EVTSEL0, 1ULL << 33, 1ULL << 34 },
		{ "icx", VP_MSR_FIXED_CTR_CTRL, 1ULL << 15 | 1ULL << 44, 1ULL << 16 },
		{ "icx", VP_MSR_FIXED_CTR_CTRL, 1ULL << 32, 1ULL << 33 },
		{ "srf", VP_MSR_FIXED_CTR_CTRL, 1ULL << 11, 1ULL << 44 },
		{ "skx", VP_MSR_FIXED_CTR_CTRL, 1ULL << 11, 1ULL << 32 },
		{ "icx", VP_MSR_GLOBAL_CTRL, 0xff | 0xfULL << 32 | VP_CTRL_METRICS, 1ULL << 36 },
		{ "srf", VP_MSR_GLOBAL_CTRL, 0xff | 0x7ULL << 32, VP_CTRL_METRICS },
		{ "lnl", VP_MSR_GLOBAL_CTRL, 0x3ff, 0x400 },
		{ "knl", VP_MSR_GLOBAL_CTRL, 0x3, 0x4 },
		/* Bits of load latency before version 5, bits of fixed counters since then. */
		{ "skx", VP_MSR_PEBS_ENABLE, 0xfULL << 32 | 0xf, 1ULL << 36 },
		{ "icx", VP_MSR_PEBS_ENABLE, 0xfULL << 32 | 0xff, 1ULL << 36 },
		{ "srf", VP_MSR_PEBS_ENABLE, 0x7ULL << 32 | 0xff, 1ULL << 35 },
		{ "knl", VP_MSR_PEBS_ENABLE, 0x3, 1ULL << 32 },
		{ "snb", VP_MSR_PEBS_ENABLE, VP_PRECISE_STORE | 8, 1ULL << 62 },
		{ "nhm", VP_MSR_PEBS_ENABLE, 0xfULL << 32 | 0xf, VP_PRECISE_STORE },
		{ "bdw", VP_MSR_PREFETCH, 0xf, 0x10 },
		{ "skx", VP_MSR_PREFETCH, 0x1f, 0x20 },
		{ "spr", VP_MSR_PREFETCH, 0x3f, 0x40 },
		{ "gnr", VP_MSR_PREFETCH, 0xff, 0x100 },
		{ "lnl", VP_MSR_PREFETCH, 0x1f, 0x20 },
		{ "srf", VP_MSR_PREFETCH, 0xff, 0x100 },
		{ "icx", VP_MSR_PEBS_DATA_CFG, 0x1f00000f, 1ULL << 4 },
		{ "icx", VP_MSR_PEBS_DATA_CFG, 0x1, 1ULL << 29 },
		{ "lnl", VP_MSR_PEBS_DATA_CFG, 0x000f03ff1f00003fULL, 1ULL << 42 },
		{ "lnl", VP_MSR_PEBS_DATA_CFG, 0x1, 1ULL << 63 },
		/* Format 6 has snapshots of counters. */
		{ "arlh", VP_MSR_PEBS_DATA_CFG, 0x1f00000f, VP_GROUP_COUNTERS },
		{ "nhm", VP_MSR_OFFCORE_RSP0, 0xffff, 0x10000 },
		{ "srf", VP_MSR_OFFCORE_RSP0, 1ULL << 63, 1ULL << 62 },
		{ "lnl", VP_MSR_OFFCORE_RSP1, 1ULL << 43, 1ULL << 44 },
		{ "ivb", VP_MSR_A_PMC0, 1ULL << 47, 1ULL << 48 },
		{ "lnl", VP_MSR_V6_GP, 1ULL << 47, 1ULL << 48 },
		{ "lnl", VP_MSR_V6_FIXED, 1ULL << 47, 1ULL << 48 },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct env *e = machine(state, t[i].model);

		print_message("# %s 0x%x\n", t[i].model, t[i].msr);
		expect_reserved(e, t[i].msr, t[i].good, t[i].bad);
	}
}

TEST_WITH(status_bits, env_setup, env_teardown)
{
	struct env *e = machine(state, "nhm");

	wr(e, VP_MSR_GLOBAL_RESET, 1ULL << 62 | 1ULL << 63 | 0xf | 7ULL << 32);
	assert_int_equal(e->violations, 0);
	wr(e, VP_MSR_GLOBAL_RESET, 1ULL << 58);
	expect_violation(e, 1, "reserved-bits");
	e = machine(state, "icx");
	wr(e, VP_MSR_GLOBAL_SET, VP_CTRL_METRICS | 1ULL << 62 | 0xff);
	wr(e, VP_MSR_GLOBAL_RESET, VP_CTRL_METRICS | 1ULL << 58);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1ULL << 62 | 0xff);
	assert_int_equal(e->violations, 0);
	wr(e, VP_MSR_GLOBAL_SET, 1ULL << 63);
	expect_violation(e, 1, "reserved-bits");
}

/* One register has two addresses. */
TEST_WITH(version_6, env_setup, env_teardown)
{
	struct env *e = machine(state, "lnl");
	unsigned int i;

	for (i = 0; i < 10; i++) {
		wr(e, VP_MSR_V6_GP + 4 * i, 0x123456789abcULL + i);
		assert_int_equal(rd(e, VP_MSR_PMC0 + i), 0x123456789abcULL + i);
		wr(e, VP_MSR_A_PMC0 + i, 0x77 + i);
		assert_int_equal(rd(e, VP_MSR_V6_GP + 4 * i), 0x77 + i);
		wr(e, VP_MSR_V6_GP + 4 * i + 1, 0x3c + (i << 8));
		assert_int_equal(rd(e, VP_MSR_EVTSEL0 + i), 0x3c + (i << 8));
	}
	for (i = 0; i < 4; i++) {
		wr(e, VP_MSR_V6_FIXED + 4 * i, 0x50 + i);
		assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + i), 0x50 + i);
	}
	assert_int_equal(e->violations, 0);
}

/* PEBS bits of fixed counters: cycles and instructions write records too. */
TEST_WITH(fixed_pebs, env_setup, env_teardown)
{
	struct env *e = machine(state, "icx");

	ds_for(e, 0, 32, ROOM);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	ds_set(e, 0x80 + 8, COUNTER(10));
	wr(e, VP_MSR_FIXED_CTR0 + 1, COUNTER(10));
	wr(e, VP_MSR_FIXED_CTR_CTRL, 3 << 4);
	wr(e, VP_MSR_PEBS_ENABLE, 1ULL << 33);
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << 33);
	vp_pmu_retire(e->pmu, 0, true, 25, USER_IP);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + 1), COUNTER(5));
	/* Without the adaptive bit, the record is the basic group. */
	assert_int_equal(word_at(e, 0), 32ULL << 48);
	assert_int_equal(word_at(e, 8), USER_IP);
	assert_int_equal(word_at(e, 16), 1ULL << 33);
	assert_int_equal(word_at(e, 32), 32ULL << 48);
	assert_int_equal(e->violations, 0);
	/* The fixed counter's PMI bit has the effect of INT in an event select. */
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_FIXED_CTR_CTRL, 0xb << 4);
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << 33);
	expect_violation(e, 1, "pebs-int");
	/* With the fixed counter's own adaptive bit. */
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_FIXED_CTR_CTRL, 3 << 4 | 1ULL << 36);
	wr(e, VP_MSR_PEBS_DATA_CFG, VP_GROUP_MEMINFO);
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << 33);
	vp_pmu_retire(e->pmu, 0, true, 5, USER_IP);
	assert_int_equal(word_at(e, 64), 64ULL << 48 | VP_GROUP_MEMINFO);
	assert_int_equal(e->violations, 1);
}

/* Slots count, and PERF_METRICS says what they were used for. */
TEST_WITH(metrics, env_setup, env_teardown)
{
	struct env *e = machine(state, "spr");

	wr(e, VP_MSR_METRICS, 0);
	wr(e, VP_MSR_FIXED_CTR0 + 3, 0);
	wr(e, VP_MSR_FIXED_CTR_CTRL, 3 << 12);
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << 35);
	vp_pmu_retire(e->pmu, 0, true, 10, USER_IP);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + 3), 10);
	assert_int_equal(rd(e, VP_MSR_METRICS), 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << 35 | VP_CTRL_METRICS);
	vp_pmu_retire(e->pmu, 0, true, 10, USER_IP);
	assert_int_equal(rd(e, VP_MSR_METRICS), 0xff);
	assert_int_equal(vp_pmu_rdpmc(e->pmu, 0, 1u << 29, IP), 0xff);
	assert_int_equal(vp_pmu_rdpmc(e->pmu, 0, 1u << 30 | 3, IP), 20);
	assert_int_equal(e->violations, 0);
	vp_pmu_photo(e->pmu);
	vp_pmu_retire(e->pmu, 0, true, 10, USER_IP);
	wr(e, VP_MSR_METRICS, 0);
	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	vp_pmu_photo(e->pmu);
	wr(e, VP_MSR_METRICS, 5);
	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 1);
	assert_non_null(strstr(e->detail, "PERF_METRICS was 0x0, is 0x5"));
	e = machine(state, "skx");
	assert_int_equal(vp_pmu_rdpmc(e->pmu, 0, 1u << 29, IP), 0);
	expect_violation(e, 1, "unknown-msr");
}

/* All registers are compared, also those that only some machines have. */
TEST_WITH(all_compared, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		uint32_t msr;
		const char *name;
	} t[] = {
		{ "lnl", VP_MSR_EVTSEL0 + 9, "EVTSEL9 " },
		{ "lnl", VP_MSR_V6_GP + 4 * 9, "PMC9 " },
		{ "lnl", VP_MSR_FIXED_CTR0 + 3, "FIXED_CTR3 " },
		{ "icx", VP_MSR_PEBS_DATA_CFG, "PEBS_DATA_CFG " },
		{ "srf", VP_MSR_SNOOP_RSP0, "SNOOP_RSP0 " },
		{ "srf", VP_MSR_SNOOP_RSP0 + 1, "SNOOP_RSP1 " },
		{ "hsw", VP_MSR_PREFETCH, "MISC_FEATURE_CONTROL " },
		{ "ptl", VP_MSR_PEBS_BASE, "PEBS_BASE " },
		{ "ptl", VP_MSR_PEBS_INDEX, "PEBS_INDEX " },
		{ "ptl", VP_MSR_V6_GP + 4 * 9 + 3, "GP9_CFG_C " },
		{ "ptl", VP_MSR_V6_FIXED + 3, "FX0_CFG_C " },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct env *e = machine(state, t[i].model);

		vp_pmu_photo(e->pmu);
		/* The lowest bits of the index are reserved. */
		wr(e, t[i].msr, t[i].msr == VP_MSR_PEBS_INDEX ? 0x10 : 1);
		assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 1);
		assert_int_equal(strncmp(e->detail, t[i].name, strlen(t[i].name)), 0);
	}
}
