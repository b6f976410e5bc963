/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that a perf.data tells of. */
#ifndef MEMLAT_PERF_MACHINE_H
#define MEMLAT_PERF_MACHINE_H

#include "../host/cpu_models.h"
#include "../profile/machine.h"
#include "perf_file.h"

/* Its CPU, as far as it says. */
struct cpu_identity perf_machine_cpu(const struct perf_file *file);

/* What it does not tell stays not known. */
void perf_machine_read(struct machine *machine, const struct perf_file *file);

#endif
