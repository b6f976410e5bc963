/* SPDX-License-Identifier: GPL-2.0 */
/* Cache lines, the most fought-over first. */
#ifndef MEMLAT_VIEW_LINES_H
#define MEMLAT_VIEW_LINES_H

#include <stdio.h>

#include "../lib/line.h"
#include "../lib/snapshot.h"
#include "json.h"
#include "quality.h"

struct lines_view {
	const struct snapshot *snap;	/* its lines sorted by order */
	enum line_order order;
	size_t show;			/* at most so many lines; 0: all */
	size_t width;			/* columns of the terminal */
};

/* 0 or -errno */
int lines_print(FILE *out, const struct lines_view *view);
struct json_object *lines_json(const struct lines_view *view);

/* What both of them say of their rows. */
size_t lines_shown(const struct lines_view *view);
struct quality_table lines_quality(const struct lines_view *view);

#endif
