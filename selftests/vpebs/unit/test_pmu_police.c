// SPDX-License-Identifier: GPL-2.0
/* What must hold while PEBS is on, and PMIs and records that come late. */
#include "pmu_env.h"

#define LOOKS	8192

static void loads(struct env *e, unsigned int n)
{
	/* These loads are too fast to be counted. The checks run all the same. */
	while (n--)
		load(e, 4);
}

static void start(struct env *e, unsigned int threshold, uint64_t period)
{
	ds_make(e, threshold);
	arm(e, 30, period, BOTH);
	assert_int_equal(e->violations, 0);
}

static void disarm(struct env *e)
{
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0, 0);
	wr(e, VP_MSR_PEBS_ENABLE, 0);
}

TEST_WITH(unmapped_at_start, env_setup, env_teardown)
{
	struct env *e = *state;

	ds_make(e, 3);
	e->mapped_to = BUF;
	arm(e, 30, 100, BOTH);
	expect_violation(e, 1, "ds-unmapped");
	assert_non_null(strstr(e->detail, "PEBS buffer's page"));
	/* The violation is reported once per start. */
	loads(e, 3 * LOOKS);
	assert_int_equal(e->violations, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	e->mapped_to = 0;
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	expect_violation(e, 2, "ds-unmapped");
	assert_non_null(strstr(e->detail, "DS area's page"));
	/* A counter that counts without PEBS needs no DS area. */
	disarm(e);
	wr(e, VP_MSR_EVTSEL0, EV_LAT | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	assert_int_equal(e->violations, 2);
}

TEST_WITH(unmapped_meanwhile, env_setup, env_teardown)
{
	struct env *e = *state;

	start(e, 3, 100);
	loads(e, 2 * LOOKS);
	assert_int_equal(e->violations, 0);
	e->mapped_to = BUF;
	loads(e, LOOKS);
	expect_violation(e, 1, "ds-unmapped");
	assert_non_null(strstr(e->detail, "was unmapped"));
	loads(e, 3 * LOOKS);
	assert_int_equal(e->violations, 1);
}

TEST_WITH(moved_meanwhile, env_setup, env_teardown)
{
	struct env *e = *state;

	start(e, 3, 100);
	e->moved = 4096;
	/* The page of the DS area, and a page of its buffer. */
	loads(e, LOOKS);
	expect_violation(e, 2, "ds-moved");
	/* While PEBS is off, they may move. */
	disarm(e);
	e->moved = 0;
	arm(e, 30, 100, BOTH);
	loads(e, 2 * LOOKS);
	assert_int_equal(e->violations, 2);
}

/* If PEBS is on an event that no access counts, the checks run by instructions. */
TEST_WITH(moved_under_instructions, env_setup, env_teardown)
{
	struct env *e = *state;

	ds_make(e, 3);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0, EV_INSNS | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_PEBS_ENABLE, 1);
	e->lvtpc[0] = VP_LVT_NMI;
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	e->moved = 4096;
	vp_pmu_retire(e->pmu, 0, false, 100, IP);
	assert_int_equal(e->violations, 0);
	vp_pmu_retire(e->pmu, 0, false, LOOKS, IP);
	expect_violation(e, 2, "ds-moved");
}

TEST_WITH(masked_lvtpc, env_setup, env_teardown)
{
	struct env *e = *state;
	unsigned int i;

	start(e, 3, 100);
	e->lvtpc[0] = VP_LVT_NMI | VP_LVT_MASKED;
	/* This is as long as a handler may take. */
	loads(e, 15 * LOOKS);
	assert_int_equal(e->violations, 0);
	loads(e, LOOKS);
	expect_violation(e, 1, "lvtpc-masked");
	loads(e, 40 * LOOKS);
	assert_int_equal(e->violations, 1);
	/* LVTPC is unmasked now and then, which is permitted. */
	for (i = 0; i < 4; i++) {
		e->lvtpc[0] = VP_LVT_NMI;
		loads(e, LOOKS);
		e->lvtpc[0] = VP_LVT_NMI | VP_LVT_MASKED;
		loads(e, 15 * LOOKS);
	}
	assert_int_equal(e->violations, 1);
	loads(e, LOOKS);
	expect_violation(e, 2, "lvtpc-masked");
}

TEST_WITH(guest, env_setup, env_teardown)
{
	struct env *e = *state;

	/* Whatever counts when a guest is entered counts what the guest does. */
	start(e, ROOM, 1);
	load(e, 100);
	assert_int_equal(e->violations, 0);
	vp_pmu_guest(e->pmu, 0, true, IP);
	expect_violation(e, 2, "guest-pebs");
	load(e, 100);
	expect_violation(e, 3, "guest-record");
	vp_pmu_wrmsr(e->pmu, 0, VP_MSR_GLOBAL_CTRL, 0, IP);
	expect_violation(e, 4, "guest-write");
	/* Another CPU runs no guest. */
	vp_pmu_wrmsr(e->pmu, 1, VP_MSR_GLOBAL_CTRL, 0, IP);
	assert_int_equal(e->violations, 4);
	vp_pmu_guest(e->pmu, 0, false, IP);
	vp_pmu_wrmsr(e->pmu, 0, VP_MSR_PEBS_ENABLE, 0, IP);
	assert_int_equal(e->violations, 4);
	/* What stands still may keep its value and its event. */
	vp_pmu_guest(e->pmu, 0, true, IP);
	load(e, 100);
	vp_pmu_guest(e->pmu, 0, false, IP);
	assert_int_equal(e->violations, 4);
}

TEST_WITH(under_vmxe, env_setup, env_teardown)
{
	struct env *e = *state;

	start(e, ROOM, 1);
	load(e, 100);
	e->clock = 5000;
	vp_pmu_vmxe(e->pmu, true, 1000);
	e->clock = 6000;
	load(e, 100);
	assert_int_equal(e->violations, 0);
	e->clock = 6001;
	load(e, 100);
	expect_violation(e, 1, "pebs-under-vmxe");
	vp_pmu_vmxe(e->pmu, true, UINT64_MAX);
	e->clock = 1ULL << 40;
	load(e, 100);
	assert_int_equal(e->violations, 1);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 4);
	ds_make(e, ROOM);
	e->violations = 0;	/* a running counter's */
	vp_pmu_vmxe(e->pmu, false, 0);
	e->clock++;
	load(e, 100);
	assert_int_equal(e->violations, 0);
}

