// SPDX-License-Identifier: GPL-2.0
/* Architectural PEBS: its registers, its records, its PMI, and violations. */
#include "pmu_models.h"

#define BASE		(PHYS + BUF - RAM)
#define PAGES		1		/* 8 KiB */
#define RECORD		128		/* header, basic, auxiliary */
#define WITH_GPRS	(RECORD + 160)
#define CFG_C(i)	(VP_MSR_V6_GP + 4 * (i) + 3)
#define LOADS_ON	3		/* of a counter that may count them, on any of these cores */

static uint64_t index_of(unsigned int limit)
{
	return VP_PEBS_INDEX_ENABLE | VP_PEBS_INDEX_LIMIT_SET(limit / VP_PEBS_UNIT);
}

static void buffer(struct env *e, unsigned int limit)
{
	wr(e, VP_MSR_PEBS_BASE, BASE | PAGES);
	wr(e, VP_MSR_PEBS_INDEX, index_of(limit));
}

static void arm_arch(struct env *e, const struct vp_core *core, uint64_t groups, uint64_t period)
{
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, CFG_C(LOADS_ON), VP_CFG_C_PEBS | groups | (-period & VP_CFG_C_RELOAD));
	wr(e, VP_MSR_LD_LAT, 30);
	wr(e, VP_MSR_V6_GP + 4 * LOADS_ON, COUNTER(period));
	wr(e, VP_MSR_V6_GP + 4 * LOADS_ON + 1, core->load_event | BOTH | VP_EVTSEL_EN);
	e->lvtpc[0] = VP_LVT_NMI;
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << LOADS_ON);
}

static struct env *armed(void **state, const char *model, uint64_t groups, uint64_t period,
			 unsigned int limit)
{
	struct env *e = machine(state, model);

	buffer(e, limit);
	arm_arch(e, core_of(model), groups, period);
	assert_int_equal(e->violations, 0);
	return e;
}

static const char *const models[] = { "cwf", "ptl" };

TEST_WITH(a_record, env_setup, env_teardown)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct env *e = armed(state, models[i], VP_CFG_C_AUX, 3, 2 * RECORD);
		const struct vp_access a = { .user = true, .size = 8, .ip = USER_IP,
					     .vaddr = 0x7f0000001238ULL, .paddr = 0x1238 };
		const struct vp_outcome o = { .code = VP_DRAM, .latency = 105, .wait = 20 };

		e->tsc = 4711;
		vp_pmu_access(e->pmu, &a, &o);
		vp_pmu_access(e->pmu, &a, &o);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
		vp_pmu_access(e->pmu, &a, &o);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
		assert_int_equal(rd(e, VP_MSR_V6_GP + 4 * LOADS_ON), COUNTER(3));
		assert_int_equal(rd(e, VP_MSR_PEBS_INDEX),
				 index_of(2 * RECORD) | VP_PEBS_INDEX_SET(RECORD / VP_PEBS_UNIT));
		assert_int_equal(word_at(e, 0), VP_CFG_C_PEBS | VP_CFG_C_AUX | VP_FRAGMENT_64 | RECORD);
		assert_int_equal(word_at(e, 16), USER_IP);
		assert_int_equal(word_at(e, 24), 1 << LOADS_ON);
		assert_int_equal(word_at(e, 32), 4711);
		assert_int_equal(word_at(e, 40), 125 | 1 << 16);
		assert_int_equal(word_at(e, 64), a.vaddr);
		assert_int_equal(word_at(e, 104), vp_encode_load(core_of(models[i])->encoding, &a, &o));
		assert_int_equal(word_at(e, 112), 125 | 105ULL << 32);
		assert_int_equal(e->word, word_at(e, 104));
		/* Bit 54 and a PMI come with the record that reaches the threshold. */
		assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 0);
		assert_int_equal(e->nmis[0], 0);
	}
}

TEST_WITH(threshold_and_full, env_setup, env_teardown)
{
	const unsigned int room = 8192 / RECORD;
	struct env *e = armed(state, "cwf", VP_CFG_C_AUX, 1, 2 * RECORD);
	unsigned int i;

	load(e, 100);
	load(e, 100);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), VP_STATUS_ARCH_PEBS);
	assert_int_equal(e->nmis[0], 1);
	/* There is no other PMI until that one is acknowledged. */
	for (i = 2; i < room; i++)
		load(e, 100);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], room);
	assert_int_equal(rd(e, VP_MSR_PEBS_INDEX) & VP_PEBS_INDEX_FULL, 0);
	load(e, 100);
	assert_int_equal(e->fates[VP_PMU_BUFFER_FULL], 1);
	assert_int_equal(VP_PEBS_INDEX_AT(rd(e, VP_MSR_PEBS_INDEX)), 8192 / VP_PEBS_UNIT);
	assert_int_equal(rd(e, VP_MSR_PEBS_INDEX) & VP_PEBS_INDEX_FULL, VP_PEBS_INDEX_FULL);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_GLOBAL_RESET, VP_STATUS_ARCH_PEBS);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 0);
	wr(e, VP_MSR_PEBS_INDEX, index_of(2 * RECORD));
	e->lvtpc[0] = VP_LVT_NMI;
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << LOADS_ON);
	load(e, 100);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], room + 1);
	assert_int_equal(e->violations, 0);
}

