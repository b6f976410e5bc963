// SPDX-License-Identifier: GPL-2.0
/*
 * Events of the counting mode: which core counts which one, with which counter, and what is
 * counted.
 */
#include "pmu_models.h"

/*
 * By core: Intel's number, the counters that can count the event, and what a counter mask of 1
 * makes of it. Or the only counter mask with which it counts.
 */
static const struct {
	const char *core;
	unsigned int event;
	uint32_t counters;
	enum vp_count what, busy;
	unsigned int mask;
} rows[] = {
	{ "nhm", 0x010b, 0xf, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "nhm", 0x020b, 0xf, VP_CT_STORES, VP_COUNTS, 0 },
	{ "nhm", 0x0208, 0xf, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "wsm", 0x010b, 0xf, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "wsm", 0x020b, 0xf, VP_CT_STORES, VP_COUNTS, 0 },
	{ "wsm", 0x0208, 0xf, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "wsm", 0x0860, 0x1, VP_CT_READS_OUTSTANDING, VP_CT_READS_CYCLES, 0 },
	{ "wsm", 0x0160, 0x1, VP_CT_DEMAND_OUTSTANDING, VP_CT_DEMAND_CYCLES, 0 },
	{ "wsm", 0x0460, 0x1, VP_CT_RFO_OUTSTANDING, VP_CT_RFO_CYCLES, 0 },
	{ "wsm", 0x0260, 0x1, VP_CT_CODE_OUTSTANDING, VP_CT_CODE_CYCLES, 0 },
	{ "wsm", 0x08b0, 0xf, VP_CT_READS, VP_COUNTS, 0 },
	{ "wsm", 0x01b0, 0xf, VP_CT_DEMAND_READS, VP_COUNTS, 0 },
	{ "wsm", 0x04b0, 0xf, VP_CT_RFOS, VP_COUNTS, 0 },
	{ "snb", 0x81d0, 0xf, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "snb", 0x82d0, 0xf, VP_CT_STORES, VP_COUNTS, 0 },
	{ "snb", 0x0208, 0xf, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "snb", 0x0860, 0xf, VP_CT_READS_OUTSTANDING, VP_CT_READS_CYCLES, 0 },
	{ "snb", 0x0160, 0xf, VP_CT_DEMAND_OUTSTANDING, VP_CT_DEMAND_CYCLES, 0 },
	{ "snb", 0x0460, 0xf, VP_CT_RFO_OUTSTANDING, VP_CT_RFO_CYCLES, 0 },
	{ "snb", 0x0148, 0x4, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "snb", 0x08b0, 0xf, VP_CT_READS, VP_COUNTS, 0 },
	{ "snb", 0x01b0, 0xf, VP_CT_DEMAND_READS, VP_COUNTS, 0 },
	{ "snb", 0x04b0, 0xf, VP_CT_RFOS, VP_COUNTS, 0 },
	{ "snb", 0x06a3, 0x4, VP_CT_LOAD_STALLS, VP_COUNTS, 6 },
	{ "snb", 0x08a2, 0xf, VP_CT_STORE_STALLS, VP_COUNTS, 0 },
	{ "snb", 0x0408, 0xf, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
	{ "ivb", 0x8208, 0xf, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "ivb", 0x08d1, 0xf, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "ivb", 0x10d1, 0xf, VP_CT_L2_MISSES, VP_COUNTS, 0 },
	{ "ivb", 0x0148, 0x4, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "ivb", 0x0ca3, 0x4, VP_CT_LOAD_STALLS, VP_COUNTS, 12 },
	{ "ivb", 0x08a2, 0xf, VP_CT_STORE_STALLS, VP_COUNTS, 0 },
	{ "ivb", 0x8408, 0xf, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
	{ "hsw", 0x0e08, 0xf, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "hsw", 0x0148, 0x4, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "hsw", 0x0ca3, 0x4, VP_CT_LOAD_STALLS, VP_COUNTS, 12 },
	{ "hsw", 0x08a2, 0xf, VP_CT_STORE_STALLS, VP_COUNTS, 0 },
	{ "hsw", 0x1008, 0xf, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
	{ "bdw", 0x0148, 0x4, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "bdw", 0x0260, 0xf, VP_CT_CODE_OUTSTANDING, VP_CT_CODE_CYCLES, 0 },
	{ "bdw", 0x0ca3, 0x4, VP_CT_LOAD_STALLS, VP_COUNTS, 12 },
	{ "bdw", 0x1008, 0xf, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
	{ "skx", 0x81d0, 0xf, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "skx", 0x82d0, 0xf, VP_CT_STORES, VP_COUNTS, 0 },
	{ "skx", 0x0e08, 0xf, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "skx", 0x08d1, 0xf, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "skx", 0x10d1, 0xf, VP_CT_L2_MISSES, VP_COUNTS, 0 },
	{ "skx", 0x0860, 0xf, VP_CT_READS_OUTSTANDING, VP_CT_READS_CYCLES, 0 },
	{ "skx", 0x0160, 0xf, VP_CT_DEMAND_OUTSTANDING, VP_CT_DEMAND_CYCLES, 0 },
	{ "skx", 0x0460, 0xf, VP_CT_RFO_OUTSTANDING, VP_CT_RFO_CYCLES, 0 },
	{ "skx", 0x0260, 0xf, VP_CT_CODE_OUTSTANDING, VP_CT_CODE_CYCLES, 0 },
	{ "skx", 0x0148, 0xf, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "skx", 0x08b0, 0xf, VP_CT_READS, VP_COUNTS, 0 },
	{ "skx", 0x01b0, 0xf, VP_CT_DEMAND_READS, VP_COUNTS, 0 },
	{ "skx", 0x04b0, 0xf, VP_CT_RFOS, VP_COUNTS, 0 },
	{ "skx", 0x0ca3, 0xf, VP_CT_LOAD_STALLS, VP_COUNTS, 12 },
	{ "skx", 0x40a6, 0xf, VP_CT_STORE_STALLS, VP_COUNTS, 0 },
	{ "skx", 0x1008, 0xf, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
	{ "icx", 0x0860, 0xf, VP_CT_READS_OUTSTANDING, VP_CT_READS_CYCLES, 0 },
	{ "icx", 0x0148, 0xf, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "icx", 0x08d1, 0xf, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "icx", 0x10d1, 0xf, VP_CT_L2_MISSES, VP_COUNTS, 0 },
	{ "icx", 0x0ca3, 0xf, VP_CT_LOAD_STALLS, VP_COUNTS, 12 },
	{ "icx", 0x40a6, 0xff, VP_CT_STORE_STALLS, VP_COUNTS, 2 },
	{ "icx", 0x1008, 0xf, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
	{ "spr", 0x81d0, 0xf, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "spr", 0x82d0, 0xf, VP_CT_STORES, VP_COUNTS, 0 },
	{ "spr", 0x0e12, 0xf, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "spr", 0x08d1, 0xf, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "spr", 0x10d1, 0xf, VP_CT_L2_MISSES, VP_COUNTS, 0 },
	{ "spr", 0x0820, 0xf, VP_CT_READS_OUTSTANDING, VP_CT_READS_CYCLES, 0 },
	{ "spr", 0x0120, 0xf, VP_CT_DEMAND_OUTSTANDING, VP_CT_DEMAND_CYCLES, 0 },
	{ "spr", 0x0420, 0xf, VP_CT_RFO_OUTSTANDING, VP_CT_RFO_CYCLES, 0 },
	{ "spr", 0x0220, 0xf, VP_CT_CODE_OUTSTANDING, VP_CT_CODE_CYCLES, 0 },
	{ "spr", 0x0148, 0xf, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "spr", 0x0821, 0xf, VP_CT_READS, VP_COUNTS, 0 },
	{ "spr", 0x0121, 0xf, VP_CT_DEMAND_READS, VP_COUNTS, 0 },
	{ "spr", 0x0421, 0xf, VP_CT_RFOS, VP_COUNTS, 0 },
	{ "spr", 0x0ca3, 0xf, VP_CT_LOAD_STALLS, VP_COUNTS, 12 },
	{ "spr", 0x40a6, 0xff, VP_CT_STORE_STALLS, VP_COUNTS, 2 },
	{ "spr", 0x1012, 0xf, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
	{ "adl-p", 0x0820, 0xf, VP_CT_READS_OUTSTANDING, VP_CT_READS_CYCLES, 0 },
	{ "gnr", 0x0420, 0xf, VP_CT_RFO_OUTSTANDING, VP_CT_RFO_CYCLES, 0 },
	{ "mtl-p", 0x0821, 0xf, VP_CT_READS, VP_COUNTS, 0 },
	{ "lnl-p", 0x0148, 0x4, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "lnl-p", 0x0821, 0x3ff, VP_CT_READS, VP_COUNTS, 0 },
	{ "lnl-p", 0x0e12, 0x3ff, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "lnl-p", 0x0820, 0xf, VP_CT_READS_OUTSTANDING, VP_CT_READS_CYCLES, 0 },
	{ "lnl-p", 0x40a6, 0x3ff, VP_CT_STORE_STALLS, VP_COUNTS, 2 },
	{ "lnl-p", 0x1012, 0x3ff, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
	/* novalake (cpu_core): MEM_LOAD_RETIRED.L1_MISS has unit mask 0x10, .L2_MISS has none. */
	{ "nvl-p", 0x81d0, 0xf, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "nvl-p", 0x82d0, 0xf, VP_CT_STORES, VP_COUNTS, 0 },
	{ "nvl-p", 0x0e12, 0xff, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "nvl-p", 0x10d1, 0xf, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "nvl-p", 0x00d1, 0xf, VP_CT_L2_MISSES, VP_COUNTS, 0 },
	{ "nvl-p", 0x0148, 0xf, VP_CT_L1D_PENDING, VP_CT_L1D_PENDING_CYCLES, 0 },
	{ "adl-e", 0x81d0, 0x3f, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "adl-e", 0x82d0, 0x3f, VP_CT_STORES, VP_COUNTS, 0 },
	{ "adl-e", 0x08d1, 0x3f, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "adl-e", 0x10d1, 0x3f, VP_CT_L2_MISSES, VP_COUNTS, 0 },
	{ "adl-e", 0x0e08, 0x3f, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "adl-e", 0x0734, 0x3f, VP_CT_LOAD_STALLS, VP_COUNTS, 0 },
	{ "mtl-e", 0x40d1, 0xff, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "lnl-e", 0x40d1, 0xff, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "srf", 0x81d0, 0xff, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "srf", 0x82d0, 0xff, VP_CT_STORES, VP_COUNTS, 0 },
	{ "srf", 0x40d1, 0xff, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "cwf", 0x81d0, 0xff, VP_CT_LOADS, VP_COUNTS, 0 },
	{ "cwf", 0x82d0, 0xff, VP_CT_STORES, VP_COUNTS, 0 },
	{ "cwf", 0x40d1, 0xff, VP_CT_L1_MISSES, VP_COUNTS, 0 },
	{ "cwf", 0x0e08, 0xff, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "srf", 0x0e08, 0xff, VP_CT_WALKS, VP_COUNTS, 0 },
	{ "srf", 0x7f34, 0xff, VP_CT_LOAD_STALLS, VP_COUNTS, 0 },
	{ "srf", 0x8034, 0xff, VP_CT_STORE_STALLS, VP_COUNTS, 0 },
	{ "srf", 0x1008, 0xff, VP_CT_WALK_PENDING, VP_COUNTS, 0 },
};
#define ROWS	(sizeof(rows) / sizeof(rows[0]))

/* The table above has all events of these cores, so no other event may count. */
static const char *const whole[] = {
	"nhm", "wsm", "snb", "skx", "spr", "nvl-p", "adl-e", "srf", "cwf"
};

static const struct vp_core *find_core(const char *name)
{
	const struct vp_model *m;
	unsigned int i, k;

	for (i = 0; (m = vp_model_at(i)); i++)
		for (k = 0; k < vp_model_kinds(m); k++)
			if (!strcmp(m->core[k]->name, name))
				return m->core[k];
	fail_msg("no core %s", name);
	return NULL;
}

TEST(test_rows)
{
	unsigned int i, counter;

	for (i = 0; i < ROWS; i++) {
		const struct vp_event_row *events = find_core(rows[i].core)->events;

		for (counter = 0; counter < VP_PMU_GP_MAX; counter++) {
			bool can = rows[i].counters >> counter & 1;
			uint64_t sel = rows[i].event | BOTH | VP_EVTSEL_EN;
			uint64_t mask;

			for (mask = 0; mask < 16; mask++) {
				enum vp_count want = mask == rows[i].mask ? rows[i].what :
						     mask == 1 && !rows[i].mask ? rows[i].busy :
						     VP_COUNTS;

				assert_int_equal(vp_event_counts(events, sel | mask << 24, counter),
						 can ? want : VP_COUNTS);
			}
			sel |= (uint64_t)rows[i].mask << 24;
			assert_int_equal(vp_event_counts(events, sel | VP_EVTSEL_INV, counter),
					 VP_COUNTS);
			assert_int_equal(vp_event_counts(events, sel | VP_EVTSEL_EDGE, counter),
					 VP_COUNTS);
		}
	}
}

/* The event counts with some counter and some counter mask. */
static bool counts_at_all(const struct vp_event_row *events, unsigned int event)
{
	unsigned int i;
	uint64_t mask;

	for (mask = 0; mask < 16; mask++)
		for (i = 0; i < VP_PMU_GP_MAX; i++)
			if (vp_event_counts(events, event | mask << 24, i) != VP_COUNTS)
				return true;
	return false;
}

TEST(test_nothing_else)
{
	unsigned int i, k, event, want, seen;

	for (k = 0; k < sizeof(whole) / sizeof(whole[0]); k++) {
		const struct vp_event_row *events = find_core(whole[k])->events;

		for (want = i = 0; i < ROWS; i++)
			want += !strcmp(rows[i].core, whole[k]);
		for (seen = event = 0; event <= 0xffff; event++)
			seen += counts_at_all(events, event);
		assert_int_equal(seen, want);
	}
	assert_null(find_core("knl")->events);
	/* Panther Cove has no list, and Linux treats it as Coyote Cove. */
	assert_ptr_equal(find_core("dmr")->events, find_core("nvl-p")->events);
}

static int setup(void **state)
{
	return env_make(state, "skx");
}

static int teardown(void **state)
{
	struct env *e = *state;

	vp_pmu_free(e->pmu);
	free(e);
	return 0;
}

static void begin(struct env *e, unsigned int counter, uint64_t sel)
{
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0 + counter, 0);
	wr(e, VP_MSR_EVTSEL0 + counter, sel | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1ULL << counter);
}

static void do_access(struct env *e, bool store, bool locked, uint8_t code, bool stlb_miss)
{
	const struct vp_outcome o = { .code = code, .latency = 100, .stlb_miss = stlb_miss };

	access_on(e, 0, store, locked, &o);
}

/* Loads from L1, LFB, L2, L3 and DRAM, one with a page walk, one locked. Stores to L1 and DRAM. */
static void some(struct env *e)
{
	do_access(e, false, false, VP_L1, false);
	do_access(e, false, false, VP_LFB, false);
	do_access(e, false, false, VP_L2, false);
	do_access(e, false, false, VP_L3, false);
	do_access(e, false, false, VP_DRAM, true);
	do_access(e, false, true, VP_L3_HITM, false);
	do_access(e, true, false, VP_L1, false);
	do_access(e, true, false, VP_DRAM, true);
}

TEST_WITH(test_accesses, setup, teardown)
{
	static const struct {
		unsigned int event, count;
	} want[] = {
		{ 0x81d0, 6 }, { 0x82d0, 2 }, { 0x08d1, 3 }, { 0x0e08, 1 }, { 0x08b0, 2 },
		{ 0x01b0, 2 }, { 0x04b0, 2 }, { 0x0860, 0 }, { 0x0148, 0 }, { 0x10d1, 2 },
	};
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		begin(e, 1, want[i].event | BOTH);
		some(e);
		assert_int_equal(rd(e, VP_MSR_A_PMC0 + 1), want[i].count);
		/*
		 * It does not count for another privilege level: here the accesses are in user
		 * mode.
		 */
		begin(e, 1, want[i].event | VP_EVTSEL_OS);
		some(e);
		assert_int_equal(rd(e, VP_MSR_A_PMC0 + 1), 0);
	}
	begin(e, 1, 0x0e08 | BOTH);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_MEMORY);
	/* Without a clock nothing is outstanding, so memory need not be watched for it. */
	begin(e, 1, 0x0860 | BOTH);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_NOTHING);
	assert_int_equal(e->violations, 0);
}

static void tell(struct env *e, bool user)
{
	uint64_t counts[VP_COUNTS];
	unsigned int i;

	for (i = 0; i < VP_COUNTS; i++)
		counts[i] = 1000 + i;
	vp_pmu_timed(e->pmu, 0, user, counts, IP);
}

TEST_WITH(test_timed, setup, teardown)
{
	struct env *e = *state;

	vp_pmu_timing(e->pmu);
	begin(e, 2, 0x0860 | BOTH);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_MEMORY);
	some(e);
	vp_pmu_retire(e->pmu, 0, true, 500, IP);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 0);
	tell(e, true);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 1000 + VP_CT_READS_OUTSTANDING);
	tell(e, false);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 2 * (1000 + VP_CT_READS_OUTSTANDING));
	begin(e, 2, 0x0860 | 1ULL << 24 | VP_EVTSEL_USR);
	tell(e, false);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 0);
	tell(e, true);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 1000 + VP_CT_READS_CYCLES);
	/*
	 * Events of accesses are counted once, when the accesses happen, and not again by the
	 * clock.
	 */
	begin(e, 2, 0x81d0 | BOTH);
	tell(e, true);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 0);
	/* Except reads, because prefetchers read too. */
	begin(e, 2, 0x08b0 | BOTH);
	some(e);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 0);
	tell(e, true);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 1000 + VP_CT_READS);
	begin(e, 2, 0x003c | BOTH);
	vp_pmu_retire(e->pmu, 0, true, 500, IP);
	tell(e, true);
	assert_int_equal(rd(e, VP_MSR_A_PMC0 + 2), 1000 + VP_CT_CYCLES);
	assert_int_equal(e->violations, 0);
}

