// SPDX-License-Identifier: GPL-2.0
/*
 * Architectural PEBS, beside perf.
 *
 * The buffer has a physical address, so records are written whatever page table is live: no
 * CPU entry area, nothing to do for page table isolation. The order of writes is that of Linux
 * (intel_pmu_enable_event_ext(), intel_pmu_drain_arch_pebs()).
 *
 * perf gives each CPU a buffer when it comes online and never writes IA32_PEBS_BASE again, and it
 * writes a counter's CFG_C only where that differs from what it wrote last. So both are put back
 * as they were found, always: else perf's next record goes where memlat's went, or never comes.
 *
 * Neither sees the other's reservation (perfmon version 6), so perf may begin while memlat
 * samples. It sets up PEBS_INDEX then, which no longer is what memlat wrote; its records go to
 * memlat's buffer until memlat notices, and are lost to it.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/topology.h>

#include "arch.h"
#include "guard.h"
#include "hw.h"
#include "memory.h"

#define BUFFER_ORDER	get_order(PEBS_BUFFER_SIZE)

/**
 * memlat_arch_map - give a CPU its record buffer
 * @c: the CPU's state
 * @cpu: its number
 *
 * May sleep. A buffer that is there already is kept.
 *
 * Return: 0 or -ENOMEM.
 */
int memlat_arch_map(struct memlat_cpu *c, int cpu)
{
	struct page *pages;

	if (c->pages)
		return 0;
	pages = alloc_pages_node(cpu_to_node(cpu), MEMLAT_GFP | __GFP_ZERO, BUFFER_ORDER);
	if (!pages)
		return -ENOMEM;
	c->pages = pages;
	c->records = page_address(pages);
	c->base = page_to_phys(pages);
	c->max = c->base + PEBS_BUFFER_SIZE;
	return 0;
}

/* IA32_PEBS_BASE: the address, and the logarithm of how many pages there are. */
static u64 base_of(const struct memlat_cpu *c)
{
	return c->base | BUFFER_ORDER;
}

/* Can it make records? Of one that can't, nobody sets CFG_C. */
static bool can_record(const struct memlat_core *core, unsigned int bit)
{
	return core->arch && (core->caps.recording & BIT_ULL(bit));
}

static u32 cfg_c_of(unsigned int bit)
{
	return bit < 32 ? memlat_arch_cfg_c(bit) : MEMLAT_MSR_FIXED_CFG_C + 4 * (bit - 32);
}

/**
 * memlat_arch_take - let a counter make no records
 * @core: the kind of core; any
 * @bit: its bit in GLOBAL_CTRL, which is 0
 *
 * perf leaves CFG_C behind, for it does nothing while the counter is off.
 *
 * Return: its CFG_C as it was.
 */
u64 memlat_arch_take(const struct memlat_core *core, unsigned int bit)
{
	u64 was = can_record(core, bit) ? native_rdmsrq(cfg_c_of(bit)) : 0;

	if (was)
		native_wrmsrq(cfg_c_of(bit), 0);
	return was;
}

/* Does its overflow raise a PMI by itself? */
static bool interrupts(unsigned int bit)
{
	if (bit < 32)
		return native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + bit) & MEMLAT_EVTSEL_INT;
	return native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL) & BIT_ULL(4 * (bit - 32) + 3);
}

/**
 * memlat_arch_put_back - undo memlat_arch_take()
 * @core: the kind of core
 * @bit: the counter's bit in GLOBAL_CTRL
 * @was: what that returned
 * @mine: what memlat wrote there last
 * @ours: nobody else has taken the counter
 *
 * What someone else has written there is left alone. But who took the counter may have left
 * CFG_C as it was, and so would find memlat's. Whether a 0 is memlat's can't be known then; one
 * whose overflow interrupts is no PEBS counter (perf clears that bit for those), and keeps it.
 */
void memlat_arch_put_back(const struct memlat_core *core, unsigned int bit, u64 was, u64 mine,
			  bool ours)
{
	if (!can_record(core, bit) || was == mine || (!mine && !ours && interrupts(bit)))
		return;
	if (native_rdmsrq(cfg_c_of(bit)) == mine)
		native_wrmsrq(cfg_c_of(bit), was);
}

/* What memlat wrote to the CFG_C of a slot's counter. */
static u64 written(const struct memlat_cpu *c, unsigned int slot)
{
	unsigned int k;

	for (k = 0; k < MEMLAT_KINDS; k++)
		if (c->plan->event[k].on && c->plan->event[k].slot == slot)
			return MEMLAT_CFG_C |
			       (memlat_reload(c, memlat_period(c, k)) & MEMLAT_CFG_C_RELOAD);
	return 0;
}

