// SPDX-License-Identifier: GPL-2.0
/*
 * PMIs that come while registers are checked, and bursts at task switches. This is module/hw/pmu.c,
 * guard.c and burst.c themselves, with registers that are made up here. A PMI comes when one of them
 * is read.
 */
#include "hw_stubs.h"

#include "../../module/hw/burst.c"
#include "../../module/hw/guard.c"
#include "../../module/hw/pmu.c"

struct memlat_count_cpu __percpu *memlat_count_cpu;
static struct memlat_cpu the_cpu, *const c = &the_cpu;
static unsigned int drains;
static u32 ended;

unsigned int memlat_pebs_drain(struct memlat_cpu *cpu, struct pt_regs *regs)
{
	/* Whatever comes in between, nothing writes the buffer while it is read. */
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_CTRL], 0);
	drains++;
	return in_pmi;
}

/* As in arm.c, as far as it matters here. */
void memlat_arm_pause(struct memlat_cpu *cpu)
{
	cpu->paused = true;
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = 0;
}

void memlat_arm_resume(struct memlat_cpu *cpu)
{
	cpu->paused = false;
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = cpu->plan->run;
}

void memlat_arm_abort(struct memlat_cpu *cpu, u32 end)
{
	if (!cpu->armed)
		return;
	cpu->unsettled = true;
	cpu->armed = false;
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = 0;
	registers[MSR_ARCH_PERFMON_EVENTSEL0] = 0;
	registers[MSR_IA32_PEBS_ENABLE] = 0;
	if (cpu->ack_due)
		lvtpc_now = APIC_DM_NMI;
	cpu->ack_due = false;
	ended = end;
}

/* What is not called, or does nothing, on the CPU that is made up here. */
unsigned int memlat_turn_change(struct memlat_cpu *cpu)
{
	return 0;
}

void memlat_budget_spent(struct memlat_cpu *cpu, u64 since, u32 unseen, unsigned int records)
{
}

void memlat_beside_read(struct memlat_cpu *cpu)
{
}

static bool lost;

bool memlat_turn_is_lost(const struct memlat_cpu *cpu)
{
	return lost;
}

void memlat_turn_mend(struct memlat_cpu *cpu)
{
	lost = false;
}

void memlat_count_switch(bool wanted)
{
}

bool memlat_ds_is_ours(const struct memlat_cpu *cpu)
{
	return true;
}

bool memlat_arch_is_foreign(struct memlat_cpu *cpu)
{
	return false;
}

void memlat_arch_limit(struct memlat_cpu *cpu, u64 limit)
{
}

/* An armed CPU that samples loads, with counter 0. */
static void cpu_is_armed(void)
{
	static const struct memlat_cpu_model model = { .period_min = 2 };
	static const struct memlat_record_layout layout = { .size = 64 };
	static const struct memlat_core core = {
		.ack = MEMLAT_ACK_LATE, .model = &model, .mask = BIT_ULL(48) - 1,
		.caps = { .layout = &layout, .counters = 4 },
	};
	static struct memlat_counts counts;
	static struct debug_store ds;
	static struct memlat_plan plan;
	const u64 select = 0x1cd | MEMLAT_EVTSEL_EN;

	plan = (struct memlat_plan) {
		.run = BIT_ULL(0), .ours = BIT_ULL(0) | MEMLAT_STATUS_DS, .phases = 1,
		.phase[0] = {
			.kinds = BIT(MEMLAT_KIND_LOADS), .pebs_enable = MEMLAT_PEBS_EN(0),
			.evtsel[0] = select | MEMLAT_EVTSEL_USR | MEMLAT_EVTSEL_OS,
		},
		.event[MEMLAT_KIND_LOADS] = { .on = true, .msr = COUNTER_MSR }, .used = BIT_ULL(0),
		.slots = 1, .slot[0] = { .msr = COUNTER_MSR },
	};
	plan.burst[0] = plan.phase[0];
	plan.burst[0].evtsel[0] = select | MEMLAT_EVTSEL_OS;
	plan.burst[1] = plan.phase[0];
	plan.burst[1].evtsel[0] = select | MEMLAT_EVTSEL_USR;

	ds = (struct debug_store) { .pebs_index = BASE };
	memlat_hw = (struct memlat_hw) { .kinds = plan.phase[0].kinds, .ldlat = 30 };
	memset(c, 0, sizeof(*c));
	memlat_cpu = c;
	c->armed = true;
	c->wanted = true;
	c->core = &core;
	c->plan = &plan;
	c->phase = &plan.phase[0];
	c->ds = &ds;
	c->base = BASE;
	c->max = BASE + PEBS_BUFFER_SIZE;
	c->counts = &counts;
	c->rate[MEMLAT_KIND_LOADS].period = 1009;

	memset(registers, 0, sizeof(registers));
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = plan.run;
	registers[MSR_ARCH_PERFMON_EVENTSEL0] = plan.phase[0].evtsel[0];
	registers[MSR_IA32_PEBS_ENABLE] = plan.phase[0].pebs_enable;
	registers[MSR_IA32_DS_AREA] = (unsigned long)&ds;
	registers[MSR_PEBS_LD_LAT_THRESHOLD] = memlat_hw.ldlat;
	lvtpc_now = APIC_DM_NMI;
	before_read = NULL;
	after_write = NULL;
	stuck = 0;
	drains = 0;
	ended = MEMLAT_END_NONE;
}

