/* SPDX-License-Identifier: GPL-2.0 */
/* What loads wait for, by data: variable, field, heap site, region. */
#ifndef MEMLAT_VIEW_DATA_H
#define MEMLAT_VIEW_DATA_H

#include <stdio.h>

#include "../util/json.h"
#include "data_rows.h"

struct data_view {
	const struct profile *profile;
	struct namer *namer;
	unsigned int by;	/* the tables wanted, as bits by enum data_by */
	size_t show;		/* rows of each table; 0: all */
	bool fold;		/* leave out rows below the floor, see analysis/floor.h */
	size_t width;		/* columns of the terminal */
};

void data_print(FILE *out, const struct data_view *view);
void data_csv(FILE *out, const struct data_view *view);
struct json_object *data_json(const struct data_view *view);

#endif
