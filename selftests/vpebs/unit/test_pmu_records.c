// SPDX-License-Identifier: GPL-2.0
/* The fields of a record in each format, their offsets, and the record's size. */
#include "pmu_models.h"

/* An RHITM with a TLB miss by a locked load that took 345 cycles. */
static const struct vp_outcome slow = { .code = VP_L3_HITM, .stlb_miss = true, .latency = 345 };

TEST_WITH(fixed_formats, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		unsigned int size, counter;
		uint64_t source;
	} t[] = {
		{ "nhm", 176, 3, 0x06 },
		{ "wsm", 176, 3, 0x36 },
		{ "snb", 176, 3, 0x37 },
		{ "ivb", 176, 3, 0x37 },
		{ "hsw", 192, 2, 0x37 },
		{ "bdw", 192, 1, 0x37 },
		{ "skl", 200, 0, 0x37 },
		{ "clx", 200, 3, 0x37 },
	};
	unsigned int i, j;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct env *e = machine(state, t[i].model);

		print_message("# %s\n", t[i].model);
		e->tsc = 0x1234;
		ds_for(e, 0, t[i].size, ROOM);
		memset(e->ram + (BUF - RAM), 0xee, 1024);
		arm_loads(e, 0, core_of(t[i].model), t[i].counter, -1, 1);
		access_on(e, 0, false, true, &slow);
		assert_int_equal(e->violations, 0);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
		assert_int_equal(e->word, t[i].source);
		assert_int_equal(ds_get(e, VP_DS_PEBS_INDEX), BUF + t[i].size);
		for (j = 0; j < VP_RECORD_REGS; j++)
			assert_int_equal(word_at(e, 8 * j), 0x1111000000000000ULL + j);
		assert_int_equal(word_at(e, 0x90), 1ULL << t[i].counter);
		assert_int_equal(word_at(e, 0x98), 0x7f0000001238ULL);
		assert_int_equal(word_at(e, 0xa0), t[i].source);
		assert_int_equal(word_at(e, 0xa8), 345);
		if (t[i].size > 176) {
			assert_int_equal(word_at(e, 0xb0), USER_IP);
			assert_int_equal(word_at(e, 0xb8), 0);
		}
		if (t[i].size > 192)
			assert_int_equal(word_at(e, 0xc0), 0x1234);
		assert_int_equal(word_at(e, t[i].size), 0xeeeeeeeeeeeeeeeeULL);
		/* The counter was reloaded from its slot. */
		assert_int_equal(rd(e, VP_MSR_PMC0 + t[i].counter), COUNTER(1));
		access_on(e, 0, false, true, &slow);
		assert_int_equal(ds_get(e, VP_DS_PEBS_INDEX), BUF + 2 * t[i].size);
		assert_int_equal(e->violations, 0);
	}
}

/*
 * In formats 1 and 2 the status word is a copy of the register, with the bits of other counters in
 * it.
 */
TEST_WITH(status_image, env_setup, env_teardown)
{
	struct env *e = machine(state, "hsw");

	ds_for(e, 0, 192, ROOM);
	arm_loads(e, 0, core_of("hsw"), 3, -1, 1);
	wr(e, VP_MSR_GLOBAL_SET, 1ULL << 33 | 1);
	assert_int_equal(e->violations, 1);		/* no such register before version 4 */
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_FIXED_CTR0, COUNTER(1));
	wr(e, VP_MSR_FIXED_CTR_CTRL, 2);
	wr(e, VP_MSR_GLOBAL_CTRL, 8 | 1ULL << 32);
	vp_pmu_retire(e->pmu, 0, true, 1, USER_IP);
	access_on(e, 0, false, false, &slow);
	assert_int_equal(word_at(e, 0x90), 1ULL << 32 | 8);
	/* Format 3 has the applicable counters and no other bit. */
	e = machine(state, "skx");
	ds_for(e, 0, 200, ROOM);
	arm_loads(e, 0, core_of("skx"), 3, -1, 1);
	wr(e, VP_MSR_GLOBAL_SET, 1ULL << 33 | 1);
	access_on(e, 0, false, false, &slow);
	assert_int_equal(word_at(e, 0x90), 8);
	assert_int_equal(e->violations, 0);
}

