// SPDX-License-Identifier: GPL-2.0
/* The PMU's registers: what can be written, what counts what, and what is a violation. */
#include <errno.h>

#include "pmu_env.h"

TEST(bad_size)
{
	errno = 0;
	assert_null(vp_pmu_new(0, vp_model_find("skx"), &env_ops, NULL));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(vp_pmu_new(VP_MAX_CPUS + 1, vp_model_find("skx"), &env_ops, NULL));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(vp_pmu_new(CPUS, vp_model_find("none"), &env_ops, NULL));
	assert_int_equal(errno, EINVAL);
}

TEST_WITH(ownership, env_setup, env_teardown)
{
	static const uint32_t ours[] = { 0xc1, 0xc4, 0x186, 0x189, 0x4c1, 0x4c4, 0x309, 0x30b,
					 0x1a6, 0x1a7, 0x1d9, 0x345, 0x38d, 0x38e, 0x38f, 0x390,
					 0x391, 0x3f1, 0x3f6, 0x3f7, 0x600, 0x3f2, 0x18a, 0x1900 };
	static const uint32_t others[] = { 0x10, 0x1b, 0x1a0, 0x1c8, 0x1c9, 0x680, 0x6c0, 0xdc0,
					   0x3f8, 0x606, 0x830, 0xc0000080 };
	struct env *e = *state;
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		assert_true(vp_pmu_owns(e->pmu, 0, ours[i]));
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(vp_pmu_owns(e->pmu, 0, others[i]));
}

TEST_WITH(reset_values, env_setup, env_teardown)
{
	struct env *e = *state;

	assert_int_equal(rd(e, VP_MSR_GLOBAL_CTRL), 0xf);
	assert_int_equal(rd(e, VP_MSR_PERF_CAPS) >> 8 & 0xf, 3);
	assert_int_equal(rd(e, VP_MSR_PERF_CAPS) >> 13 & 1, 1);
	assert_int_equal(rd(e, VP_MSR_EVTSEL0), 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 0);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_NOTHING);
	assert_int_equal(e->violations, 0);
}

TEST_WITH(counter_writes, env_setup, env_teardown)
{
	struct env *e = *state;

	wr(e, VP_MSR_PMC0, 0x7fffffff);
	assert_int_equal(rd(e, VP_MSR_A_PMC0), 0x7fffffff);
	wr(e, VP_MSR_PMC0, 0x80000000);
	assert_int_equal(rd(e, VP_MSR_PMC0), 0xffff80000000ULL);
	/* The old register ignores EDX. */
	wr(e, VP_MSR_PMC0 + 1, 0x1234567800000001ULL);
	assert_int_equal(rd(e, VP_MSR_PMC0 + 1), 1);
	wr(e, VP_MSR_A_PMC0 + 2, 0x800000000000ULL);
	assert_int_equal(rd(e, VP_MSR_PMC0 + 2), 0x800000000000ULL);
	wr(e, VP_MSR_FIXED_CTR0 + 2, VP_COUNTER_MASK);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + 2), VP_COUNTER_MASK);
	assert_int_equal(e->violations, 0);
	assert_int_equal(vp_pmu_rdpmc(e->pmu, 0, 1, IP), 1);
	assert_int_equal(vp_pmu_rdpmc(e->pmu, 0, 1u << 30 | 2, IP), VP_COUNTER_MASK);
	assert_int_equal(vp_pmu_rdpmc(e->pmu, 0, 4, IP), 0);
	expect_violation(e, 1, "unknown-msr");
	assert_int_equal(vp_pmu_rdpmc(e->pmu, 0, 1u << 30 | 3, IP), 0);
	expect_violation(e, 2, "unknown-msr");
}

/*
 * Each register accepts its highest defined bit. Writing the next one faults and changes nothing.
 */
