/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_ACCESSES_H
#define MEMLAT_CORE_ACCESSES_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_accesses_kind;

void memlat_accesses_add(struct memlat_table *accesses, const struct memlat_cell *cell,
			 const struct memlat_origin *origin);

#endif /* MEMLAT_CORE_ACCESSES_H */