/* A record that is on its way appears in the status word of the next one, which is a collision. */
TEST_WITH(collision, env_setup, env_teardown)
{
	static const struct vp_outcome hit = { .code = VP_L1, .l1_hit = true, .latency = 5 };
	struct env *e = machine(state, "bdw");
	const struct vp_core *core = core_of("bdw");

	ds_for(e, 0, 192, ROOM);
	arm_stores(e, 0, core, 0, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	program(e, 0, core, 1, 0x81d0, 1);
	wr(e, VP_MSR_PEBS_ENABLE, 3);
	wr(e, VP_MSR_GLOBAL_CTRL, 3);
	vp_pmu_late(e->pmu, 0, 0);
	access_on(e, 0, true, false, &hit);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 0);
	access_on(e, 0, false, false, &hit);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	assert_int_equal(word_at(e, 0x90), 3);
	wr(e, VP_MSR_PEBS_ENABLE, 0);
	vp_pmu_retire(e->pmu, 0, true, 1, USER_IP);
	assert_int_equal(word_at(e, 192 + 0x90), 1);
	assert_int_equal(e->violations, 0);
}

/* Without bit 32 + i the event counts, and its records are like those of other events. */
TEST_WITH(no_facility, env_setup, env_teardown)
{
	struct env *e = machine(state, "skx");

	ds_for(e, 0, 200, ROOM);
	arm_loads(e, 0, core_of("skx"), 0, -1, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_PEBS_ENABLE, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	access_on(e, 0, false, false, &slow);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	assert_int_equal(word_at(e, 0xa0), 0);
	assert_int_equal(word_at(e, 0xa8), 0);
	assert_int_equal(e->word, VP_NO_WORD);
}

TEST_WITH(precise_store, env_setup, env_teardown)
{
	static const struct vp_outcome hit = { .code = VP_L1, .l1_hit = true, .latency = 5 };
	static const char *const models[] = { "snb", "ivb" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct env *e = machine(state, models[i]);

		ds_for(e, 0, 176, ROOM);
		arm_stores(e, 0, core_of(models[i]), 3, 1);
		access_on(e, 0, false, false, &slow);
		access_on(e, 0, true, false, &hit);
		access_on(e, 0, true, true, &slow);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
		assert_int_equal(word_at(e, 0x90), 8);
		assert_int_equal(word_at(e, 0x98), 0x7f0000001238ULL);
		assert_int_equal(word_at(e, 0xa0), 1);
		assert_int_equal(word_at(e, 0xa8), 0);
		assert_int_equal(word_at(e, 176 + 0xa0), 0x30);
		assert_int_equal(e->word, VP_NO_WORD);
		/* Bit 63 is clear: the record has neither an address nor a status. */
		wr(e, VP_MSR_GLOBAL_CTRL, 0);
		wr(e, VP_MSR_PEBS_ENABLE, 8);
		wr(e, VP_MSR_GLOBAL_CTRL, 8);
		access_on(e, 0, true, false, &hit);
		assert_int_equal(word_at(e, 352 + 0x98), 0);
		assert_int_equal(word_at(e, 352 + 0xa0), 0);
		assert_int_equal(e->violations, 0);
	}
}

/* Every adaptive core with the basic and the memory group, and two latencies if it has them. */
TEST_WITH(adaptive_loads, env_setup, env_teardown)
{
	const struct vp_model *m;
	const struct vp_core *core;
	unsigned int k, cores = 0;

	for_each_core(m, k, core) {
		unsigned int cpu = cpu_of(m, k), counter = load_of(core);
		struct env *e;
		uint32_t word;

		if (!vp_core_adaptive(core))
			continue;
		e = machine(state, m->name);
		print_message("# %s\n", core->name);
		e->tsc = 0x4321;
		ds_for(e, cpu, 64, ROOM);
		memset(e->ram + (BUF - RAM), 0xee, 256);
		arm_loads(e, cpu, core, counter, aux_of(core), 1);
		access_on(e, cpu, false, true, &slow);
		assert_int_equal(e->violations, 0);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
		word = core->encoding->code[VP_L3_HITM] | core->encoding->stlb_miss |
		       core->encoding->locked;
		assert_int_equal(e->word, word);
		assert_int_equal(word_at(e, 0) & 0xffffffff, VP_GROUP_MEMINFO);
		assert_int_equal(word_at(e, 0) >> 32 & 0xffff,
				 core->perf_caps & VP_CAP_TIMING ? 345 : 0);
		assert_int_equal(word_at(e, 0) >> 48, 64);
		assert_int_equal(word_at(e, 8), USER_IP);
		assert_int_equal(word_at(e, 16), 1ULL << counter);
		assert_int_equal(word_at(e, 24), 0x4321);
		assert_int_equal(word_at(e, 32), 0x7f0000001238ULL);
		assert_int_equal(word_at(e, 40), word);
		assert_int_equal(word_at(e, 48), core->cache_latency ? 345 | 340ULL << 32 : 345);
		assert_int_equal(word_at(e, 56), 0);
		assert_int_equal(word_at(e, 64), 0xeeeeeeeeeeeeeeeeULL);
		assert_int_equal(ds_get(e, VP_DS_PEBS_INDEX), BUF + 64);
		assert_int_equal(vp_pmu_rdmsr(e->pmu, cpu, VP_MSR_PMC0 + counter, IP),
				 COUNTER(1));
		cores++;
	}
	assert_true(cores >= ADAPTIVE_CORES);
}

/*
 * Latencies that a Core i9-12900KF recorded: 5/33, 96/120. The threshold is compared with the
 * second one.
 */
TEST_WITH(waits, env_setup, env_teardown)
{
	static const struct vp_outcome quick = { .code = VP_L1, .l1_hit = true, .latency = 5, .wait = 25 },
		hit = { .code = VP_L1, .l1_hit = true, .latency = 5, .wait = 28 },
		l3 = { .code = VP_L3, .latency = 96, .wait = 24 };
	static const char *const models[] = { "spr", "lnl", "srf" };
	unsigned int i;

	for (i = 0; i < sizeof(models) / sizeof(*models); i++) {
		const struct vp_core *core = core_of(models[i]);
		struct env *e = machine(state, models[i]);

		ds_for(e, 0, 64, ROOM);
		arm_loads(e, 0, core, load_of(core), aux_of(core), 1);
		access_on(e, 0, false, false, &quick);
		assert_int_equal(e->counted, 0);
		access_on(e, 0, false, false, &hit);
		access_on(e, 0, false, false, &l3);
		assert_int_equal(e->counted, 2);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 2);
		assert_int_equal(word_at(e, 40), core->encoding->code[VP_L1]);
		assert_int_equal(word_at(e, 48), 33 | 5ULL << 32);
		assert_int_equal(word_at(e, 64 + 48), 120 | 96ULL << 32);
		assert_int_equal(word_at(e, 64) >> 32 & 0xffff,
				 core->perf_caps & VP_CAP_TIMING ? 120 : 0);
	}
}

