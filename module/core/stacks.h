/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_STACKS_H
#define MEMLAT_CORE_STACKS_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_stacks_kind;

u32 memlat_stacks_add(struct memlat_table *stacks, const struct memlat_shard_stack *chain,
		      const struct memlat_cell *cell, const struct memlat_origin *origin);

#endif /* MEMLAT_CORE_STACKS_H */
