/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_CPU_IDENTIFY_H
#define MEMLAT_HW_CPU_IDENTIFY_H

#include <linux/types.h>

struct memlat_cpu_model;
struct memlat_record_layout;

/**
 * struct memlat_cpu_caps - what a CPU says of its PMU
 * @layout: of its records, by PEBS format
 * @version: of architectural performance monitoring
 * @counters: general counters
 * @counter_width: bits of a general counter
 * @fixed_width: bits of a fixed counter
 * @full_width: counters can be written whole, through IA32_A_PMCx
 * @recording: counters that can do architectural PEBS, by their bits in GLOBAL_CTRL
 */
struct memlat_cpu_caps {
	const struct memlat_record_layout *layout;
	unsigned int version;
	unsigned int counters;
	unsigned int counter_width;
	unsigned int fixed_width;
	bool full_width;
	u64 recording;
};

/*
 * On the CPU itself, interrupts off. Returns NULL when it can't be used: @why, a
 * text that outlives the call, then says why not and what would serve.
 */
const struct memlat_cpu_model *memlat_cpu_identify(struct memlat_cpu_caps *caps,
						   const char **why);

#endif /* MEMLAT_HW_CPU_IDENTIFY_H */
