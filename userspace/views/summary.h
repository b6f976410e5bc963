/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The answer on one screen: is memory the problem, from which sources, where, and what to do next.
 */
#ifndef MEMLAT_VIEW_SUMMARY_H
#define MEMLAT_VIEW_SUMMARY_H

#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"

#define SUMMARY_LINES	25	/* most lines of text, if there are 72 columns or more */

struct summary_view {
	const struct profile *profile;
	struct namer *namer;
	size_t width;		/* columns of the terminal */
};

void summary_print(FILE *out, const struct summary_view *view);
void summary_csv(FILE *out, const struct summary_view *view);
struct json_object *summary_json(const struct summary_view *view);

#endif