TEST_WITH(adaptive_stores, env_setup, env_teardown)
{
	static const struct {
		const char *model;
		unsigned int cpu, counter;
		uint64_t source;
		bool latency;
	} t[] = {
		{ "icx", 0, 1, 0x0, false },
		{ "spr", 0, 0, 0x37, true },
		{ "adl", 0, 0, 0x37, true },
		{ "adl", 1, 5, 0x36, true },
		{ "mtl", 1, 2, 0x68, true },
		{ "srf", 0, 7, 0x68, true },
		{ "lnl", 0, 1, 0xc0d, true },
	};
	unsigned int i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct env *e = machine(state, t[i].model);

		print_message("# %s\n", t[i].model);
		ds_for(e, t[i].cpu, 64, ROOM);
		arm_stores(e, t[i].cpu,
			   vp_model_core(vp_model_find(t[i].model), t[i].cpu, CPUS),
			   t[i].counter, 1);
		access_on(e, t[i].cpu, true, true, &slow);
		assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
		assert_int_equal(word_at(e, 16), 1ULL << t[i].counter);
		assert_int_equal(word_at(e, 40), t[i].source);
		assert_int_equal(word_at(e, 48), t[i].latency ? 345 | 340ULL << 32 : 0);
		/* Either with a source and a latency, or only with a hit in L1. */
		assert_int_equal(e->word, t[i].latency ? t[i].source : VP_NO_WORD);
		/* On counter 0, P-cores' event of stores does not permit a period of 1. */
		if (!t[i].counter &&
		    vp_model_core(vp_model_find(t[i].model), t[i].cpu, CPUS)->pdist_stores)
			expect_violation(e, 1, "pdist-period");
		else
			assert_int_equal(e->violations, 0);
	}
}