static void pmi_comes(void)
{
	if (!c->armed)
		return;
	in_pmi = true;
	registers[MSR_CORE_PERF_GLOBAL_STATUS] |= MEMLAT_STATUS_DS;
	lvtpc_now |= APIC_LVT_MASKED;
	assert_int_equal(memlat_nmi_handler(NMI_LOCAL, NULL), NMI_HANDLED);
	assert_int_equal(lvtpc_now, APIC_DM_NMI);
	in_pmi = false;
}

static void pmi_before_each(u32 index)
{
	pmi_comes();
}

static void check_finds(u32 index, u64 value)
{
	unsigned int cpu;
	u64 noted;
	u32 where;

	memlat_pmu_check();
	assert_int_equal(ended, MEMLAT_END_TAKEOVER);
	assert_false(c->armed);
	assert_true(memlat_guard_found(&cpu, &where, &noted));
	assert_int_equal(where, index);
	assert_int_equal(noted, value);
}

static void check_finds_nothing(void)
{
	unsigned int cpu;
	u64 noted;
	u32 where;

	memlat_pmu_check();
	assert_int_equal(ended, MEMLAT_END_NONE);
	assert_true(c->armed);
	assert_false(memlat_guard_found(&cpu, &where, &noted));
}

TEST(nothing_is_found)
{
	cpu_is_armed();
	check_finds_nothing();
}

TEST(select_of_another)
{
	cpu_is_armed();
	registers[MSR_ARCH_PERFMON_EVENTSEL0] = 0x4300c0;
	check_finds(MSR_ARCH_PERFMON_EVENTSEL0, 0x4300c0);
}

/* A PMI finds the takeover during a check, and disarms the CPU, which puts registers back. */
static void takeover_at_ctrl(u32 index)
{
	if (index != MSR_CORE_PERF_GLOBAL_CTRL)
		return;
	before_read = NULL;
	registers[MSR_PEBS_LD_LAT_THRESHOLD] = 3;
	pmi_comes();
}

TEST(pmi_names_the_register)
{
	cpu_is_armed();
	before_read = takeover_at_ctrl;
	check_finds(MSR_PEBS_LD_LAT_THRESHOLD, 3);
}

/*
 * With call chains a PMI comes for each record, and it does not look at event selects. Also if one
 * comes into each check, the check finds them.
 */
TEST(pmis_that_change_nothing)
{
	cpu_is_armed();
	memlat_hw.call_graph = true;
	before_read = pmi_before_each;
	check_finds_nothing();
	registers[UNUSED_SELECT] = 0x4300c0;
	check_finds(UNUSED_SELECT, 0x4300c0);
}

/* PMIs begin and end bursts during the check, so what was read before is not what is expected. */
static void pmi_before_select(u32 index)
{
	if (index == MSR_ARCH_PERFMON_EVENTSEL0)
		pmi_comes();
}

TEST(pmis_that_change_bursts)
{
	cpu_is_armed();
	memlat_hw.stride = true;
	before_read = pmi_before_select;
	check_finds_nothing();
	/* The check has read the select three times. */
	assert_int_equal(drains, 3);
}

TEST(switch_without_records)
{
	cpu_is_armed();
	memlat_pmu_switch(true);
	assert_int_equal(drains, 0);
	memlat_pmu_switch(false);
	assert_int_equal(drains, 1);
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_CTRL], 0);
}

/* A burst that has no record yet does not go on in the next task. */
TEST(switch_ends_burst)
{
	cpu_is_armed();
	memlat_hw.stride = true;
	pmi_comes();
	assert_int_equal(c->burst, 2);
	assert_int_equal(registers[MSR_ARCH_PERFMON_EVENTSEL0], c->plan->burst[1].evtsel[0]);
	memlat_pmu_switch(true);
	assert_int_equal(c->burst, 0);
	assert_int_equal(registers[MSR_ARCH_PERFMON_EVENTSEL0], c->plan->phase[0].evtsel[0]);
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_CTRL], c->plan->run);
}

