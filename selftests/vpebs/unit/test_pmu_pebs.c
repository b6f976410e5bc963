// SPDX-License-Identifier: GPL-2.0
/* PEBS: what counts, what is recorded, where it is written, and when the PMI comes. */
#include "pmu_env.h"

/* Every field of a record, at its offset. */
TEST_WITH(record_layout, env_setup, env_teardown)
{
	struct env *e = *state;
	const struct vp_access a = {
		.user = true, .locked = true, .size = 4, .ip = USER_IP,
		.vaddr = 0x7f00deadbee0ULL, .paddr = 0x1000,
	};
	const struct vp_outcome o = { .code = VP_RHITM, .stlb_miss = true, .latency = 345 };
	unsigned int i;

	sample_loads(e, 3, 1);
	e->tsc = 0x123456789abcULL;
	memset(e->ram + (BUF - RAM), 0xee, 2 * VP_RECORD_SIZE);
	vp_pmu_access(e->pmu, &a, &o);
	for (i = 0; i < VP_RECORD_REGS; i++)
		assert_int_equal(rec_get(e, 0, 8 * i), 0x1111000000000000ULL + i);
	assert_int_equal(rec_get(e, 0, 0x90), 1);
	assert_int_equal(rec_get(e, 0, 0x98), 0x7f00deadbee0ULL);
	assert_int_equal(rec_get(e, 0, 0xa0), 0x3d);
	assert_int_equal(rec_get(e, 0, 0xa8), 345);
	assert_int_equal(rec_get(e, 0, 0xb0), USER_IP);
	assert_int_equal(rec_get(e, 0, 0xb8), 0);
	assert_int_equal(rec_get(e, 0, 0xc0), 0x123456789abcULL);
	assert_int_equal(rec_get(e, 1, 0), 0xeeeeeeeeeeeeeeeeULL);
	assert_int_equal(ds_get(e, VP_DS_PEBS_INDEX), BUF + VP_RECORD_SIZE);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	assert_int_equal(e->violations, 0);
}

/* The latency has to be greater than the threshold, not equal to it. */
TEST_WITH(latency_threshold, env_setup, env_teardown)
{
	struct env *e = *state;

	sample_loads(e, 3, 1000);
	load(e, 29);
	load(e, 30);
	assert_int_equal(e->counted, 0);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(1000));
	load(e, 31);
	assert_int_equal(e->counted, 1);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(999));
	/* Stores have no load latency. */
	access_as(e, true, false, 500, VP_DRAM);
	assert_int_equal(e->counted, 1);
}

TEST_WITH(privilege, env_setup, env_teardown)
{
	static const struct {
		uint64_t bits;
		unsigned int user, kernel;
	} t[] = { { VP_EVTSEL_USR, 1, 0 }, { VP_EVTSEL_OS, 0, 1 }, { BOTH, 1, 1 }, { 0, 0, 0 } };
	struct env *e = *state;
	size_t i;

	ds_make(e, 3);
	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		arm(e, 30, 1000, t[i].bits);
		e->counted = 0;
		access_as(e, false, true, 100, VP_DRAM);
		assert_int_equal(e->counted, t[i].user);
		access_as(e, false, false, 100, VP_DRAM);
		assert_int_equal(e->counted, t[i].user + t[i].kernel);
	}
}

/* Each period-th event is recorded, exactly, and the counter is reloaded by hardware. */
TEST_WITH(reload, env_setup, env_teardown)
{
	struct env *e = *state;
	unsigned int i;

	sample_loads(e, ROOM, 7);
	for (i = 1; i <= 21; i++) {
		load(e, 100);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], i / 7);
		assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(7 - i % 7));
	}
	/* With a reset value of 0, the next overflow is 2^48 events away. */
	ds_set(e, VP_DS_RESET0, 0);
	for (i = 1; i <= 9; i++)
		load(e, 100);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 4);
	assert_int_equal(rd(e, VP_MSR_PMC0), 2);
}

