/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of cpu_model.c, for cpu_identify.c and for memlat-ctl (userspace/host/cpu_models.c).
 */
#ifndef MEMLAT_HW_CPU_TABLE_H
#define MEMLAT_HW_CPU_TABLE_H

#include "../core/source.h"
#include "cpu_model.h"

/**
 * struct memlat_cpu_without - CPUs that cannot sample the latency of loads
 * @title: their name
 * @models: CPUID display models of family 6, ending with 0
 */
struct memlat_cpu_without {
	const char *title;
	u8 models[MEMLAT_MODELS_MAX];
};

/**
 * struct memlat_cpu_not_yet - CPUs that can sample loads, but that memlat does not support yet
 * @title: their name
 * @missing: what memlat lacks
 * @family: CPUID display family
 * @models: CPUID display models, ending with 0
 */
struct memlat_cpu_not_yet {
	const char *title;
	const char *missing;
	u8 family;
	u8 models[MEMLAT_MODELS_MAX];
};

extern const struct memlat_cpu_model memlat_cpu_models[];
extern const unsigned int memlat_cpu_models_nr;
extern const struct memlat_cpu_without memlat_cpu_without[];
extern const unsigned int memlat_cpu_without_nr;
extern const struct memlat_cpu_not_yet memlat_cpu_not_yet[];
extern const unsigned int memlat_cpu_not_yet_nr;

#endif /* MEMLAT_HW_CPU_TABLE_H */
