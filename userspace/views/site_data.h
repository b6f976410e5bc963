/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of instructions: the variable, member, object or mapping that most of their samples
 * access.
 */
#ifndef MEMLAT_SITE_DATA_H
#define MEMLAT_SITE_DATA_H

#include "../names/namer.h"
#include "../profile/profile.h"
#include "data.h"

/* An instruction in the form of the tables: kernel code belongs to no process. */
struct site_key {
	__u64 ip;
	__u32 space, gen;
};

struct site_data {
	const struct data_name *name;	/* NULL: the table has none of its accesses */
	__u64 samples;			/* samples of this data */
	__u64 all;			/* all samples of the site in the table of accesses */
};

/*
 * Returns an array for nr rows; free() it. key_of: the instruction of a row. DATA_BY_VARIABLE takes
 * an array as a whole, DATA_BY_FIELD separates members.
 */
struct site_data *site_data_find(const struct profile *profile, struct namer *namer,
				 struct site_key (*key_of)(const void *context, size_t row),
				 const void *context, size_t nr, enum data_by by);

#endif
