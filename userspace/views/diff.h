/* SPDX-License-Identifier: GPL-2.0 */
/* Two profiles side by side, to see what a fix has changed. */
#ifndef MEMLAT_VIEW_DIFF_H
#define MEMLAT_VIEW_DIFF_H

#include <stdio.h>

#include "../util/json.h"
#include "diff_rows.h"

struct diff_view {
	const struct profile *profiles[DIFF_SIDES];
	const char *paths[DIFF_SIDES];
	struct namer *namers[DIFF_SIDES];
	const struct diff_rows *rows;
	size_t show;		/* 0: all */
	size_t width;
};

/* "variable": a word for --by */
const char *diff_by_name(enum diff_by by);

void diff_print(FILE *out, const struct diff_view *view);
void diff_csv(FILE *out, const struct diff_view *view);
struct json_object *diff_json(const struct diff_view *view);

#endif
