/* SPDX-License-Identifier: GPL-2.0 */
/* Group accesses to the same variable, field, heap site or region. */
#ifndef MEMLAT_DATA_GROUPS_H
#define MEMLAT_DATA_GROUPS_H

#include "data_rows.h"

struct data_named {
	const struct memlat_rec_access *access;
	const struct data_name *name;
};

/* Does the access belong in this table? */
bool data_belongs(const struct data_named *named, enum data_by by);

/* Number the groups: group[i] of each access, from 0. Returns how many groups there are. */
size_t data_group(const struct data_named *named, size_t nr, enum data_by by, __u32 *group);

#endif
