/* SPDX-License-Identifier: GPL-2.0 */
/* How much of the sampled data has a name, and how the names are known. */
#ifndef MEMLAT_VIEW_DATA_KNOWN_H
#define MEMLAT_VIEW_DATA_KNOWN_H

#include <stdio.h>

#include "../util/json.h"
#include "data_rows.h"

struct data_known {
	/* share of whole, in latency, or in samples if there is no latency */
	__u64 part[DATA_HOWS];
	__u64 whole;
	bool samples;
	size_t instructions;		/* number of instructions that access data without a name */
	const struct code_name *most;	/* the instruction that does it most; NULL: none */
};

void data_known_find(struct data_known *known, struct namer *namer,
		     const struct data_names *names);
/* Print a sentence below the tables. */
void data_known_print(FILE *out, const struct data_known *known, size_t width);
struct json_object *data_known_json(const struct data_known *known);

#endif
