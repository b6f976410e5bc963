/* SPDX-License-Identifier: GPL-2.0 */
/* Which CPUs memlat knows, by the module's own table. */
#ifndef MEMLAT_CPU_MODELS_H
#define MEMLAT_CPU_MODELS_H

#include <stdbool.h>

/* As /proc/cpuinfo has it. */
struct cpu_identity {
	bool intel;
	unsigned int family, model, stepping;
	unsigned int microcode;
};

/*
 * The name of a CPU whose loads memlat can sample; NULL when it can't, with *why
 * saying what is in the way and what would serve (static text, until the next call).
 * What a hypervisor or the firmware hides is not asked for here.
 */
const char *cpu_models_find(const struct cpu_identity *cpu, const char **why);

/* The short name of its row ("skx"); NULL: it has none. Of a hybrid part that of a P-core. */
const char *cpu_models_name(const struct cpu_identity *cpu);

/* MEMLAT_UNTRUTH_* of the row with this name and title; and of all rows of a CPU. */
unsigned int cpu_models_untruths(const char *name, const char *title);
unsigned int cpu_models_untruths_of_cpu(const struct cpu_identity *cpu);

/*
 * MEMLAT_TRAIT_XSNP_FWD and _STORE_SOURCE of the row of a CPU that has this event for loads or
 * stores (umask and event, as in its event select); 0 where there is none.
 */
unsigned int cpu_models_traits(const struct cpu_identity *cpu, unsigned int event);

#endif
