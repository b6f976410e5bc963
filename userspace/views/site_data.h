/* SPDX-License-Identifier: GPL-2.0 */
/* What instructions access: the variable, member, object or mapping that most of their samples are in. */
#ifndef MEMLAT_SITE_DATA_H
#define MEMLAT_SITE_DATA_H

#include "../names/namer.h"
#include "../profile/profile.h"
#include "data_rows.h"

/* An instruction, as the tables have it: the kernel's code is in no process. */
struct site_key {
	__u64 ip;
	__u32 space, gen;
};

struct site_data {
	const struct data_name *name;	/* NULL: none of its accesses is in the table */
	__u64 samples;			/* of these */
	__u64 all;			/* of all that the table has of the site */
};

/*
 * One for each key; free() it. by: DATA_BY_VARIABLE takes an array as a whole, DATA_BY_FIELD tells
 * members apart.
 */
struct site_data *site_data_find(const struct profile *profile, struct namer *namer,
				 const struct site_key *keys, size_t nr, enum data_by by);

#endif