TEST_WITH(groups, env_setup, env_teardown)
{
	struct env *e = armed(state, "ptl", VP_CFG_C_AUX | VP_CFG_C_GPR, 1, 4096);

	load(e, 100);
	assert_int_equal(word_at(e, 0), VP_CFG_C_PEBS | VP_CFG_C_AUX | VP_CFG_C_GPR |
			 VP_FRAGMENT_64 | WITH_GPRS);
	/* flags, ip, ax, cx: the machine's registers 0, 1, 2, 4. */
	assert_int_equal(word_at(e, 128), 0x1111000000000000ULL);
	assert_int_equal(word_at(e, 128 + 24), 0x1111000000000004ULL);
	assert_int_equal(VP_PEBS_INDEX_AT(rd(e, VP_MSR_PEBS_INDEX)), WITH_GPRS / VP_PEBS_UNIT);
	/* The basic group alone has no address. */
	e = armed(state, "ptl", 0, 1, 4096);
	load(e, 100);
	assert_int_equal(word_at(e, 0), VP_CFG_C_PEBS | VP_FRAGMENT_64 | 64);
}

TEST_WITH(fragments, env_setup, env_teardown)
{
	struct vp_options o = vp_options_default;
	struct env *e = machine(state, "cwf");

	o.tag = 1;
	o.after = false;
	o.split = true;
	vp_pmu_configure(e->pmu, &o);
	buffer(e, 4096);
	arm_arch(e, core_of("cwf"), VP_CFG_C_AUX, 1);
	load(e, 100);
	assert_int_equal(word_at(e, 0), VP_CFG_C_PEBS | VP_FRAGMENT_64 | VP_FRAGMENT_GOES_ON | 64);
	assert_int_equal(word_at(e, 16), IP);
	assert_int_equal(word_at(e, 64), VP_CFG_C_AUX | VP_FRAGMENT_64 | 80);
	assert_int_equal(word_at(e, 80), 0x7f0000001238ULL);
	assert_int_equal(VP_PEBS_INDEX_AT(rd(e, VP_MSR_PEBS_INDEX)), 144 / VP_PEBS_UNIT);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
}

/* Without a reload value a counter begins at 0. */
TEST_WITH(no_reload, env_setup, env_teardown)
{
	struct env *e = armed(state, "cwf", VP_CFG_C_AUX, 5, 4096);

	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, CFG_C(LOADS_ON), VP_CFG_C_PEBS | VP_CFG_C_AUX);
	wr(e, VP_MSR_V6_GP + 4 * LOADS_ON, COUNTER(1));
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << LOADS_ON);
	load(e, 100);
	assert_int_equal(rd(e, VP_MSR_V6_GP + 4 * LOADS_ON), 0);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
}

/* A counter whose CFG_C has no PEBS bit overflows as without PEBS. */
TEST_WITH(without_pebs, env_setup, env_teardown)
{
	struct env *e = armed(state, "cwf", VP_CFG_C_AUX, 1, 4096);

	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, CFG_C(LOADS_ON), 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << LOADS_ON);
	load(e, 100);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1ULL << LOADS_ON);
}

TEST_WITH(reserved, env_setup, env_teardown)
{
	static const struct {
		uint32_t msr;
		uint64_t good, bad;
	} t[] = {
		{ VP_MSR_PEBS_BASE, BASE | 0xf, 1ULL << 4 },
		{ VP_MSR_PEBS_BASE, 1ULL << 51, 1ULL << 52 },
		{ VP_MSR_PEBS_INDEX, 0x7fffffULL << 4, 1 },
		{ VP_MSR_PEBS_INDEX, VP_PEBS_INDEX_FULL, 1ULL << 27 },
		{ VP_MSR_PEBS_INDEX, VP_PEBS_INDEX_ENABLE, 1ULL << 33 },
		{ VP_MSR_PEBS_INDEX, 0x7fffffULL << 36, 1ULL << 59 },
		{ CFG_C(0), VP_CFG_C_PEBS | VP_CFG_C_AUX | VP_CFG_C_GPR | VP_CFG_C_RELOAD, 1ULL << 49 },
		{ CFG_C(7), VP_CFG_C_PEBS, 1ULL << 36 },
		{ VP_MSR_V6_FIXED + 3, VP_CFG_C_PEBS, 1ULL << 40 },
		/* A fixed counter that cannot do PEBS. */
		{ VP_MSR_V6_FIXED + 4 + 3, 0, VP_CFG_C_PEBS },
		{ VP_MSR_EVTSEL0, 1ULL << 31, VP_EVTSEL_ADAPTIVE },
		{ VP_MSR_GLOBAL_RESET, VP_STATUS_ARCH_PEBS, 1ULL << 53 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct env *e = machine(state, "cwf");

		wr(e, t[i].msr, t[i].good);
		assert_int_equal(e->violations, 0);
		wr(e, t[i].msr, t[i].bad);
		expect_violation(e, 1, "reserved-bits");
		if (t[i].msr != VP_MSR_GLOBAL_RESET)
			assert_int_equal(rd(e, t[i].msr), t[i].good);
	}
}

/* Writes while a PEBS counter counts. */
TEST_WITH(while_it_counts, env_setup, env_teardown)
{
	struct env *e = armed(state, "cwf", VP_CFG_C_AUX, 7, 4096);

	wr(e, VP_MSR_PEBS_INDEX, index_of(4096));
	expect_violation(e, 1, "running-counter");
	wr(e, VP_MSR_PEBS_BASE, (BASE + 0x1000) | PAGES);
	expect_violation(e, 2, "running-counter");
	wr(e, CFG_C(LOADS_ON), VP_CFG_C_PEBS);
	expect_violation(e, 3, "running-counter");
	/* Writing another counter's register is permitted. */
	wr(e, CFG_C(LOADS_ON + 1), VP_CFG_C_PEBS);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_PEBS_INDEX, index_of(2048));
	assert_int_equal(e->violations, 3);
}

