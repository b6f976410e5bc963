/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_SITES_H
#define MEMLAT_CORE_SITES_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_sites_kind;

void memlat_sites_add(struct memlat_table *sites, const struct memlat_cell *cell,
		      const struct memlat_origin *origin);

#endif /* MEMLAT_CORE_SITES_H */