/* Each counter has its own reset slot. */
TEST_WITH(reset_slots, env_setup, env_teardown)
{
	struct env *e = *state;
	unsigned int i;

	ds_make(e, ROOM);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	for (i = 0; i < 4; i++) {
		ds_set(e, VP_DS_RESET0 + 8 * i, COUNTER(10 + i));
		wr(e, VP_MSR_A_PMC0 + i, COUNTER(1));
		wr(e, VP_MSR_EVTSEL0 + i, (i == 2 ? EV_STORES : EV_LOADS) | BOTH | VP_EVTSEL_EN);
	}
	wr(e, VP_MSR_PEBS_ENABLE, 0xf);
	wr(e, VP_MSR_GLOBAL_CTRL, 0xf);
	load(e, 5);
	/* One event of three counters makes one record with three bits. */
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	assert_int_equal(rec_get(e, 0, 0x90), 0xb);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(10));
	assert_int_equal(rd(e, VP_MSR_PMC0 + 1), COUNTER(11));
	assert_int_equal(rd(e, VP_MSR_PMC0 + 2), COUNTER(1));
	assert_int_equal(rd(e, VP_MSR_PMC0 + 3), COUNTER(13));
}

TEST_WITH(stores_and_loads, env_setup, env_teardown)
{
	struct env *e = *state;

	ds_make(e, ROOM);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	ds_set(e, VP_DS_RESET0 + 8, COUNTER(1));
	wr(e, VP_MSR_A_PMC0 + 1, COUNTER(1));
	wr(e, VP_MSR_EVTSEL0 + 1, EV_STORES | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_PEBS_ENABLE, 2);
	wr(e, VP_MSR_GLOBAL_CTRL, 2);
	access_as(e, false, true, 300, VP_DRAM);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	access_as(e, true, true, 300, VP_DRAM);
	access_as(e, true, false, 5, VP_L1);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
	assert_int_equal(rec_get(e, 0, 0x90), 2);
	assert_int_equal(rec_get(e, 0, 0xa0), 0);
	assert_int_equal(rec_get(e, 0, 0xa8), 0);
	assert_int_equal(rec_get(e, 0, 0x98), 0x7f0000001238ULL);
	assert_int_equal(rec_get(e, 1, 0xa0), 1);
	assert_int_equal(e->counted, 0);
	assert_int_equal(e->stored, 2);
}

/* There is one PMI at the threshold, and the next one only after LVTPC was unmasked. */
TEST_WITH(threshold_pmi, env_setup, env_teardown)
{
	struct env *e = *state;

	sample_loads(e, 2, 1);
	load(e, 100);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 0);
	assert_int_equal(e->nmis[0], 0);
	load(e, 100);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), VP_STATUS_DS);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->lvtpc[0], VP_LVT_NMI | VP_LVT_MASKED);
	/* Bit 62 is set already, so there is no other PMI. */
	load(e, 100);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->pmis_masked, 0);
	/* What the handler does: stop, acknowledge, drain, go on, unmask. */
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_GLOBAL_RESET, rd(e, VP_MSR_GLOBAL_STATUS));
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 0);
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	unmask_lvtpc(e);
	assert_int_equal(e->nmis[0], 1);
	load(e, 100);
	assert_int_equal(e->nmis[0], 1);
	load(e, 100);
	assert_int_equal(e->nmis[0], 2);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 5);
	/* Unmasked but not acknowledged: no PMI. Acknowledged but masked: it waits. */
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	ds_set(e, VP_DS_PEBS_INDEX, BUF + VP_RECORD_SIZE);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	e->lvtpc[0] = VP_LVT_NMI;
	load(e, 100);
	assert_int_equal(e->nmis[0], 2);
	e->lvtpc[0] = VP_LVT_NMI | VP_LVT_MASKED;
	wr(e, VP_MSR_GLOBAL_RESET, VP_STATUS_DS);
	load(e, 100);
	assert_int_equal(e->nmis[0], 2);
	assert_int_equal(e->pmis_masked, 1);
	unmask_lvtpc(e);
	assert_int_equal(e->nmis[0], 3);
	assert_int_equal(e->violations, 0);
}

TEST_WITH(buffer_full, env_setup, env_teardown)
{
	struct env *e = *state;
	uint64_t last;
	unsigned int i;

	sample_loads(e, ROOM, 1);
	for (i = 0; i < ROOM; i++)
		load(e, 100);
	last = ds_get(e, VP_DS_PEBS_INDEX);
	assert_int_equal(last, BUF + ROOM * VP_RECORD_SIZE);
	assert_int_equal(e->nmis[0], 1);
	load(e, 100);
	load(e, 100);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], ROOM);
	assert_int_equal(e->fates[VP_PMU_BUFFER_FULL], 2);
	assert_int_equal(ds_get(e, VP_DS_PEBS_INDEX), last);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(1));
	assert_int_equal(e->violations, 0);
	/* The rest of a buffer in which no record fits is not used either. */
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	ds_set(e, VP_DS_PEBS_MAX, BUF + 2 * VP_RECORD_SIZE - 1);
	load(e, 100);
	load(e, 100);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], ROOM + 1);
	assert_int_equal(e->fates[VP_PMU_BUFFER_FULL], 3);
}

