/* SPDX-License-Identifier: GPL-2.0 */
/* How much of what was sampled has a name, by how it is known. */
#ifndef MEMLAT_VIEW_DATA_KNOWN_H
#define MEMLAT_VIEW_DATA_KNOWN_H

#include <stdio.h>

#include "../util/json.h"
#include "data_groups.h"

struct data_known {
	__u64 part[DATA_HOWS];		/* of whole, in latency, or samples where there is none */
	__u64 whole;
	bool samples;
	size_t instructions;		/* that access what has no name */
	const struct code_name *most;	/* the one of them that does it most; NULL: there is none */
};

void data_known_find(struct data_known *known, struct namer *namer,
		     const struct data_names *names);
/* A sentence below the tables. */
void data_known_print(FILE *out, const struct data_known *known, size_t width);
struct json_object *data_known_json(const struct data_known *known);

#endif