/* All groups are written in their order. */
TEST_WITH(groups, env_setup, env_teardown)
{
	static const uint8_t order[] = { 0, 1, 2, 4, 5, 3, 9, 8, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17 };
	const unsigned int size = 32 + 32 + 144 + 256 + 24 * 4 + 16 + 8 * 3 + 16;
	const struct vp_core *core = core_of("lnl");
	struct env *e = machine(state, "lnl");
	unsigned int i, at = 64;

	ds_for(e, 0, size, ROOM);
	memset(e->ram + (BUF - RAM), 0xee, 2 * size);
	arm_loads(e, 0, core, 2, -1, 1);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_PEBS_DATA_CFG, 0x3f | 3ULL << 24 | 0x5ULL << 32 | 0x2ULL << 48);
	wr(e, VP_MSR_PMC0, 0xa0);
	wr(e, VP_MSR_FIXED_CTR0 + 1, 0xf1);
	wr(e, VP_MSR_FIXED_CTR0 + 3, 0xf3);
	wr(e, VP_MSR_METRICS, 0x99);
	wr(e, VP_MSR_GLOBAL_CTRL, 4);
	access_on(e, 0, false, false, &slow);
	assert_int_equal(e->fates[VP_PMU_WRITTEN], 1);
	assert_int_equal(word_at(e, 0) & 0xffffffff, 0x3f | 3 << 24);
	assert_int_equal(word_at(e, 0) >> 48, size);
	assert_int_equal(word_at(e, 32), 0x7f0000001238ULL);
	for (i = 0; i < 18; i++)
		assert_int_equal(word_at(e, at + 8 * i), 0x1111000000000000ULL + order[i]);
	for (at += 144, i = 0; i < (256 + 96) / 8; i++)
		assert_int_equal(word_at(e, at + 8 * i), 0);
	at += 256 + 96;
	assert_int_equal(word_at(e, at), 5 | 2ULL << 32);
	assert_int_equal(word_at(e, at + 8), 3);
	assert_int_equal(word_at(e, at + 16), 0xa0);
	assert_int_equal(word_at(e, at + 24), COUNTER(1));
	assert_int_equal(word_at(e, at + 32), 0xf1);
	assert_int_equal(word_at(e, at + 40), 0xf3);
	assert_int_equal(word_at(e, at + 48), 0x99);
	assert_int_equal(at + 56, size);
	assert_int_equal(word_at(e, size), 0xeeeeeeeeeeeeeeeeULL);
	assert_int_equal(e->violations, 0);
}

/* Bit 34 of the event select decides for each counter. Without it, a record has 32 bytes. */
TEST_WITH(adaptive_bit, env_setup, env_teardown)
{
	struct env *e = machine(state, "icx");

	ds_for(e, 0, 64, ROOM);
	arm_loads(e, 0, core_of("icx"), 0, -1, 1);
	access_on(e, 0, false, false, &slow);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_EVTSEL0, EV_LAT | BOTH | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	access_on(e, 0, false, false, &slow);
	assert_int_equal(word_at(e, 0) >> 48, 64);
	assert_int_equal(word_at(e, 64), 32ULL << 48);
	assert_int_equal(ds_get(e, VP_DS_PEBS_INDEX), BUF + 96);
	/* This is all that a KVM guest can do. */
	e = machine(state, "guest-icx");
	ds_for(e, 0, 32, ROOM);
	arm_loads(e, 0, core_of("guest-icx"), 0, -1, 1);
	access_on(e, 0, false, false, &slow);
	assert_int_equal(word_at(e, 0), 32ULL << 48);
	assert_int_equal(ds_get(e, VP_DS_PEBS_INDEX), BUF + 32);
	assert_int_equal(e->violations, 0);
}

