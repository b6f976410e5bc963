// SPDX-License-Identifier: GPL-2.0
/*
 * Architectural PEBS, next to perf.
 *
 * The buffer has a physical address, so records are written whatever page tables are in use: no CPU
 * entry area, and nothing to do for page table isolation. The order of writes is that of Linux
 * (intel_pmu_enable_event_ext(), intel_pmu_drain_arch_pebs()).
 *
 * perf gives each CPU a buffer when it goes online, and never writes IA32_PEBS_BASE again. It
 * writes a counter's CFG_C only if the value differs from the one that it wrote last. So memlat
 * always puts both back as it found them: otherwise perf's records would be written to memlat's
 * buffer, or none would be written.
 *
 * Neither sees the other's reservation (perfmon version 6), so perf may start an event while memlat
 * samples. perf then writes PEBS_INDEX, which memlat notices later. Until then perf's records are
 * written to memlat's buffer, and perf loses them.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/topology.h>

#include "buffer.h"
#include "hw.h"

#define BUFFER_ORDER	get_order(PEBS_BUFFER_SIZE)

/**
 * memlat_arch_map - allocate a CPU's record buffer
 * @c: the CPU's state
 * @cpu: its number
 *
 * May sleep. Keeps a buffer that exists already.
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

/* IA32_PEBS_BASE: the address, and the logarithm of the number of pages. */
static u64 base_of(const struct memlat_cpu *c)
{
	return c->base | BUFFER_ORDER;
}

/* Can the counter make records? Only such counters have a CFG_C. */
static bool can_record(const struct memlat_core *core, unsigned int bit)
{
	return core->arch && (core->caps.recording & BIT_ULL(bit));
}

static u32 cfg_c_of(unsigned int bit)
{
	return bit < 32 ? memlat_arch_cfg_c(bit) : MEMLAT_MSR_FIXED_CFG_C + 4 * (bit - 32);
}

/**
 * memlat_arch_take - keep a counter from making records
 * @core: the kind of core, with architectural PEBS or not
 * @bit: the counter's bit in GLOBAL_CTRL, which is 0
 *
 * perf does not clear CFG_C, because it has no effect while the counter is off.
 *
 * Return: the counter's CFG_C before.
 */
u64 memlat_arch_take(const struct memlat_core *core, unsigned int bit)
{
	u64 was = can_record(core, bit) ? native_rdmsrq(cfg_c_of(bit)) : 0;

	if (was)
		native_wrmsrq(cfg_c_of(bit), 0);
	return was;
}

/* Does the counter's overflow raise a PMI by itself? */
static bool interrupts(unsigned int bit)
{
	if (bit < 32)
		return native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + bit) & MEMLAT_EVTSEL_INT;
	return native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL) & BIT_ULL(4 * (bit - 32) + 3);
}

/**
 * memlat_arch_restore - undo memlat_arch_take()
 * @core: the kind of core
 * @bit: the counter's bit in GLOBAL_CTRL
 * @was: what memlat_arch_take() returned
 * @mine: the value that memlat wrote last
 * @ours: the counter has no other owner
 *
 * A value that someone else wrote is left alone. But the new owner of the counter may have left
 * CFG_C as memlat wrote it, and then it is put back. If the value is 0, its writer is not known: if
 * the counter's overflow raises a PMI, it is not a PEBS counter (perf clears that bit for these),
 * and keeps the 0.
 */
void memlat_arch_restore(const struct memlat_core *core, unsigned int bit, u64 was, u64 mine,
			 bool ours)
{
	if (!can_record(core, bit) || was == mine || (!mine && !ours && interrupts(bit)))
		return;
	if (native_rdmsrq(cfg_c_of(bit)) == mine)
		native_wrmsrq(cfg_c_of(bit), was);
}

/* The value that memlat wrote to the CFG_C of a slot's counter. */
static u64 memlat_arch_written(const struct memlat_cpu *c, unsigned int slot)
{
	unsigned int k;

	for (k = 0; k < MEMLAT_KINDS; k++)
		if (c->plan->event[k].on && c->plan->event[k].slot == slot)
			return MEMLAT_CFG_C |
			       (memlat_reload(c, memlat_period(c, k)) & MEMLAT_CFG_C_RELOAD);
	return 0;
}

/**
 * memlat_arch_is_foreign - check whether someone else wrote memlat's registers
 * @c: this CPU's state, armed
 *
 * Does not check PEBS_INDEX, which is checked more often.
 */