TEST_WITH(power_off, env_setup, env_teardown)
{
	struct env *e = *state;

	vp_pmu_power_off(e->pmu);
	assert_int_equal(e->violations, 0);
	start(e, 3, 100);
	vp_pmu_power_off(e->pmu);
	expect_violation(e, 2, "left-on");
	disarm(e);
	vp_pmu_power_off(e->pmu);
	assert_int_equal(e->violations, 2);
	/* The other CPU's fixed counter. */
	vp_pmu_wrmsr(e->pmu, 1, VP_MSR_FIXED_CTR_CTRL, 3 << 4, IP);
	vp_pmu_wrmsr(e->pmu, 1, VP_MSR_GLOBAL_CTRL, 1ULL << 33, IP);
	vp_pmu_power_off(e->pmu);
	expect_violation(e, 3, "left-on");
	assert_non_null(strstr(e->detail, "fixed 1"));
}

/* Every register that a driver may forget is compared. */
TEST_WITH(all_compared, env_setup, env_teardown)
{
	static const struct {
		uint32_t msr;
		uint64_t value;
	} regs[] = {
		{ VP_MSR_EVTSEL0, 0x41 }, { VP_MSR_EVTSEL0 + 3, 0x41 },
		{ VP_MSR_A_PMC0, 1 }, { VP_MSR_A_PMC0 + 3, 1 },
		{ VP_MSR_FIXED_CTR0, 1 }, { VP_MSR_FIXED_CTR0 + 1, 1 },
		{ VP_MSR_FIXED_CTR0 + 2, 1 }, { VP_MSR_FIXED_CTR_CTRL, 0x30 },
		{ VP_MSR_GLOBAL_CTRL, 0 }, { VP_MSR_GLOBAL_SET, 1ULL << 62 },
		{ VP_MSR_PEBS_ENABLE, 1 }, { VP_MSR_LD_LAT, 30 }, { VP_MSR_DS_AREA, DS },
		{ VP_MSR_DEBUGCTL, 1 << 14 }, { VP_MSR_OFFCORE_RSP0, 1 },
		{ VP_MSR_OFFCORE_RSP1, 1 }, { VP_MSR_FRONTEND, 1 },
	};
	struct env *e = *state;
	unsigned int i;

	vp_pmu_photo(e->pmu);
	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		wr(e, regs[i].msr, regs[i].value);
		assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), i + 1);
	}
	vp_pmu_saw_lvtpc(e->pmu, 0, VP_LVT_NMI);
	assert_int_equal(vp_pmu_compare(e->pmu, 0, IP), i + 1);
}

