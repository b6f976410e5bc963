// SPDX-License-Identifier: GPL-2.0
/*
 * The DS area and the record buffer, in the CPU entry area.
 *
 * PEBS writes through the page tables in use. With page table isolation, these have no kernel
 * memory while user code runs. The CPU entry area is in both page tables: its upper-level entry in
 * the user table is a copy of the kernel's, so a page that is mapped there is in both at once. In
 * this area the kernel has a page for the DS area, which is always mapped, and page tables for a
 * buffer of PEBS_BUFFER_SIZE. They are empty until perf takes the PMU. Where perf holds the PMU for
 * memlat (pmu_own.c), it has mapped a buffer there, and memlat uses that one in place. Elsewhere
 * memlat maps its own, if perf has none.
 *
 * CPUs without isolation have the same area, so all CPUs are treated alike.
 */
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <asm/cpu_entry_area.h>
#include <asm/cpufeature.h>
#include <asm/invpcid.h>
#include <asm/pgtable.h>

#include "buffer.h"
#include "hw.h"

#define BUFFER_ORDER	get_order(PEBS_BUFFER_SIZE)

static unsigned long buffer_of(int cpu)
{
	return (unsigned long)get_cpu_entry_area(cpu)->cpu_debug_buffers.pebs_buffer;
}

static pte_t *buffer_pte(int cpu, unsigned int page)
{
	unsigned int level;
	pte_t *pte = lookup_address(buffer_of(cpu) + page * PAGE_SIZE, &level);

	return pte && level == PG_LEVEL_4K ? pte : NULL;
}

/* The kernel fills absent entries with PAGE_NONE, so look only at the present bit. */
static bool memlat_ds_buffer_is_free(int cpu)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_BUFFER_PAGES; i++) {
		pte_t *pte = buffer_pte(cpu, i);

		if (!pte || (pte_val(*pte) & _PAGE_PRESENT))
			return false;
	}
	return true;
}

/* Use the buffer that perf has mapped, as long as perf holds the PMU. */
static int use_perfs(struct memlat_cpu *c, int cpu, unsigned int record_size)
{
	struct debug_store *ds = &get_cpu_entry_area(cpu)->cpu_debug_store;
	const unsigned long buffer = buffer_of(cpu);

	/* If perf had no memory for it, its events continue without PEBS. */
	if (memlat_ds_buffer_is_free(cpu) || ds->pebs_buffer_base != buffer)
		return -ENOMEM;
	c->records = (u8 *)buffer;
	c->ds = ds;
	c->base = buffer;
	c->max = c->base + PEBS_BUFFER_SIZE / record_size * record_size;
	return 0;
}

/**
 * memlat_ds_map - allocate a CPU's record buffer, and map it in its entry area
 * @c: the CPU's state
 * @cpu: its number
 * @record_size: bytes of a record
 *
 * May sleep. Keeps a buffer that exists already. The CPU writes at addresses in the entry area;
 * memlat reads its own buffer in the direct map.
 *
 * Return: 0, -ENOMEM, or -EBUSY if the place in the entry area is in use.
 */
int memlat_ds_map(struct memlat_cpu *c, int cpu, unsigned int record_size)
{
	struct page *pages = c->pages;
	unsigned int i;

	if (c->hold)
		return use_perfs(c, cpu, record_size);
	if (pages && memlat_ds_is_ours(c))
		return 0;
	if (!memlat_ds_buffer_is_free(cpu))
		return -EBUSY;
	if (!pages)
		pages = alloc_pages_node(cpu_to_node(cpu), MEMLAT_GFP | __GFP_ZERO, BUFFER_ORDER);
	if (!pages)
		return -ENOMEM;

	for (i = 0; i < MEMLAT_BUFFER_PAGES; i++) {
		pte_t *pte = buffer_pte(cpu, i);
		pte_t new = pfn_pte(page_to_pfn(pages) + i, PAGE_KERNEL);

		/*
		 * Global, so that invlpg also flushes it from the user table's PCID when it is
		 * unmapped (perf's ds_update_cea() does the same). PAGE_KERNEL is accessed and
		 * dirty, as the SDM requires.
		 */
		if (boot_cpu_has(X86_FEATURE_PGE))
			new = pte_set_flags(new, _PAGE_GLOBAL);
		c->old_pte[i] = *pte;
		set_pte(pte, new);
	}
	c->pages = pages;
	c->pte = buffer_pte(cpu, 0);
	c->records = page_address(pages);
	c->ds = &get_cpu_entry_area(cpu)->cpu_debug_store;
	c->base = buffer_of(cpu);
	c->max = c->base + PEBS_BUFFER_SIZE / record_size * record_size;
	return 0;
}

