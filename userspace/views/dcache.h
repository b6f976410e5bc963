/* SPDX-License-Identifier: GPL-2.0 */
/* Cache misses of loads by load module, function, source line and instruction. */
#ifndef MEMLAT_VIEW_DCACHE_H
#define MEMLAT_VIEW_DCACHE_H

#include <stdbool.h>
#include <stdio.h>

#include "../util/json.h"
#include "dcache_rows.h"

struct dcache_view {
	const struct profile *profile;
	struct namer *namer;
	unsigned int by;	/* bits by enum dcache_by: the tables wanted */
	bool buckets;		/* latency buckets too */
	size_t show;		/* rows of each table; 0: all */
	bool fold;		/* no rows below the floor, see analysis/floor.h */
	size_t width;		/* columns of the terminal */
};

void dcache_print(FILE *out, const struct dcache_view *view);
void dcache_csv(FILE *out, const struct dcache_view *view);
struct json_object *dcache_json(const struct dcache_view *view);

#endif
