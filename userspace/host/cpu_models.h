/* SPDX-License-Identifier: GPL-2.0 */
/* Which CPUs memlat knows, by the module's own table. */
#ifndef MEMLAT_CPU_MODELS_H
#define MEMLAT_CPU_MODELS_H

#include <stdbool.h>

/* As in /proc/cpuinfo. */
struct cpu_identity {
	bool intel, amd;
	unsigned int family, model, stepping;
	unsigned int microcode;
};

/*
 * The name of a CPU whose loads memlat can sample. NULL if it cannot; *why says why, and what would
 * help (static text, until the next call). What a hypervisor or the firmware hides is not checked
 * here.
 */
const char *cpu_models_find(const struct cpu_identity *cpu, const char **why);

/* The short name of the CPU's row ("skx"); NULL: none. For a hybrid part, a P-core's. */
const char *cpu_models_name(const struct cpu_identity *cpu);

/*
 * MEMLAT_ERRATUM_* of the row with this name and title. The second function: of all rows of a CPU.
 */
unsigned int cpu_models_errata(const char *name, const char *title);
unsigned int cpu_models_errata_of_cpu(const struct cpu_identity *cpu);

/*
 * MEMLAT_TRAIT_XSNP_FWD and _STORE_SOURCE of the CPU's row that has this event for loads or stores
 * (umask and event, as in its event select); 0 if there is none.
 */
unsigned int cpu_models_traits(const struct cpu_identity *cpu, unsigned int event);

/* The shortest periods that the CPU's rows allow: of loads, or of stores. */
unsigned int cpu_models_period(const struct cpu_identity *cpu, bool stores);

/* How that row's cores count an event (enum memlat_event_id): as in its event select; 0: not. */
unsigned int cpu_models_count(const struct cpu_identity *cpu, unsigned int loads, unsigned int id);

#endif
