/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions, those that wait the longest first. */
#ifndef MEMLAT_VIEW_SITES_H
#define MEMLAT_VIEW_SITES_H

#include <stdio.h>

#include "../analysis/site.h"
#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"

struct sites_view {
	const struct profile *profile;	/* its sites sorted by order */
	struct namer *namer;
	enum site_order order;
	size_t show;			/* at most so many sites; 0: all */
	size_t width;			/* columns of the terminal */
};

void sites_print(FILE *out, const struct sites_view *view);
void sites_csv(FILE *out, const struct sites_view *view);
struct json_object *sites_json(const struct sites_view *view);

#endif
