// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/open.h"
#include "record/recording.h"
#include "views/views.h"

enum { OFF, COMPARE, AS_THEY_ARE };

struct options {
	struct counting_options counting;
	enum report_format format;
	const char *file;
	unsigned int prefetch;
};

static const char *option_conflict(struct options *options)
{
	char **command = options->counting.command;
	const char *wrong = start_whom_clash(&options->counting.start, command, "count",
					     "counted");

	if (wrong)
		return wrong;
	if (options->prefetch == COMPARE && !command)
		return "--prefetch compare runs a command twice; give the command after --";
	return NULL;
}

static bool options_read(struct options *options, struct cmd_args *args)
{
	const struct cmd_sets sets[] = {
		SETS(OUTPUT, text, options->file), SETS(PREFETCH, word, options->prefetch),
		SETS(DURATION, ns, options->counting.duration_ns), SETS_FORMS(options->format), { 0 }
	};

	if (!cmd_options(args, sets, start_options_take, &options->counting.start))
		return false;
	options->counting.command = cmd_command(args);
	return cmd_fits(args, option_conflict(options)) &&
	       start_options_check(&options->counting.start, args);
}

static void print_bus(FILE *out, const struct bus_view *view, enum report_format format)
{
	REPORT_SHOW(format, out, bus_print(out, view), bus_csv(out, view), bus_json(view));
}

/* Count once. False: leave with *status. */
static bool count_once(struct options *options, int device, const struct memlat_query *query,
		       struct snapshot *snap, enum exit_status *status)
{
	if (!counting_run(device, query, &options->counting, snap, status))
		return false;
	/* Ctrl-C ends everything. Two runs of different length could not be compared. */
	if (options->prefetch != COMPARE || !options->counting.interrupted)
		return true;
	out_complain("interrupted: there is nothing to compare");
	*status = FAILED;
	return false;
}

/* Do the runs that were asked for, and print the result. */
static enum exit_status count(void *context, int device, const struct memlat_query *query,
			      FILE *out)
{
	struct options *options = context;
	struct snapshot first, second;
	struct bus_view view = {
		.snap = &first, .prefetch_off = options->prefetch == OFF,
		.command = options->counting.command ? options->counting.command[0] : NULL,
	};
	enum exit_status status = FAILED;
	bool good;

	snapshot_init(&first);
	snapshot_init(&second);
	/* Check this before a run is spent on it. */
	if (options->prefetch == COMPARE &&
	    !(prefetch_hold(device, query, 0, NULL) && prefetch_release(device, query)))
		return FAILED;
	/* Closing the device puts the prefetchers back, however this program ends. */
	good = (options->prefetch != OFF || prefetch_hold(device, query, 0, NULL)) &&
	       count_once(options, device, query, &first, &status);
	if (good && options->prefetch == COMPARE && status == DONE) {
		view.without = &second;
		status = FAILED;
		good = prefetch_hold(device, query, 0, NULL) &&
		       count_once(options, device, query, &second, &status);
	}
	if (good)
		print_bus(out, &view, options->format);
	snapshot_free(&first);
	snapshot_free(&second);
	return status;
}

static enum exit_status bus_run(struct cmd_args *args)
{
	struct options options = { .prefetch = AS_THEY_ARE };

	if (!options_read(&options, args))
		return args->status;
	return counting_into(options.file, &options.counting.start, ENGINE_MODULE, true, count,
			     &options);
}

static const char *const prefetch_names[] = { [OFF] = "off", [COMPARE] = "compare" };
static const struct cmd_words prefetch_words = {
	"without --prefetch the prefetchers stay as they are", 2, .list = prefetch_names,
};

const struct cmd cmd_bus = {
	.name = "bus",
	.summary = "do misses overlap? reads under way: how often, how many at once",
	.usage =
"usage: memlat-ctl bus [OPTIONS] -- COMMAND [ARGUMENT]...\n"
"       memlat-ctl bus [OPTIONS] -p PID | -a\n"
"\n"
"Count how much of the time reads are outstanding beyond the core's caches, and how many\n"
"at once (the average queue depth of Intel's optimization manual). At depth 1 every miss\n"
"costs its whole latency, at 8 hardly any of it. bus has a session of its own, in which\n"
"nothing is sampled. The exit status is the command's; 127: there is no such command,\n"
"126: it cannot be executed.\n",
	.notes =
"outstanding is the part of the cycles in which at least one such request was under way,\n"
"depth how many were then on average, and weighted their sum over cycles. Data reads are\n"
"those of the program (on demand) and of the prefetchers. Requests for ownership are\n"
"stores. L1D misses are loads that missed L1, including those that L2 served. There are\n"
"more events than counters, so events take turns: counted is the part of the cycles in\n"
"which the event had a counter, and its figures are scaled from that. A part or an\n"
"average of nothing is shown as -.\n",
	.takes = (const struct cmd_takes[]){
		START_WHOM, START_MODES, START_UNTIL,
		TAKES(PREFETCH, .words = &prefetch_words),
		TAKES(OUTPUT, .text = "write the figures here, apart from the command's output"), CMD_FORMS, { 0 }
	},
	.command = true,
	.run = bus_run,
};
