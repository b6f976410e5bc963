// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "live.h"

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../record/take.h"
#include "../util/json.h"

void watch_screen_of(struct top_screen *screen, const struct live *live,
		     const struct watch_options *options, char clock[WATCH_CLOCK])
{
	const __u64 minute = 60000000000ULL;
	time_t now = time(NULL);
	struct tm local;

	strftime(clock, WATCH_CLOCK, "%H:%M:%S", localtime_r(&now, &local));
	screen->clock = clock;
	screen->model = live->query.model_title;
	screen->interval_ns = live->longer_ms * 1000000ULL;
	screen->asked_ns = options->interval_ns;
	screen->own_cpu = live->own_cpu;
	screen->own = live->profile.own;
	screen->self = options->self;
	screen->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!live->whole)
		top_past_add(&screen->past, &live->interval, live->interval_ns,
			     (size_t)(minute / screen->interval_ns) + 1);
}

enum exit_status watch_explain(const struct live *live, enum live_state state)
{
	if (state == LIVE_NONE)
		out_complain("no session runs, so there is nothing to watch\n"
			     "  memlat-ctl start           samples the whole machine until 'memlat-ctl stop'\n"
			     "  memlat-ctl top --start     samples it while it is watched");
	else if (state == LIVE_ENDED)
		take_explain_end(live->device, live->started_ns);
	return FAILED;
}

/* Wait until the interval or the session has ended. */
static void wait_for_it(const struct live *live)
{
	struct pollfd fd = { .fd = live->device, .events = POLLIN | POLLPRI };

	while (poll(&fd, 1, -1) < 0 && errno == EINTR)
		continue;
}

static void print_interval(struct top_screen *screen, const struct live *live,
			   const struct watch_options *options)
{
	struct json_object *document;

	if (!options->json) {
		top_print(stdout, screen, &live->interval, options->show);
		putchar('\n');
	} else {
		document = top_json(screen, &live->interval, options->show);
		puts(json_text(document, JSON_C_TO_STRING_PLAIN));
		json_object_put(document);
	}
	fflush(stdout);
}

enum exit_status watch_batch(struct live *live, const struct watch_options *options)
{
	struct top_screen screen = {
		.by = options->by, .order = options->order, .filter = options->filter,
		.columns = out_width(),
	};
	enum live_state state;
	char clock[WATCH_CLOCK];
	__u64 nr = 0;

	live_want(live, options->by, false);
	state = live_take(live);
	while (state == LIVE_GOOD && (!options->intervals || nr < options->intervals)) {
		wait_for_it(live);
		live_want(live, options->by, false);
		state = live_take(live);
		if (state != LIVE_GOOD)
			break;
		watch_screen_of(&screen, live, options, clock);
		print_interval(&screen, live, options);
		nr++;
		if (ferror(stdout))
			return FAILED;
	}
	return state == LIVE_GOOD ? DONE : watch_explain(live, state);
}