TEST_WITH(late_pmi, env_setup, env_teardown)
{
	struct env *e = *state;

	start(e, 2, 1);
	vp_pmu_hold(e->pmu, 1, 7);		/* another CPU's */
	vp_pmu_hold(e->pmu, 0, 50);
	load(e, 100);
	load(e, 100);
	load(e, 100);
	vp_pmu_retire(e->pmu, 0, false, 1000, IP);
	assert_int_equal(e->nmis[0], 0);
	assert_int_equal(vp_pmu_headroom(e->pmu, 0, false) > 50, true);
	disarm(e);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_TIME);
	assert_int_equal(vp_pmu_headroom(e->pmu, 0, false), 50);
	vp_pmu_retire(e->pmu, 0, false, 49, IP);
	assert_int_equal(e->nmis[0], 0);
	wr(e, VP_MSR_GLOBAL_RESET, 1ULL << 62);
	vp_pmu_retire(e->pmu, 0, true, 1, USER_IP);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->lvtpc[0] & VP_LVT_MASKED, VP_LVT_MASKED);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_NOTHING);
	vp_pmu_retire(e->pmu, 0, false, 1000, IP);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(e->pmis_sent, 1);
	assert_int_equal(e->violations, 0);
	/* Only one record is late. */
	sample_loads(e, 1, 1);
	load(e, 100);
	assert_int_equal(e->nmis[0], 2);
}

TEST_WITH(late_record, env_setup, env_teardown)
{
	struct env *e = *state;

	start(e, 2, 1);
	vp_pmu_late(e->pmu, 0, 0);
	load(e, 111);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	assert_int_equal(ds_get(e, VP_DS_PEBS_INDEX), BUF);
	/* The counter goes on, and other records are written immediately. */
	load(e, 222);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	disarm(e);
	assert_int_equal(vp_pmu_headroom(e->pmu, 0, false), 1);
	vp_pmu_retire(e->pmu, 0, false, 1, IP);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
	assert_int_equal(rec_get(e, 0, 0xa8), 222);
	assert_int_equal(rec_get(e, 1, 0xa8), 111);
	assert_int_equal(rec_get(e, 1, 0x98), 0x7f0000001238ULL);
	/* The late record reaches the threshold. */
	assert_int_equal(e->nmis[0], 1);
	vp_pmu_retire(e->pmu, 0, false, 100, IP);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
	assert_int_equal(e->violations, 0);
}

/* The buffer was removed while a record was on its way. */
TEST_WITH(late_record_to_nowhere, env_setup, env_teardown)
{
	struct env *e = *state;

	start(e, 2, 1);
	vp_pmu_late(e->pmu, 0, 10);
	load(e, 111);
	disarm(e);
	wr(e, VP_MSR_DS_AREA, 0);
	vp_pmu_retire(e->pmu, 0, false, 10, IP);
	expect_violation(e, 1, "ds-unmapped");
	assert_int_equal(e->fates[VP_PMU_DS_UNMAPPED], 1);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
}

/* With the option, each record has to be cleared before the next one is written in its place. */
TEST_WITH(left_records, env_setup, env_teardown)
{
	struct vp_options options = vp_options_default;
	struct env *e = *state;

	options.tag = 1;
	options.after = false;
	options.clear = true;
	vp_pmu_configure(e->pmu, &options);
	start(e, 3, 1);
	load(e, 100);
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	load(e, 100);
	expect_violation(e, 1, "record-left");
	memset(e->ram + (BUF - RAM), 0, ROOM * VP_RECORD_SIZE);
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	load(e, 100);
	assert_int_equal(e->violations, 1);
	/* And all of them before the DS area becomes another one. */
	disarm(e);
	wr(e, VP_MSR_DS_AREA, DS);
	assert_int_equal(e->violations, 1);
	wr(e, VP_MSR_DS_AREA, 0);
	expect_violation(e, 2, "record-left");
}
