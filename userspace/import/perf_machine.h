/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that is described in a perf.data. */
#ifndef MEMLAT_PERF_MACHINE_H
#define MEMLAT_PERF_MACHINE_H

#include "../host/cpu_models.h"
#include "../profile/machine.h"
#include "perf_file.h"

/* The CPU's identity, as far as the file has it. */
struct cpu_identity perf_machine_cpu(const struct perf_file *file);
/* Can these cores tell that a line was modified in another core? */
bool perf_machine_has_hitm(const struct perf_file *file);

/*
 * Fill in what the module would report about its CPU. If memlat does not know it, it has the other
 * name and title.
 */
void perf_machine_model(struct memlat_query *query, const struct cpu_identity *cpu,
			const char *other_name, const char *other_title);
/* What the file does not have stays unknown. */
void perf_machine_read(struct machine *machine, const struct perf_file *file);

#endif