TEST_WITH(unmapped, env_setup, env_teardown)
{
	struct env *e = *state;

	sample_loads(e, 3, 1);
	e->mapped_to = BUF;
	load(e, 100);
	expect_violation(e, 1, "ds-unmapped");
	assert_non_null(strstr(e->detail, "PEBS buffer"));
	assert_int_equal(e->fates[VP_PMU_DS_UNMAPPED], 1);
	e->mapped_from = e->mapped_to = 0;
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(1));
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	expect_violation(e, 2, "ds-unmapped");
	assert_non_null(strstr(e->detail, "PEBS starts"));
	load(e, 100);
	expect_violation(e, 3, "ds-unmapped");
	assert_non_null(strstr(e->detail, "DS area 0x"));
	assert_int_equal(e->fates[VP_PMU_DS_UNMAPPED], 2);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
}

TEST_WITH(nonsense_ds, env_setup, env_teardown)
{
	static const struct {
		unsigned int field;
		uint64_t value;
	} t[] = {
		{ VP_DS_PEBS_BASE, 0 },
		{ VP_DS_PEBS_BASE, 0x800000000000ULL },
		{ VP_DS_PEBS_BASE, BUF + VP_RECORD_SIZE },		/* above the index */
		{ VP_DS_PEBS_INDEX, BUF + 8 },
		{ VP_DS_PEBS_INDEX, BUF + (ROOM + 1) * VP_RECORD_SIZE },
		{ VP_DS_PEBS_INDEX, 0 },
		{ VP_DS_PEBS_MAX, BUF + VP_RECORD_SIZE - 1 },
		{ VP_DS_PEBS_MAX, 0 },
		{ VP_DS_PEBS_THRESHOLD, 0 },
	};
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		sample_loads(e, 3, 1);
		ds_set(e, t[i].field, t[i].value);
		load(e, 100);
		expect_violation(e, i + 1, "ds-bad");
		assert_int_equal(e->fates[VP_PMU_BAD_DS], i + 1);
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
	}
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	/* A PMI that can never come: records are written all the same. */
	ds_make(e, ROOM + 1);
	arm(e, 30, 1, BOTH);
	load(e, 100);
	expect_violation(e, i + 1, "ds-threshold");
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
}

/* Counting load latency without PEBS makes an ordinary overflow. */
TEST_WITH(without_pebs, env_setup, env_teardown)
{
	struct env *e = *state;

	sample_loads(e, 3, 2);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_PEBS_ENABLE, 0);
	wr(e, VP_MSR_EVTSEL0, EV_LAT | BOTH | VP_EVTSEL_INT | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	load(e, 100);
	load(e, 100);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->counted, 0);
}

/* PEBS on instructions: records without an address, one for each period. */
TEST_WITH(instructions, env_setup, env_teardown)
{
	struct env *e = *state;

	ds_make(e, ROOM);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	ds_set(e, VP_DS_RESET0, COUNTER(10));
	wr(e, VP_MSR_A_PMC0, COUNTER(10));
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_PEBS_ENABLE, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	vp_pmu_retire(e->pmu, 0, true, 25, USER_IP);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(5));
	assert_int_equal(rec_get(e, 1, 0xb0), USER_IP);
	assert_int_equal(rec_get(e, 1, 0x98), 0);
	assert_int_equal(rec_get(e, 1, 0x90), 1);
}

/* PEBS is turned off in any of three ways: nothing is counted or written. */
TEST_WITH(disarmed, env_setup, env_teardown)
{
	struct env *e = *state;

	sample_loads(e, 3, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	load(e, 100);
	wr(e, VP_MSR_GLOBAL_CTRL, 2);
	load(e, 100);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	wr(e, VP_MSR_EVTSEL0, EV_LAT | BOTH);
	load(e, 100);
	assert_int_equal(e->counted, 0);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	assert_int_equal(rd(e, VP_MSR_PMC0), COUNTER(1));
}