/**
 * memlat_arch_is_foreign - did someone else write what memlat samples with?
 * @c: this CPU's state, armed; no period is changed meanwhile
 *
 * But for PEBS_INDEX, which is looked at more often.
 */
bool memlat_arch_is_foreign(struct memlat_cpu *c)
{
	unsigned int i;

	if (memlat_guard_differs(c, MEMLAT_MSR_PEBS_BASE, ~0ULL, base_of(c)))
		return true;
	for (i = 0; i < c->plan->slots; i++) {
		const u8 counter = c->plan->slot[i].counter;

		if (can_record(c->core, counter) &&
		    memlat_guard_differs(c, cfg_c_of(counter), ~0ULL, written(c, i)))
			return true;
	}
	return false;
}

/**
 * memlat_arch_save - CFG_C of the counters that memlat uses; none makes records from then on
 * @c: this CPU's state; GLOBAL_CTRL is 0
 */
void memlat_arch_save(struct memlat_cpu *c)
{
	unsigned int i;

	for (i = 0; i < c->plan->slots; i++)
		c->saved.cfg_c[i] = memlat_arch_take(c->core, c->plan->slot[i].counter);
	for (i = 0; i < MEMLAT_FIXED_USED; i++)
		c->saved.cfg_c_fixed[i] = memlat_arch_take(c->core, 32 + i);
}

/**
 * memlat_arch_save_buffer - where records went before
 * @c: this CPU's state
 */
void memlat_arch_save_buffer(struct memlat_cpu *c)
{
	c->saved.pebs_base = native_rdmsrq(MEMLAT_MSR_PEBS_BASE);
	c->saved.pebs_index = native_rdmsrq(MEMLAT_MSR_PEBS_INDEX);
}

/**
 * memlat_arch_setup - records go to memlat's buffer, which is empty
 * @c: this CPU's state; GLOBAL_CTRL is 0
 * @limit: bytes that ask for a PMI
 */
void memlat_arch_setup(struct memlat_cpu *c, u64 limit)
{
	c->index = memlat_arch_index(limit);
	native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, 0);
	native_wrmsrq(MEMLAT_MSR_PEBS_BASE, base_of(c));
	native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, c->index);
}

/**
 * memlat_arch_limit - another threshold
 * @c: this CPU's state; counters paused, buffer empty
 * @limit: bytes that ask for a PMI
 */
void memlat_arch_limit(struct memlat_cpu *c, u64 limit)
{
	const bool ours = memlat_arch_is_ours(c);

	c->index = memlat_arch_index(limit);
	if (ours)
		native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, c->index);
}

/*
 * Back to where they went before. @index: PEBS_INDEX as it is to be. Off between, so that
 * nothing is written to one buffer with the other's index.
 */
static void give_back(const struct memlat_cpu *c, u64 index)
{
	if (native_rdmsrq(MEMLAT_MSR_PEBS_BASE) != base_of(c))
		return;
	native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, 0);
	native_wrmsrq(MEMLAT_MSR_PEBS_BASE, c->saved.pebs_base);
	native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, index);
}

/*
 * Someone else set PEBS up, with memlat's buffer under it. What was written since is no record
 * of memlat's, and in theirs there is nothing: their index begins anew.
 */
static void give_to_other(const struct memlat_cpu *c)
{
	give_back(c, native_rdmsrq(MEMLAT_MSR_PEBS_INDEX) & MEMLAT_INDEX_SETUP);
}

/**
 * memlat_arch_disarm - counters make the records that they made before
 * @c: this CPU's state; GLOBAL_CTRL is 0, memlat's event selects are gone
 * @ours: by slot: nobody else has taken its counter
 * @fixed: likewise, of the fixed counters
 *
 * In NMI too. The buffer stays memlat's, for a record may be on its way; but not where someone
 * else is about to use it.
 */
void memlat_arch_disarm(struct memlat_cpu *c, const bool *ours, bool fixed)
{
	unsigned int i;

	for (i = 0; i < c->plan->slots; i++)
		memlat_arch_put_back(c->core, c->plan->slot[i].counter, c->saved.cfg_c[i],
				     written(c, i), ours[i]);
	for (i = 0; i < MEMLAT_FIXED_USED; i++)
		memlat_arch_put_back(c->core, 32 + i, c->saved.cfg_c_fixed[i], 0, fixed);
	if (!memlat_arch_is_ours(c))
		give_to_other(c);
}

/**
 * memlat_arch_settle - no record of memlat's comes any more: give the buffer's place back
 * @c: this CPU's state, disarmed and drained; interrupts off
 */
void memlat_arch_settle(struct memlat_cpu *c)
{
	u64 ctrl;

	if (memlat_arch_is_ours(c)) {
		give_back(c, c->saved.pebs_index);
		return;
	}
	ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	give_to_other(c);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
}
