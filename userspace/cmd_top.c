// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include "cli/open.h"
#include "cli/start_options.h"
#include "host/device.h"
#include "profile/file.h"
#include "record/recording.h"
#include "record/session.h"
#include "top/live.h"
#include "util/screen.h"

#define SECOND_NS	1000000000ULL
#define DELAY_LEAST_MS	100
#define DELAY_MOST_MS	3600000
#define NUMBER_MOST	1000000000
#define ROWS_SHOWN	20
#define ROWS_UNSAID	(~0ULL)	/* --rows was not given */

/* Options that the screen, or a text without one, would leave aside. */
static const char *option_conflict(const struct watch_options *options)
{
	if (!options->batch && options->show != ROWS_UNSAID)
		return "--rows: the screen shows as many rows as it has room for; give it with -b";
	if (options->batch && options->file)
		return "-o: only the key w writes a file, and -b reads no keys; leave out one of them";
	return NULL;
}

static bool options_read(struct watch_options *options, struct cmd_args *args)
{
	const struct cmd_sets sets[] = {
		SETS_WITHIN(DELAY, ns, options->interval_ns, DELAY_LEAST_MS * 1000000ULL,
			    DELAY_MOST_MS * 1000000ULL, "0.1 to 3600 (seconds)"),
		SETS_WITHIN(ROWS_N, number, options->intervals, 0, NUMBER_MOST, "a number, 0 for no bound"),
		SETS_WITHIN(ROWS, number, options->show, 0, NUMBER_MOST, "a number, 0 for no bound"),
		SETS(OUTPUT, text, options->file), SETS(FILTER, text, options->filter),
		SETS(BY, word, options->by), SETS(SORT, word, options->order),
		SETS(BATCH, on, options->batch), SETS(JSON, on, options->json), SETS(JSON, on, options->batch),
		SETS(START, on, options->start), SETS(SELF, on, options->self),
		SETS(DEBUG_PATH, text, options->debug), { 0 }
	};
	const char *missing;

	if (!cmd_options(args, sets, NULL, NULL) || !cmd_fits(args, option_conflict(options)))
		return false;
	if (options->show == ROWS_UNSAID)
		options->show = ROWS_SHOWN;
	if (!options->file)
		options->file = PROFILE_DEFAULT;
	missing = options->batch ? NULL : screen_missing();
	if (!missing)
		return true;
	out_complain("top: %s\n  memlat-ctl top --start -b -n 5      prints five intervals, anywhere",
		     missing);
	return false;
}

/*
 * Start a session that ends with memlat-ctl, however that ends, so that a short look leaves nothing
 * behind.
 */
static enum exit_status start(struct live *live, struct cmd_args *args)
{
	struct start_options options = { 0 };
	int ret;

	if (!start_options_check(&options, args))
		return args->status;
	if (!start_options_fit(&options, &live->query))
		return MISUSED;
	recording_tie(&options.config, &live->query);
	recording_count(&options.config, &live->query);
	ret = memlat_device_start(live->device, &options.config);
	return ret ? refusal_explain(live->device, -ret, &options.config, &live->query) : DONE;
}

/* The same by perf's engine, if that is chosen and no session of it runs: *started. */
static enum exit_status start_by_perf(bool *started)
{
	struct start_options options = { .config.flags = MEMLAT_F_TIED };
	struct keeper_child keeper;
	enum exit_status status;

	if (session_runs() || session_engine(ENGINE_EITHER, false) != ENGINE_PERF)
		return DONE;
	status = session_start(&options, &keeper, true);
	*started = status == DONE;
	return status;
}

static enum exit_status top_run(struct cmd_args *args)
{
	struct watch_options options = {
		.interval_ns = 2 * SECOND_NS, .show = ROWS_UNSAID,
	};
	struct live live = { .device = -1, .writer = -1 };
	enum exit_status status;
	enum live_state state;
	bool started = false;

	if (!options_read(&options, args))
		return args->status;
	live.interval_ms = (__u32)(options.interval_ns / 1000000);
	live.self = options.self;
	live.debug = options.debug;
	status = options.start ? start_by_perf(&started) : DONE;
	if (status != DONE)
		return status;
	state = live_begin(&live);
	if (state == LIVE_NONE && options.start) {
		status = start(&live, args);
		started = status == DONE;
		state = started ? LIVE_GOOD : LIVE_BROKEN;
	} else if (state != LIVE_GOOD) {
		status = watch_explain(&live, state);
	}
	if (state == LIVE_GOOD)
		status = (options.batch ? watch_batch : watch_screen)(&live, &options);
	if (started && live_state(&live) == LIVE_GOOD)
		memlat_device_stop(live.device);
	live_end(&live);
	return status;
}

static const struct cmd_words tables = { "no such word", TOP_BY, .list = top_by_names };
static const struct cmd_words orders = { "no such word", TOP_ORDERS, .list = top_order_names };

const struct cmd cmd_top = {
	.name = "top",
	.summary = "what waits for memory now: a live screen by process, line, function",
	.usage =
"usage: memlat-ctl top [-d SECONDS] [--by WHAT] [--sort ORDER] [--start]\n"
"       memlat-ctl top -b [-n N] [--rows N] [--json]\n"
"\n"
"Show what the running session sampled in the last interval, and redraw that after each\n"
"interval. Figures are exact differences of two snapshots; samples whose row left a full\n"
"table are reported, and no figure is negative.\n",
	.notes =
"Keys: p t c n l f d: another table; up, down, j, k, page keys: move the mark; Enter: the\n"
"cache lines of that row, and what happens on them; Esc: back, or remove the filter; s:\n"
"another order; /: a filter; w: write a profile; space: hold; q: quit.\n"
"\n"
"cost is the row's share of the interval's sampled latency. L3, DRAM, remote and HITM are\n"
"shares of sampled loads; for processes and cgroups the first three cover user code only.\n"
"worst line is the costliest line that is fought over and that the row takes part in, with\n"
"the cost of that line. CPUs, nodes and bytes of a line are those since the session began.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(DELAY, .text = "length of an interval in seconds: 0.1 to 3600 (2); longer, up to a minute, if it would cost more than 0.5% of the CPUs' time or 0.4% of all latency", .letter = 'd'),
		TAKES(BY, .text = "process (the default), thread, cgroup, node, line, function or data", .words = &tables),
		TAKES(SORT, .text = "cost (the default), hitm, samples or latency (average of a load)", .words = &orders),
		TAKES(FILTER), TAKES(START), TAKES(ROWS_N, .text = "end after N intervals"), TAKES(BATCH),
		TAKES(ROWS), TAKES(JSON, .text = "one JSON document a line, without a screen"),
		TAKES(OUTPUT, .text = "where w writes a profile of the whole session (memlat.out)"),
		TAKES(SELF), TAKES(DEBUG_PATH), TAKES(HELP), { 0 }
	},
	.run = top_run,
};
