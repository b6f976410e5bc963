/* SPDX-License-Identifier: GPL-2.0 */
/* The options of memlat-ctl top, and the two ways to show it. */
#ifndef MEMLAT_TOP_WATCH_H
#define MEMLAT_TOP_WATCH_H

#include <stdbool.h>

#include "../util/out.h"
#include "live.h"

struct watch_options {
	unsigned int by;	/* enum top_by */
	unsigned int order;	/* enum top_order */
	const char *filter;	/* NULL: none */
	__u64 interval_ns;
	__u64 intervals;	/* end after so many; 0: never */
	size_t show;		/* rows, in batch mode; 0: all */
	bool batch, json;
	bool start;		/* start a session that ends with memlat-ctl */
	bool self;
	const char *debug;
	const char *file;	/* the file name that the key w offers */
};

/* Watch on a terminal until a key ends it. */
enum exit_status watch_screen(struct live *live, const struct watch_options *options);
/* Print interval after interval, as text or as JSON, one document a line. */
enum exit_status watch_batch(struct live *live, const struct watch_options *options);

/* For both ways, once for each interval; clock: the caller's buffer for the time of day. */
#define WATCH_CLOCK	16
void watch_screen_of(struct top_screen *screen, const struct live *live,
		     const struct watch_options *options, char clock[WATCH_CLOCK]);
/* Print why it ended. */
enum exit_status watch_explain(const struct live *live, enum live_state state);

#endif