/* What an NMI finds: a status bit that cannot be cleared. @lvtpc: masked, if it is a PMI. */
static int nmi_with_stuck_bit(u32 lvtpc)
{
	int handled;

	stuck = MEMLAT_STATUS_DS;
	registers[MSR_CORE_PERF_GLOBAL_STATUS] |= stuck;
	lvtpc_now |= lvtpc;
	in_pmi = true;
	handled = memlat_nmi_handler(NMI_LOCAL, NULL);
	in_pmi = false;
	return handled;
}

static void stuck_bit_is_found(void)
{
	unsigned int cpu;
	u64 noted;
	u32 where;

	assert_int_equal(ended, MEMLAT_END_TAKEOVER);
	assert_false(c->armed);
	assert_true(memlat_guard_found(&cpu, &where, &noted));
	assert_int_equal(where, MSR_CORE_PERF_GLOBAL_STATUS);
	assert_int_equal(noted, stuck);
	assert_int_equal(lvtpc_now, APIC_DM_NMI);
	/* The next NMI is somebody else's. */
	assert_int_equal(memlat_nmi_handler(NMI_LOCAL, NULL), NMI_DONE);
}

TEST(stuck_status_in_a_pmi)
{
	cpu_is_armed();
	assert_int_equal(nmi_with_stuck_bit(APIC_LVT_MASKED), NMI_HANDLED);
	stuck_bit_is_found();
}

TEST(stuck_status_in_anothers_nmi)
{
	cpu_is_armed();
	assert_int_equal(nmi_with_stuck_bit(0), NMI_DONE);
	stuck_bit_is_found();
}

/* In a drain the CPU cannot be disarmed, but the next check does it. */
TEST(stuck_status_in_a_drain)
{
	cpu_is_armed();
	c->draining = true;
	assert_int_equal(nmi_with_stuck_bit(0), NMI_DONE);
	assert_int_equal(ended, MEMLAT_END_NONE);
	c->draining = false;
	memlat_pmu_check();
	stuck_bit_is_found();
}

/*
 * NMIs while KVM lends the PMU to a guest. The counters are off, and stay off; nothing else is
 * written.
 */
static void nmi_of_another(void)
{
	u64 before[sizeof(registers) / sizeof(*registers)];

	memcpy(before, registers, sizeof(before));
	in_pmi = true;
	assert_int_equal(memlat_nmi_handler(NMI_LOCAL, NULL), NMI_DONE);
	in_pmi = false;
	assert_memory_equal(registers, before, sizeof(before));
	assert_int_equal(drains, 0);
	assert_int_equal(ended, MEMLAT_END_NONE);
}

TEST(nmi_while_kvm_lends)
{
	const u32 guests = APIC_DM_FIXED | PERF_GUEST_MEDIATED_PMI_VECTOR | APIC_LVT_MASKED;

	cpu_is_armed();
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = 0;
	nmi_of_another();
	lvtpc_now = guests;
	nmi_of_another();
	/* The guest's status and event. */
	registers[MSR_CORE_PERF_GLOBAL_STATUS] = 1;
	registers[MSR_ARCH_PERFMON_EVENTSEL0] = 0x4300c0;
	nmi_of_another();
	/* kvm_entry has disarmed the CPU, and the next NMI ends the guest's turn. */
	c->armed = false;
	c->unsettled = true;
	nmi_of_another();
	assert_int_equal(lvtpc_now, guests);
}

/* Between the probes of kvm_entry and kvm_exit an NMI writes no register, whoever's it is. */
TEST(nmi_while_a_guest_runs)
{
	cpu_is_armed();
	assert_false(memlat_pmu_guest_entry());
	nmi_of_another();
	lvtpc_now = APIC_DM_NMI | APIC_LVT_MASKED;
	in_pmi = true;
	assert_int_equal(memlat_nmi_handler(NMI_LOCAL, NULL), NMI_HANDLED);
	in_pmi = false;
	assert_true(lvtpc_now == APIC_DM_NMI && !registers[MSR_CORE_PERF_GLOBAL_CTRL]);
	/* KVM does not say that an entry failed. */
	memlat_pmu_switch(c->wanted);
	assert_false(c->paused || ended != MEMLAT_END_NONE);
}

/* perf holds the PMU. Its value of GLOBAL_CTRL has all counters. */
#define PERFS	0x70000000fULL

