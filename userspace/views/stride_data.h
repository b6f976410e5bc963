/* SPDX-License-Identifier: GPL-2.0 */
/* What the sites that are shown walk: the variable, object or mapping that most of their loads are in. */
#ifndef MEMLAT_STRIDE_DATA_H
#define MEMLAT_STRIDE_DATA_H

#include "../analysis/stride.h"
#include "../names/namer.h"
#include "../profile/profile.h"

struct stride_data {
	const struct data_name *name;	/* NULL: none of its accesses is in the table */
	__u64 samples;			/* of these */
	__u64 all;			/* of all that the table has of the site */
};

/* One for each of the first nr sites; free() it. */
struct stride_data *stride_data_find(const struct profile *profile, struct namer *namer,
				     const struct strides *strides, size_t nr);

#endif
