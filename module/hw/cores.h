/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kinds of cores of this machine. memlat_cores_init() finds them; then they are constant.
 */
#ifndef MEMLAT_HW_CORES_H
#define MEMLAT_HW_CORES_H

#include <linux/types.h>

struct memlat_core;
struct memlat_source_table;

/* No part has more than three. */
#define MEMLAT_CORES_MAX	8

/**
 * struct memlat_core_info - one kind of core of this machine
 * @name: as in struct memlat_cpu_model
 * @title: as in struct memlat_cpu_model
 * @family: CPUID display family
 * @model: CPUID display model
 * @stepping: CPUID stepping
 * @format: PEBS format
 * @record_size: bytes of a record
 * @traits: MEMLAT_TRAIT_*
 * @sources: data source encoding
 */
struct memlat_core_info {
	const char *name;
	const char *title;
	u8 family;
	u8 model;
	u8 stepping;
	u8 format;
	u16 record_size;
	u32 traits;
	const struct memlat_source_table *sources;
};

int memlat_cores_init(void);
void memlat_cores_exit(void);
unsigned int memlat_cores_nr(void);
const struct memlat_core_info *memlat_cores_info(unsigned int i);
const char *memlat_cores_model(void);
unsigned int memlat_cores_raws(unsigned int i);
unsigned int memlat_cores_of(int cpu);
bool memlat_cores_cpu_is(int cpu, unsigned int i);
bool memlat_cores_cpu_online(void);
u32 memlat_cores_traits(void);

bool memlat_cores_have_stores(void);
bool memlat_cores_have_strides(void);
u64 memlat_core_period_floor(const struct memlat_core *core, unsigned int kind);
u64 memlat_cores_period_floor(unsigned int kind);
u64 memlat_cores_period_max(void);

#endif /* MEMLAT_HW_CORES_H */