static bool perf_is_off;

static void perf_off(struct pmu *pmu)
{
	perf_is_off = true;
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = 0;
}

static void perf_on(struct pmu *pmu)
{
	perf_is_off = false;
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = PERFS;
}

static unsigned int undrained;

static void pmi_arrives(void)
{
	in_pmi = true;
	registers[MSR_CORE_PERF_GLOBAL_STATUS] |= MEMLAT_STATUS_DS;
	assert_int_equal(memlat_nmi_handler(NMI_LOCAL, NULL), NMI_HANDLED);
	in_pmi = false;
}

/*
 * The buffer is full just when a drain begins. While perf is on, its handler starts the counters
 * after each PMI; as long as none drains the buffer, the handlers' own loads make the next one.
 */
static void perf_off_with_full_buffer(struct pmu *pmu)
{
	const unsigned int before = drains;

	for (undrained = 0; drains == before && undrained < 10; undrained++) {
		pmi_arrives();
		registers[MSR_CORE_PERF_GLOBAL_CTRL] = PERFS;
	}
	perf_off(pmu);
}

static void cpu_is_held(void)
{
	static struct pmu pmu = { .pmu_enable = perf_on };
	static struct perf_event event = { .pmu = &pmu };

	cpu_is_armed();
	pmu.pmu_disable = perf_off;
	c->hold = &event;
	c->saved.global_ctrl = PERFS;
	perf_is_off = false;
	lost = false;
}

TEST(perfs_value_is_no_takeover)
{
	cpu_is_held();
	check_finds_nothing();
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = PERFS;
	check_finds_nothing();
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = 0xf;
	check_finds(MSR_CORE_PERF_GLOBAL_CTRL, 0xf);
}

TEST(foreign_value_without_perf)
{
	cpu_is_armed();
	registers[MSR_CORE_PERF_GLOBAL_CTRL] = PERFS;
	check_finds(MSR_CORE_PERF_GLOBAL_CTRL, PERFS);
}

/* perf's handler of the same NMI comes next. It starts the counters, and unmasks LVTPC. */
TEST(perf_ends_the_pmi)
{
	cpu_is_held();
	registers[MSR_CORE_PERF_GLOBAL_STATUS] |= MEMLAT_STATUS_DS;
	lvtpc_now |= APIC_LVT_MASKED;
	in_pmi = true;
	assert_int_equal(memlat_nmi_handler(NMI_LOCAL, NULL), NMI_HANDLED);
	in_pmi = false;
	assert_int_equal(drains, 1);
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_STATUS], 0);
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_CTRL], 0);
	assert_int_equal(lvtpc_now, APIC_DM_NMI | APIC_LVT_MASKED);
	assert_int_equal(ended, MEMLAT_END_NONE);
}

/* While perf is off, its handler of an NMI does not start the counters. */
static void must_be_off(u32 index)
{
	if (index == MSR_CORE_PERF_GLOBAL_STATUS)
		assert_true(perf_is_off);
}

TEST(perf_is_off_during_a_drain)
{
	cpu_is_held();
	before_read = must_be_off;
	memlat_pmu_switch(false);
	assert_int_equal(drains, 1);
	assert_false(perf_is_off);
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_CTRL], 0);
	memlat_pmu_switch(true);
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_CTRL], c->plan->run);
}

TEST(lost_counter_is_mended)
{
	cpu_is_held();
	lost = true;
	check_finds_nothing();
	assert_false(lost);
	assert_int_equal(drains, 1);
}

TEST(full_buffer_as_a_drain_begins)
{
	cpu_is_held();
	c->hold->pmu->pmu_disable = perf_off_with_full_buffer;
	memlat_pmu_switch(false);
	assert_int_equal(undrained, 1);
	assert_int_equal(drains, 2);
	assert_true(c->armed && !c->draining);
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_CTRL], 0);
}

static void pmi_after_pause(u32 index, u64 value)
{
	if (index == MSR_CORE_PERF_GLOBAL_CTRL && !value)
		pmi_arrives();
}

/* A PMI that comes just when a drain has stopped the counters neither drains nor starts them. */
TEST(pmi_as_a_drain_pauses)
{
	cpu_is_armed();
	memlat_hw.stride = true;
	pmi_comes();
	after_write = pmi_after_pause;
	memlat_pmu_switch(true);
	assert_int_equal(drains, 2);
	assert_int_equal(registers[MSR_CORE_PERF_GLOBAL_CTRL], c->plan->run);
	assert_int_equal(lvtpc_now, APIC_DM_NMI);
}