TEST_WITH(test_fixed, setup, teardown)
{
	struct env *e = *state;

	vp_pmu_timing(e->pmu);
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_FIXED_CTR0, 0);
	wr(e, VP_MSR_FIXED_CTR0 + 1, 0);
	wr(e, VP_MSR_FIXED_CTR_CTRL, 0x22);
	assert_false(vp_pmu_counts_cycles(e->pmu, 0, true));
	wr(e, VP_MSR_GLOBAL_CTRL, 3ULL << 32);
	assert_true(vp_pmu_counts_cycles(e->pmu, 0, true));
	assert_false(vp_pmu_counts_cycles(e->pmu, 0, false));
	vp_pmu_retire(e->pmu, 0, true, 70, IP);
	tell(e, true);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0), 70);
	assert_int_equal(rd(e, VP_MSR_FIXED_CTR0 + 1), 1000);
}

/* An overflow is late, but it comes. The nearer it is, the more often the counter is checked. */
TEST_WITH(test_overflow, setup, teardown)
{
	struct env *e = *state;
	uint64_t room;

	vp_pmu_timing(e->pmu);
	e->lvtpc[0] = VP_LVT_NMI;
	wr(e, VP_MSR_GLOBAL_CTRL, 0);
	wr(e, VP_MSR_A_PMC0, COUNTER(1500));
	wr(e, VP_MSR_EVTSEL0, 0x003c | BOTH | VP_EVTSEL_INT | VP_EVTSEL_EN);
	wr(e, VP_MSR_GLOBAL_CTRL, 1);
	room = vp_pmu_headroom(e->pmu, 0, true);
	assert_in_range(room, 1, 1500);
	tell(e, true);
	assert_int_equal(e->nmis[0], 0);
	assert_true(vp_pmu_headroom(e->pmu, 0, true) < room);
	tell(e, true);
	assert_int_equal(e->nmis[0], 1);
	assert_int_equal(rd(e, VP_MSR_GLOBAL_STATUS), 1);
	assert_int_equal(rd(e, VP_MSR_A_PMC0), 500);
}

/* Without a clock, each instruction takes a cycle, which is counted immediately. */
TEST_WITH(test_off, setup, teardown)
{
	struct env *e = *state;

	begin(e, 0, 0x003c | BOTH);
	assert_int_equal(vp_pmu_watch(e->pmu, 0), VP_WATCH_TIME);
	vp_pmu_retire(e->pmu, 0, true, 500, IP);
	tell(e, true);
	assert_int_equal(rd(e, VP_MSR_A_PMC0), 500);
}