/* The groups may be changed only while no record can be written. */
TEST_WITH(groups_while_running, env_setup, env_teardown)
{
	struct env *e = machine(state, "icx");

	ds_for(e, 0, 64, ROOM);
	arm_loads(e, 0, core_of("icx"), 0, -1, 1);
	wr(e, VP_MSR_PEBS_DATA_CFG, VP_GROUP_MEMINFO);
	assert_int_equal(e->violations, 0);
	wr(e, VP_MSR_PEBS_DATA_CFG, VP_GROUP_MEMINFO | VP_GROUP_GPRS);
	expect_violation(e, 1, "running-counter");
}

/* A latency has at most the value that 16 bits can hold. */
TEST_WITH(long_latency, env_setup, env_teardown)
{
	static const struct vp_outcome endless = { .code = VP_DRAM, .latency = 70000 };
	struct env *e = machine(state, "srf");

	ds_for(e, 0, 64, ROOM);
	arm_loads(e, 0, core_of("srf"), 0, -1, 1);
	access_on(e, 0, false, false, &endless);
	assert_int_equal(word_at(e, 48), 0xffff | 0xffffULL << 32);
}

/* The reset slots are at another offset in each format. */
TEST_WITH(reset_slots, env_setup, env_teardown)
{
	assert_int_equal(vp_ds_reset(core_of("nhm"), 3), 0x58);
	assert_int_equal(vp_ds_size(core_of("skx")), 0x60);
	assert_int_equal(vp_ds_reset(core_of("icx"), 7), 0x78);
	assert_int_equal(vp_ds_reset(core_of("icx"), VP_PMU_GP_MAX + 1), 0x88);
	assert_int_equal(vp_ds_size(core_of("icx")), 0xa0);
	assert_int_equal(vp_ds_reset(core_of("lnl"), 9), 0x88);
	assert_int_equal(vp_ds_reset(core_of("lnl"), VP_PMU_GP_MAX + 3), 0x158);
	assert_int_equal(vp_ds_size(core_of("lnl")), 0x1c0);
}

/* Every word occurs once, at an address that identifies it, on each CPU. */
TEST_WITH(sweep, env_setup, env_teardown)
{
	struct env *e = machine(state, "lnl");
	unsigned int i;

	ds_for(e, 0, 64, ROOM);
	arm_loads(e, 0, core_of("lnl"), 2, -1, 1);
	vp_pmu_sweep(e->pmu, true);
	for (i = 0; i < 1026; i++) {
		uint64_t word = vp_encoding_word(&vp_encoding_lnc, i);

		ds_set(e, VP_DS_PEBS_INDEX, BUF);
		access_on(e, 0, false, false, &slow);
		assert_int_equal(e->word, word);
		assert_int_equal(word_at(e, 40), word);
		assert_int_equal(word_at(e, 32), VP_SWEEP_ADDR + 64 * word);
		assert_int_equal(word_at(e, 48), 345 | 340ULL << 32);
	}
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	arm_loads(e, 1, vp_model_core(vp_model_find("lnl"), 1, CPUS), 0, -1, 1);
	ds_for(e, 1, 64, ROOM);
	access_on(e, 1, false, false, &slow);
	assert_int_equal(word_at(e, 40), 0);
	/* A new sweep begins at the start. Stores are not changed. "Off" turns it off. */
	vp_pmu_sweep(e->pmu, true);
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	access_on(e, 1, false, false, &slow);
	assert_int_equal(word_at(e, 40), 0);
	wr_on(e, 1, VP_MSR_GLOBAL_CTRL, 0);
	wr_on(e, 1, VP_MSR_EVTSEL0, 0);
	arm_stores(e, 1, vp_model_core(vp_model_find("lnl"), 1, CPUS), 2, 1);
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	access_on(e, 1, true, false, &slow);
	assert_int_equal(word_at(e, 40), 0x48);
	assert_int_equal(word_at(e, 32), 0x7f0000001238ULL);
	wr_on(e, 1, VP_MSR_GLOBAL_CTRL, 0);
	vp_pmu_sweep(e->pmu, false);
	arm_loads(e, 1, vp_model_core(vp_model_find("lnl"), 1, CPUS), 0, -1, 1);
	ds_set(e, VP_DS_PEBS_INDEX, BUF);
	access_on(e, 1, false, false, &slow);
	assert_int_equal(word_at(e, 40), 0x48);
}
