/* SPDX-License-Identifier: GPL-2.0 */
/* Cache lines, those that are fought over most first. */
#ifndef MEMLAT_VIEW_LINES_H
#define MEMLAT_VIEW_LINES_H

#include <stdio.h>

#include "../analysis/line.h"
#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"

struct lines_view {
	const struct profile *profile;	/* its lines sorted by order */
	struct namer *namer;
	enum line_order order;
	size_t show;			/* at most so many lines; 0: all */
	size_t width;			/* columns of the terminal */
};

void lines_print(FILE *out, const struct lines_view *view);
void lines_csv(FILE *out, const struct lines_view *view);
struct json_object *lines_json(const struct lines_view *view);

#endif
