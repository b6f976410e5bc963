/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_ACCESSES_H
#define MEMLAT_CORE_ACCESSES_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_accesses_kind;

/*
 * Prefetch the record of an access that will be added to: call these in this order, with
 * memlat_table_ask_way() between them. Not for accesses with call chains.
 */
void memlat_accesses_ask(const struct memlat_table *accesses, const struct memlat_cell *cell,
			 struct memlat_table_ask *ask);
void memlat_accesses_ask_record(const struct memlat_table_ask *ask);

void memlat_accesses_add(struct memlat_table *accesses, const struct memlat_cell *cell,
			 const struct memlat_origin *origin, const struct memlat_table_ask *ask);

#endif /* MEMLAT_CORE_ACCESSES_H */
