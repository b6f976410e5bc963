/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_ACCESSES_H
#define MEMLAT_CORE_ACCESSES_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_accesses_kind;

/* For those who know early what they will ask for: in this order. Without call chains. */
void memlat_accesses_ask(const struct memlat_table *accesses, const struct memlat_cell *cell,
			 struct memlat_table_ask *ask);
void memlat_accesses_ask_record(const struct memlat_table_ask *ask);

void memlat_accesses_add(struct memlat_table *accesses, const struct memlat_cell *cell,
			 const struct memlat_origin *origin, const struct memlat_table_ask *ask);

#endif /* MEMLAT_CORE_ACCESSES_H */
