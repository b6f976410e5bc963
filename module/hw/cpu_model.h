/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_CPU_MODEL_H
#define MEMLAT_HW_CPU_MODEL_H

#include <linux/types.h>

#include "../core/record.h"

/**
 * struct memlat_cpu_model - what memlat knows about a CPU model
 * @name: short, for tables and JSON
 * @title: for people
 * @family: CPUID display family
 * @model: CPUID display model
 * @stepping_min: first stepping meant
 * @stepping_max: last stepping meant
 * @pebs_format: what IA32_PERF_CAPABILITIES[11:8] must say
 * @load_event: event select and unit mask of the load-latency event
 * @load_counter: the general counter that memlat uses for it
 * @store_event: the same of the event that samples stores; 0: there is none
 * @store_counter: its counter
 * @period_min: shortest period
 * @pmi_cycles: what a PMI costs beside its handler: delivery, entry, IRET
 * @hook_cycles: what a task switch costs when there is nothing to take out
 * @merge_cycles: what a merge costs beside its cells: two interrupts, a wake-up
 * @record_cycles: what a record costs until that is measured
 * @layout: of a record
 * @sources: data source encoding
 *
 * A CPU is one row; the code below hw/ asks the row, never the model number.
 */
struct memlat_cpu_model {
	const char *name;
	const char *title;
	u8 family;
	u8 model;
	u8 stepping_min;
	u8 stepping_max;
	u8 pebs_format;
	u16 load_event;
	u8 load_counter;
	u16 store_event;
	u8 store_counter;
	u32 period_min;
	u32 pmi_cycles;
	u32 hook_cycles;
	u32 merge_cycles;
	u32 record_cycles;
	const struct memlat_record_layout *layout;
	const struct memlat_source_table *sources;
};

/**
 * struct memlat_cpu_caps - what the CPU says of its PMU
 * @counters: general counters
 * @counter_width: bits of a general counter
 * @fixed_width: bits of a fixed counter
 * @full_width: counters can be written whole, through IA32_A_PMCx
 */
struct memlat_cpu_caps {
	unsigned int counters;
	unsigned int counter_width;
	unsigned int fixed_width;
	bool full_width;
};

const struct memlat_cpu_model *memlat_cpu_identify(struct memlat_cpu_caps *caps);

#endif /* MEMLAT_HW_CPU_MODEL_H */
