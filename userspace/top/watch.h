/* SPDX-License-Identifier: GPL-2.0 */
/* What memlat-ctl top was asked for, and the two ways to show it. */
#ifndef MEMLAT_TOP_WATCH_H
#define MEMLAT_TOP_WATCH_H

#include <stdbool.h>

#include "../util/out.h"
#include "live.h"

struct watch_options {
	enum top_by by;
	enum top_order order;
	const char *filter;	/* NULL: none */
	__u64 interval_ns;
	__u64 intervals;	/* so many, then it ends; 0: until somebody ends it */
	size_t show;		/* rows, without a screen; 0: all */
	bool batch, json;
	bool start;		/* a session that ends with this */
	bool self;
	const char *debug;
	const char *file;	/* that w offers */
};

/* On a terminal, until a key ends it. */
enum exit_status watch_screen(struct live *live, const struct watch_options *options);
/* One after the other, as text or as JSON, a document a line. */
enum exit_status watch_batch(struct live *live, const struct watch_options *options);

/* What both show; clock: of the caller, for the time of day. */
#define WATCH_CLOCK	16
void watch_screen_of(struct top_screen *screen, const struct live *live,
		     const struct watch_options *options, char clock[WATCH_CLOCK]);
/* One more interval into the last minute. */
void watch_past(struct top_screen *screen, const struct live *live);
/* It ended: say why. */
enum exit_status watch_explain(const struct live *live, enum live_state state);

#endif