bool memlat_arch_is_foreign(struct memlat_cpu *c)
{
	unsigned int i;

	if (memlat_guard_differs(c, MEMLAT_MSR_PEBS_BASE, ~0ULL, base_of(c)))
		return true;
	for (i = 0; i < c->plan->slots; i++) {
		const u8 counter = c->plan->slot[i].counter;

		if (can_record(c->core, counter) &&
		    memlat_guard_differs(c, cfg_c_of(counter), ~0ULL, memlat_arch_written(c, i)))
			return true;
	}
	return false;
}

/**
 * memlat_arch_save - save and clear CFG_C of the counters that memlat uses
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
 * memlat_arch_save_buffer - save where records were written before
 * @c: this CPU's state
 */
void memlat_arch_save_buffer(struct memlat_cpu *c)
{
	c->saved.pebs_base = native_rdmsrq(MEMLAT_MSR_PEBS_BASE);
	c->saved.pebs_index = native_rdmsrq(MEMLAT_MSR_PEBS_INDEX);
}

/**
 * memlat_arch_setup - let records be written to memlat's buffer, which is empty
 * @c: this CPU's state; GLOBAL_CTRL is 0
 * @limit: bytes of records after which a PMI is raised
 */
void memlat_arch_setup(struct memlat_cpu *c, u64 limit)
{
	c->index = memlat_arch_index(limit);
	native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, 0);
	native_wrmsrq(MEMLAT_MSR_PEBS_BASE, base_of(c));
	native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, c->index);
}

/**
 * memlat_arch_limit - change the threshold
 * @c: this CPU's state; counters paused, buffer empty
 * @limit: bytes of records after which a PMI is raised
 */
void memlat_arch_limit(struct memlat_cpu *c, u64 limit)
{
	const bool ours = memlat_arch_is_ours(c);

	c->index = memlat_arch_index(limit);
	if (ours)
		native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, c->index);
}

/*
 * Let records be written to the buffer of before, with PEBS_INDEX = @index. PEBS is off in between,
 * so that nothing is written to one buffer with the other one's index.
 */
static void memlat_arch_put_slots(const struct memlat_cpu *c, u64 index)
{
	if (native_rdmsrq(MEMLAT_MSR_PEBS_BASE) != base_of(c))
		return;
	native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, 0);
	native_wrmsrq(MEMLAT_MSR_PEBS_BASE, c->saved.pebs_base);
	native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, index);
}

/*
 * Someone else has set PEBS up, but records are written to memlat's buffer. Those records are not
 * memlat's, and the other's buffer has none, so its index begins at 0.
 */
static void memlat_arch_put_other(const struct memlat_cpu *c)
{
	memlat_arch_put_slots(c, native_rdmsrq(MEMLAT_MSR_PEBS_INDEX) & MEMLAT_INDEX_SETUP);
}

/**
 * memlat_arch_disarm - put CFG_C of all counters back
 * @c: this CPU's state; GLOBAL_CTRL is 0, and memlat's event selects are removed
 * @ours: by slot: its counter has no other owner
 * @fixed: the fixed counters have no other owner
 *
 * Also called in NMI. Records are still written to memlat's buffer, because one may be on its way,
 * unless someone else is about to use PEBS.
 */
void memlat_arch_disarm(struct memlat_cpu *c, const bool *ours, bool fixed)
{
	unsigned int i;

	for (i = 0; i < c->plan->slots; i++)
		memlat_arch_restore(c->core, c->plan->slot[i].counter, c->saved.cfg_c[i],
				    memlat_arch_written(c, i), ours[i]);
	for (i = 0; i < MEMLAT_FIXED_USED; i++)
		memlat_arch_restore(c->core, 32 + i, c->saved.cfg_c_fixed[i], 0, fixed);
	if (!memlat_arch_is_ours(c))
		memlat_arch_put_other(c);
}

/**
 * memlat_arch_settle - no record of memlat's can be written any more: put the buffer back
 * @c: this CPU's state, disarmed and drained; interrupts off
 */
void memlat_arch_settle(struct memlat_cpu *c)
{
	u64 ctrl;

	if (memlat_arch_is_ours(c)) {
		memlat_arch_put_slots(c, c->saved.pebs_index);
		return;
	}
	ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	memlat_arch_put_other(c);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
}