TEST_WITH(reserved_bits, env_setup, env_teardown)
{
	static const struct {
		uint32_t msr;
		uint64_t good;
		uint64_t bad;
	} t[] = {
		{ VP_MSR_EVTSEL0, 1ULL << 33, 1ULL << 34 },
		{ VP_MSR_EVTSEL0 + 3, 1ULL << 32, 1ULL << 63 },
		{ VP_MSR_A_PMC0, 1ULL << 47, 1ULL << 48 },
		{ VP_MSR_FIXED_CTR0, 1ULL << 47, 1ULL << 48 },
		{ VP_MSR_FIXED_CTR_CTRL, 1ULL << 11, 1ULL << 12 },
		{ VP_MSR_GLOBAL_CTRL, 1ULL << 34, 1ULL << 35 },
		{ VP_MSR_GLOBAL_CTRL, 1ULL << 3, 1ULL << 4 },
		{ VP_MSR_PEBS_ENABLE, 1ULL << 3, 1ULL << 4 },
		{ VP_MSR_PEBS_ENABLE, 9ULL << 32 | 9, 1ULL << 63 },
		{ VP_MSR_LD_LAT, 1ULL << 15, 1ULL << 16 },
		{ VP_MSR_DEBUGCTL, 1ULL << 14, 1ULL << 16 },
		{ VP_MSR_OFFCORE_RSP0, 1ULL << 37, 1ULL << 38 },
		{ VP_MSR_OFFCORE_RSP1, 1, 1ULL << 63 },
		{ VP_MSR_FRONTEND, 1ULL << 23, 1ULL << 24 },
		{ VP_MSR_DS_AREA, 0xffff800000000000ULL, 0x800000000000ULL },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct env *e;

		env_teardown(state);
		assert_int_equal(env_setup(state), 0);
		e = *state;
		expect_reserved(e, t[i].msr, t[i].good, t[i].bad);
	}
}

TEST_WITH(unknown_and_read_only, env_setup, env_teardown)
{
	static const uint32_t absent[] = { 0xc5, 0x18a, 0x4c5, 0x30c, 0x3f2, 0x329, 0x3f4, 0x14c1,
					   0x1309, 0x1983 };
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
		assert_int_equal(rd(e, absent[i]), 0);
		expect_violation(e, 2 * i + 1, "unknown-msr");
		wr(e, absent[i], 1);
		expect_violation(e, 2 * i + 2, "unknown-msr");
	}
	e->violations = 0;
	wr(e, VP_MSR_PERF_CAPS, 0);
	expect_violation(e, 1, "read-only");
	wr(e, VP_MSR_GLOBAL_STATUS, 0);
	expect_violation(e, 2, "read-only");
}

TEST_WITH(status_ack, env_setup, env_teardown)
{
	struct env *e = *state;

	wr(e, VP_MSR_GLOBAL_SET, VP_STATUS_DS | 5);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), VP_STATUS_DS | 5);
	wr(e, VP_MSR_GLOBAL_RESET, 1);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), VP_STATUS_DS | 4);
	/* To clear bits that are clear, and bit 63, is permitted. */
	wr(e, VP_MSR_GLOBAL_RESET, VP_STATUS_DS | 7 | 1ULL << 63);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_RESET), 0);
	assert_int_equal(e->violations, 0);
	wr(e, VP_MSR_GLOBAL_RESET, 1ULL << 40);
	expect_violation(e, 1, "reserved-bits");
}

TEST_WITH(debugctl_absent, env_setup, env_teardown)
{
	struct env *e = *state;
	unsigned int n = 0, bit;

	for (bit = 0; bit < 16; bit++) {
		bool missing = bit == 0 || bit == 6 || bit == 7;

		if (bit >= 2 && bit <= 5)
			continue;
		n += missing;
		wr(e, VP_MSR_DEBUGCTL, 1ULL << bit);
		assert_int_equal(e->violations, n);
	}
	assert_string_equal(e->kind, "not-emulated");
}

