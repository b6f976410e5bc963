/* SPDX-License-Identifier: GPL-2.0 */
/* Which instructions walk memory in large strides, and the data that they walk. */
#ifndef MEMLAT_VIEW_STRIDE_H
#define MEMLAT_VIEW_STRIDE_H

#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"

struct stride_view {
	const struct profile *profile;	/* with strides, sites, accesses and threads */
	struct namer *namer;
	size_t show;			/* at most so many sites; 0: all */
	size_t width;			/* columns of the terminal */
};

void stride_print(FILE *out, const struct stride_view *view);
void stride_csv(FILE *out, const struct stride_view *view);
struct json_object *stride_json(const struct stride_view *view);

#endif