/* Is memlat's buffer still mapped at this page of the entry area? */
static bool page_is_ours(const struct memlat_cpu *c, pte_t *pte, unsigned int page)
{
	pte_t v = READ_ONCE(*pte);

	return (pte_val(v) & _PAGE_PRESENT) && pte_pfn(v) == page_to_pfn(c->pages) + page;
}

/**
 * memlat_ds_is_ours - check that no other buffer was mapped in place of memlat's
 * @c: the CPU's state, mapped
 *
 * No other driver can map one while perf holds the PMU.
 */
bool memlat_ds_is_ours(const struct memlat_cpu *c)
{
	return !c->pte || page_is_ours(c, c->pte, 0);
}

/**
 * memlat_ds_is_taken - check whether another driver's buffer is in a CPU's entry area
 *
 * perf's buffers are there, on all CPUs, while it has a hardware event, but never with
 * architectural PEBS. May sleep.
 */
bool memlat_ds_is_taken(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (!per_cpu_ptr(memlat_cpu, cpu)->pages && !memlat_ds_buffer_is_free(cpu))
			return true;
	return false;
}

/* Flush all address spaces and global pages, like the kernel's __flush_tlb_global(). */
static void memlat_ds_flush_all(void *unused)
{
	invpcid_flush_all();
}

static void memlat_ds_flush_buffer(void *buffer)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_BUFFER_PAGES; i++)
		asm volatile("invlpg (%0)" : : "r" (buffer + i * PAGE_SIZE) : "memory");
}

/**
 * memlat_ds_unmap_all - unmap all buffers from the entry areas
 *
 * Every CPU must be disarmed and quiet. flush_tlb_kernel_range() is not exported, so each CPU
 * flushes the pages itself before they are freed.
 */
void memlat_ds_unmap_all(void)
{
	unsigned int i, buffers = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

		for (i = 0; c->pte && i < MEMLAT_BUFFER_PAGES; i++) {
			pte_t *pte = buffer_pte(cpu, i);

			if (page_is_ours(c, pte, i))
				set_pte(pte, c->old_pte[i]);
		}
		buffers += !!c->pte;
	}
	/*
	 * With more pages than the kernel flushes one by one (33, tlb_single_page_flush_ceiling)
	 * flush the whole TLB, where the CPU has an instruction for it (Haswell and later). If not,
	 * flush one CPU's buffer at a time, so that no CPU is held for long.
	 */
	if (buffers > 2 && boot_cpu_has(X86_FEATURE_INVPCID)) {
		on_each_cpu(memlat_ds_flush_all, NULL, 1);
		buffers = 0;
	}
	for_each_possible_cpu(cpu)
		if (buffers && per_cpu_ptr(memlat_cpu, cpu)->pte)
			on_each_cpu(memlat_ds_flush_buffer, (void *)buffer_of(cpu), 1);
	for_each_possible_cpu(cpu) {
		struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

		c->ds = NULL;
		c->pte = NULL;
	}
}

/**
 * memlat_ds_setup - fill in this CPU's DS area, except the reload values
 * @c: the CPU's state, mapped
 * @limit: bytes of records after which a PMI is raised
 */
void memlat_ds_setup(struct memlat_cpu *c, u64 limit)
{
	struct debug_store *ds = c->ds;

	if (!c->hold) {
		memset(ds, 0, sizeof(*ds));
	} else if (!c->unsettled) {
		c->saved.ds_max = ds->pebs_absolute_maximum;
		c->saved.ds_threshold = ds->pebs_interrupt_threshold;
	}
	ds->pebs_buffer_base = c->base;
	ds->pebs_index = c->base;
	ds->pebs_absolute_maximum = c->max;
	ds->pebs_interrupt_threshold = c->base + limit;
}

/**
 * memlat_ds_clear - leave the DS area to its next owner: empty, or as perf had it
 * @c: the CPU's state, disarmed
 */
void memlat_ds_clear(struct memlat_cpu *c)
{
	if (!c->hold) {
		memset(c->ds, 0, sizeof(*c->ds));
		return;
	}
	c->ds->pebs_index = c->base;
	c->ds->pebs_absolute_maximum = c->saved.ds_max;
	c->ds->pebs_interrupt_threshold = c->saved.ds_threshold;
}
