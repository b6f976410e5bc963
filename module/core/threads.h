/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_THREADS_H
#define MEMLAT_CORE_THREADS_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_threads_kind;

void memlat_threads_add(struct memlat_table *threads, const struct memlat_cell *cell,
			const struct memlat_origin *origin);

#endif /* MEMLAT_CORE_THREADS_H */