/* Programming a counter while it runs is a violation. */
TEST_WITH(running_counter, env_setup, env_teardown)
{
	struct env *e = *state;

	sample_loads(e, 3, 100);
	assert_int_equal(e->violations, 0);
	wr(e, VP_MSR_A_PMC0, 5);
	expect_violation(e, 1, "running-counter");
	wr(e, VP_MSR_PMC0, 5);
	expect_violation(e, 2, "running-counter");
	wr(e, VP_MSR_EVTSEL0, EV_LAT | VP_EVTSEL_USR | VP_EVTSEL_EN);
	expect_violation(e, 3, "running-counter");
	wr(e, VP_MSR_LD_LAT, 40);
	expect_violation(e, 4, "running-counter");
	wr(e, VP_MSR_DS_AREA, 0);
	expect_violation(e, 5, "running-counter");
	/* Permitted are the same value again, another counter, and stopping it. */
	wr(e, VP_MSR_LD_LAT, 40);
	wr(e, VP_MSR_A_PMC0 + 1, 7);
	wr(e, VP_MSR_EVTSEL0 + 1, EV_INSNS | BOTH);
	wr(e, VP_MSR_EVTSEL0, EV_LAT | BOTH);
	wr(e, VP_MSR_A_PMC0, 9);
	wr(e, VP_MSR_DS_AREA, DS);
	wr(e, VP_MSR_EVTSEL0, EV_LAT | BOTH | VP_EVTSEL_EN);
	assert_int_equal(e->violations, 5);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_LD_LAT, 50);
	wr(e, VP_MSR_DS_AREA, 0);
	assert_int_equal(e->violations, 5);
	/* The same for fixed counters. */
	wr(e, VP_MSR_FIXED_CTR_CTRL, 3 << 4);
	wr(e, VP_MSR_FIXED_CTR0 + 1, 1);
	assert_int_equal(e->violations, 5);
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << 33);
	wr(e, VP_MSR_FIXED_CTR0 + 1, 2);
	expect_violation(e, 6, "running-counter");
	/* What perf clears has a name of its own: by the kernel itself, and 0. */
	vp_pmu_wrmsr(e->pmu, 0, VP_MSR_FIXED_CTR0 + 1, 0, 0xffffffff81337f2f);
	expect_violation(e, 7, "dirty-counter");
	vp_pmu_wrmsr(e->pmu, 0, VP_MSR_FIXED_CTR0 + 1, 1, 0xffffffff81337f2f);
	expect_violation(e, 8, "running-counter");
	vp_pmu_wrmsr(e->pmu, 0, VP_MSR_FIXED_CTR0 + 1, 0, 0xffffffffc0337f2f);
	expect_violation(e, 9, "running-counter");
}

TEST_WITH(pebs_rules, env_setup, env_teardown)
{
	static const uint64_t filters[] = { VP_EVTSEL_ANY, VP_EVTSEL_EDGE, VP_EVTSEL_INV,
					    1ULL << 24 };
	struct env *e = *state;
	size_t i;

	ds_make(e, 3);
	arm(e, 30, 100, BOTH | VP_EVTSEL_INT);
	expect_violation(e, 1, "pebs-int");
	/* The violation is reported once as long as it lasts. */
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	assert_int_equal(e->violations, 1);
	for (i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		arm(e, 30, 100, BOTH | filters[i]);
		expect_violation(e, 2 + i, "pebs-filter");
	}
	arm(e, 2, 100, BOTH);
	expect_violation(e, 6, "ldlat-threshold");
	arm(e, 3, 100, BOTH);
	assert_int_equal(e->violations, 6);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_PEBS_ENABLE, 1ULL << 33);
	expect_violation(e, 7, "ldlat-no-pebs");
	/* INT without PEBS, and perf's precise cycles, are permitted. */
	wr(e, VP_MSR_PEBS_ENABLE, 0);
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH | VP_EVTSEL_INT | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0, 0x01c2 | BOTH | VP_EVTSEL_INV | 16ULL << 24 | VP_EVTSEL_EN);
	wr(e, VP_MSR_PEBS_ENABLE, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	assert_int_equal(e->violations, 7);
}