/* The registers with which PEBS is started. */
TEST_WITH(start, env_setup, env_teardown)
{
	static const struct {
		uint64_t base, index;
		const char *kind;
	} t[] = {
		{ BASE | PAGES, 0, "pebs-disabled" },
		{ PAGES, VP_PEBS_INDEX_ENABLE | 1ULL << 36, "pebs-base" },
		{ BASE | PAGES, VP_PEBS_INDEX_ENABLE, "pebs-threshold" },
		{ BASE | PAGES, VP_PEBS_INDEX_ENABLE | (8192ULL / 16 + 1) << 36, "pebs-threshold" },
		{ BASE, VP_PEBS_INDEX_ENABLE | (4096ULL / 16 + 1) << 36, "pebs-threshold" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct env *e = machine(state, "cwf");

		wr(e, VP_MSR_PEBS_BASE, t[i].base);
		wr(e, VP_MSR_PEBS_INDEX, t[i].index);
		arm_arch(e, core_of("cwf"), VP_CFG_C_AUX, 2);
		expect_violation(e, 1, t[i].kind);
	}
	/* A record for which there is no buffer. */
	wr(*state, VP_MSR_GLOBAL_CTRL, 0);
	wr(*state, VP_MSR_PEBS_BASE, 0);
	load(*state, 100);
	assert_int_equal(((struct env *)*state)->fates[VP_PMU_BAD_DS], 0);
	arm_arch(*state, core_of("cwf"), VP_CFG_C_AUX, 1);
	load(*state, 100);
	assert_int_equal(((struct env *)*state)->fates[VP_PMU_BAD_DS], 1);
}

/* A PMI or a record is held until PEBS is off, which here means that its counter is off. */
TEST_WITH(delays, env_setup, env_teardown)
{
	struct env *e = armed(state, "cwf", VP_CFG_C_AUX, 1, RECORD);

	vp_pmu_late(e->pmu, 0, 10);
	load(e, 100);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	vp_pmu_retire(e->pmu, 0, false, 100, IP);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_V6_GP + 4 * LOADS_ON + 1, 0);
	vp_pmu_retire(e->pmu, 0, false, 10, IP);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	assert_int_equal(word_at(e, 64), 0x7f0000001238ULL);
	assert_int_equal(e->violations, 0);
}

/* A store's period is the reload value: reported once until it is right, on P-cores. */
TEST_WITH(pdist_period, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		unsigned int period, violations;
	} t[] = {
		{ "ptl", 128, 0 }, { "ptl", 127, 1 }, { "nvl", 127, 1 }, { "dmr", 127, 1 },
		{ "dmr", 128, 0 }, { "cwf", 127, 0 },
	};
	static const struct vp_outcome hit = { .code = VP_L1, .l1_hit = true, .latency = 5 };
	unsigned int i, j;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const struct vp_core *core = core_of(t[i].model);
		struct env *e = machine(state, t[i].model);

		print_message("# %s\n", t[i].model);
		buffer(e, 4096);
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, CFG_C(0), VP_CFG_C_PEBS | VP_CFG_C_AUX | (-(uint64_t)t[i].period & VP_CFG_C_RELOAD));
		wr(e, VP_MSR_V6_GP, COUNTER(t[i].period));
		wr(e, VP_MSR_V6_GP + 1, core->store_event | BOTH | VP_EVTSEL_EN);
		e->lvtpc[0] = VP_LVT_NMI;
		wr(e, VP_MSR_GLOBAL_CTRL, 1);
		for (j = 0; j < 300; j++)
			access_on(e, 0, true, false, &hit);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
		assert_int_equal(e->violations, t[i].violations);
		if (t[i].violations)
			assert_string_equal(e->kind, "pdist-period");
	}
}
