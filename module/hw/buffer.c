// SPDX-License-Identifier: GPL-2.0
/*
 * The record buffer: how full it may be, and its life.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "buffer.h"

/*
 * Records between the threshold and the end of the buffer: the CPU goes on
 * writing until the PMI is taken (SDM: "leave room").
 */
#define HEADROOM	32

/*
 * Records that ask for a PMI however many more there is room for. One of another cache line
 * than all before takes some 480 instructions, so this is the most that takes less than 50 us
 * of a CPU of 2 GHz. A PMI's own part is some 5000 of up to 95000 instructions. A record costs
 * 4 % more than with a PMI each 320 records.
 */
#define ENOUGH		180

/**
 * memlat_buffer_map - give a CPU its record buffer
 * @c: the CPU's state; its kind is known
 * @cpu: its number
 *
 * May sleep. A buffer that is there already is kept.
 *
 * Return: 0, -ENOMEM, or -EBUSY when its place is in use.
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
		struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);

		if (c->pages)
			__free_pages(c->pages, get_order(PEBS_BUFFER_SIZE));
		c->pages = NULL;
		c->records = NULL;
	}
}

/**
 * memlat_buffer_setup - records go to this CPU's buffer, which is empty
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
