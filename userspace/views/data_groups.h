/* SPDX-License-Identifier: GPL-2.0 */
/* Which accesses are to one variable, field, heap site or region. */
#ifndef MEMLAT_DATA_GROUPS_H
#define MEMLAT_DATA_GROUPS_H

#include "data_rows.h"

struct data_named {
	const struct memlat_rec_access *access;
	const struct data_name *name;
};

/* Is it told of in this table? */
bool data_belongs(const struct data_named *named, enum data_by by);

/* Number those that are one row: group[i] of each, from 0. How many. */
size_t data_group(const struct data_named *named, size_t nr, enum data_by by, __u32 *group);

#endif
