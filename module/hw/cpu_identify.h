/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_CPU_IDENTIFY_H
#define MEMLAT_HW_CPU_IDENTIFY_H

#include <linux/types.h>

struct memlat_cpu_model;
struct memlat_record_layout;

/**
 * struct memlat_cpu_caps - capabilities that a CPU reports of its PMU
 * @layout: layout of its records, by PEBS format
 * @version: version of architectural performance monitoring
 * @counters: number of general counters
 * @counter_width: bits of a general counter
 * @fixed_width: bits of a fixed counter
 * @full_width: counters can be written at full width, through IA32_A_PMCx
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
 * Runs on the CPU itself with interrupts off. Returns NULL if memlat cannot use the CPU. @why then
 * says why not and what would help; it stays valid after the call.
 */
const struct memlat_cpu_model *memlat_cpu_identify(struct memlat_cpu_caps *caps,
						   const char **why);

#endif /* MEMLAT_HW_CPU_IDENTIFY_H */
