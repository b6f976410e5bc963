// SPDX-License-Identifier: GPL-2.0
/*
 * The record buffer: allocation, and the number of records that raise a PMI.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "buffer.h"

/*
 * Room for records between the threshold and the end of the buffer, because the CPU continues to
 * write until the PMI is taken (SDM: "leave room").
 */
#define HEADROOM	32

/*
 * The most records before a PMI, even if there is room for more. Draining a record of a cache line
 * that no earlier record had takes some 480 instructions. So this is the most that a CPU of 2 GHz
 * drains in less than 50 us. The PMI itself takes some 5000 of up to 95000 instructions, and a
 * record costs 4 % more than with a PMI for each 320 records.
 */
#define ENOUGH		180

/**
 * memlat_buffer_map - allocate and map a CPU's record buffer
 * @c: the CPU's state; its kind of core is known
 * @cpu: its number
 *
 * May sleep. Keeps a buffer that exists already.
 *
 * Return: 0, -ENOMEM, or -EBUSY if its place in the CPU entry area is in use.
 */
int memlat_buffer_map(struct memlat_cpu *c, int cpu)
{
	if (c->core->arch)
		return memlat_arch_map(c, cpu);
	return memlat_ds_map(c, cpu, c->core->caps.layout->size);
}

/**
 * memlat_buffer_unmap_all - free all buffers
 *
 * Every CPU must be disarmed and quiet.
 */
void memlat_buffer_unmap_all(void)
{
	int cpu;

	memlat_ds_unmap_all();
	for_each_possible_cpu(cpu) {
		struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

		if (c->pages)
			__free_pages(c->pages, get_order(PEBS_BUFFER_SIZE));
		c->pages = NULL;
		c->records = NULL;
	}
}

/**
 * memlat_buffer_setup - let records be written to this CPU's buffer, which is empty
 * @c: its state; GLOBAL_CTRL is 0
 * @single: raise a PMI for each record
 */
void memlat_buffer_setup(struct memlat_cpu *c, bool single)
{
	const u64 size = c->core->caps.layout->size;
	const u64 limit = single ? size :
			  min(c->max - c->base - HEADROOM * size, ENOUGH * size);

	if (c->core->arch) {
		memlat_arch_setup(c, limit);
		return;
	}
	memlat_ds_setup(c, limit);
	native_wrmsrq(MSR_IA32_DS_AREA, (unsigned long)c->ds);
}
