/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_STRIDES_H
#define MEMLAT_CORE_STRIDES_H

#include "steps.h"
#include "table.h"

extern const struct memlat_table_kind memlat_strides_kind;

void memlat_strides_add(struct memlat_table *strides, const struct memlat_step *step);

#endif /* MEMLAT_CORE_STRIDES_H */