TEST_WITH(watch_levels, env_setup, env_teardown)
{
	struct env *e = *state;

	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_NOTHING);
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH | VP_EVTSEL_EN);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_TIME);
	wr(e, VP_MSR_EVTSEL0 + 1, EV_STORES | VP_EVTSEL_USR | VP_EVTSEL_EN);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_MEMORY);
	assert_int_equal(vp_pmu_watch(e->pmu, 1), VP_WATCH_NOTHING);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_TIME);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_NOTHING);
	wr(e, VP_MSR_EVTSEL0, 0x4321 | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_NOTHING);
}

/* Instructions, cycles and reference cycles, by privilege, of general and fixed counters. */
TEST_WITH(counting, env_setup, env_teardown)
{
	struct env *e = *state;

	wr(e, VP_MSR_EVTSEL0, EV_INSNS | VP_EVTSEL_USR | VP_EVTSEL_EN);
	wr(e, VP_MSR_EVTSEL0 + 1, 0x003c | VP_EVTSEL_OS | VP_EVTSEL_EN);
	wr(e, VP_MSR_EVTSEL0 + 2, 0x013c | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_EVTSEL0 + 3, 0x01c2 | BOTH | VP_EVTSEL_INV | 16ULL << 24 | VP_EVTSEL_EN);
	wr(e, VP_MSR_FIXED_CTR_CTRL, 0x312);
	wr(e, VP_MSR_GLOBAL_CTRL, 0x70000000fULL);
	vp_pmu_retire(e->pmu, 0, true, 10, USER_IP);
	vp_pmu_retire(e->pmu, 0, false, 7, IP);
	assert_int_equal(rd(e, VP_MSR_PMC0), 10);
	assert_int_equal(rd(e, VP_MSR_PMC0 + 1), 7);
	assert_int_equal(rd(e, VP_MSR_PMC0 + 2), 17);
	assert_int_equal(rd(e, VP_MSR_PMC0 + 3), 17);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0), 10);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + 1), 7);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + 2), 17);
	/* Nothing is counted while the counters are stopped. */
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	vp_pmu_retire(e->pmu, 0, true, 10, USER_IP);
	assert_int_equal(rd(e, VP_MSR_PMC0), 10);
	assert_int_equal(e->violations, 0);
}

TEST_WITH(overflow_and_headroom, env_setup, env_teardown)
{
	struct env *e = *state;

	e->lvtpc[0] = VP_LVT_NMI;
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(100));
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | VP_EVTSEL_OS | VP_EVTSEL_INT | VP_EVTSEL_EN);
	wr(e, VP_MSR_FIXED_CTR0 + 1, COUNTER(50));
	wr(e, VP_MSR_FIXED_CTR_CTRL, 0x10);
	wr(e, VP_MSR_GLOBAL_CTRL, 1 | 1ULL << 33);
	assert_int_equal(vp_pmu_headroom(e->pmu, 0, false), 50);
	assert_true(vp_pmu_headroom(e->pmu, 0, true) > 1000);
	vp_pmu_retire(e->pmu, 0, false, 50, IP);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1ULL << 33);
	assert_int_equal(e->nmis[0], 0);
	assert_int_equal(vp_pmu_headroom(e->pmu, 0, false), 50);
	vp_pmu_retire(e->pmu, 0, false, 49, IP);
	assert_int_equal(e->nmis[0], 0);
	vp_pmu_retire(e->pmu, 0, false, 3, IP);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1ULL << 33 | 1);
	assert_int_equal(rd(e, VP_MSR_PMC0), 2);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->lvtpc[0], VP_LVT_NMI | VP_LVT_MASKED);
}

/* A PMI that comes while LVTPC is masked. */
TEST_WITH(held_pmi, env_setup, env_teardown)
{
	struct env *e = *state;

	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(1));
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH | VP_EVTSEL_INT | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	vp_pmu_retire(e->pmu, 0, false, 1, IP);
	assert_int_equal(e->pmis_masked, 1);
	assert_int_equal(e->nmis[0], 0);
	assert_true(vp_pmu_headroom(e->pmu, 0, false) <= 1000);
	vp_pmu_retire(e->pmu, 0, false, 1, IP);
	assert_int_equal(e->nmis[0], 0);
	unmask_lvtpc(e);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->pmis_sent, 1);
	/* It was delivered, so there is none left for the next time that LVTPC is unmasked. */
	unmask_lvtpc(e);
	assert_int_equal(e->nmis[0], 1);
	/* If the PMI is acknowledged before LVTPC is unmasked, it is not delivered. */
	e->lvtpc[0] = VP_LVT_NMI | VP_LVT_MASKED;
	wr(e, VP_MSR_GLOBAL_RESET, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(1));
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	vp_pmu_retire(e->pmu, 0, false, 1, IP);
	assert_int_equal(e->pmis_masked, 2);
	wr(e, VP_MSR_GLOBAL_RESET, 1);
	unmask_lvtpc(e);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->violations, 0);
}

TEST_WITH(lvtpc_not_nmi, env_setup, env_teardown)
{
	struct env *e = *state;

	e->lvtpc[0] = 0xf2;
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(1));
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH | VP_EVTSEL_INT | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	vp_pmu_retire(e->pmu, 0, false, 1, IP);
	expect_violation(e, 1, "lvtpc-mode");
	assert_int_equal(e->nmis[0], 0);
}

TEST_WITH(lvtpc_by_msr, env_setup, env_teardown)
{
	struct env *e = *state;

	assert_true(vp_pmu_lvtpc_is_valid(e->pmu, 0, VP_LVT_NMI, IP));
	assert_true(vp_pmu_lvtpc_is_valid(e->pmu, 0, VP_LVT_NMI | VP_LVT_MASKED | 0xff, IP));
	assert_int_equal(e->violations, 0);
	assert_false(vp_pmu_lvtpc_is_valid(e->pmu, 0, VP_LVT_NMI | 1 << 17, IP));
	expect_violation(e, 1, "reserved-bits");
	assert_false(vp_pmu_lvtpc_is_valid(e->pmu, 0, VP_LVT_NMI | 1ULL << 32, IP));
	expect_violation(e, 2, "reserved-bits");
}

TEST_WITH(photo, env_setup, env_teardown)
{
	struct env *e = *state;

	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 1);
	expect_violation(e, 1, "not-restored");
	e->violations = 0;
	wr(e, VP_MSR_A_PMC0 + 3, 0x77);
	vp_pmu_photo(e->pmu);
	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 0);
	sample_loads(e, 3, 100);
	vp_pmu_saw_lvtpc(e->pmu, 0, VP_LVT_NMI);
	/* These differ: GLOBAL_CTRL, EVTSEL0, PEBS_ENABLE, LD_LAT, DS_AREA, LVTPC. PMC0 runs. */
	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 6);
	assert_int_equal(e->violations, 6);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0, 0);
	wr(e, VP_MSR_PEBS_ENABLE, 0);
	wr(e, VP_MSR_LD_LAT, 0);
	wr(e, VP_MSR_DS_AREA, 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 0xf);
	vp_pmu_saw_lvtpc(e->pmu, 0, VP_LVT_MASKED);
	/* PMC0 is stopped now, and has another value than before. */
	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 1);
	assert_non_null(strstr(e->detail, "PMC0 was 0x0"));
	wr(e, VP_MSR_A_PMC0, 0);
	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 0);
	/* The other CPU's registers are compared too. */
	vp_pmu_wrmsr(e->pmu, 1, VP_MSR_PEBS_ENABLE, 1, IP);
	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), 1);
	assert_non_null(strstr(e->detail, "PEBS_ENABLE was 0x0, is 0x1"));
}
