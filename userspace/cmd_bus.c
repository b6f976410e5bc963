// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/prefetch_hold.h"
#include "record/counting_run.h"
#include "views/views.h"

enum { OPT_PREFETCH = OPT_OWN, OPT_COMPARE };

struct options {
	struct counting_options counting;
	enum report_format format;
	const char *file;
	bool prefetch_off, compare;
};

static bool take_prefetch(struct options *options, const char *text)
{
	options->prefetch_off = !strcmp(text, "off");
	return options->prefetch_off ||
	       cmd_refuse("--prefetch", text,
			  "give off; without --prefetch the prefetchers stay as they are");
}

static bool take(void *context, int option)
{
	struct options *options = context;

	switch (option) {
	case 'o':
		options->file = optarg;
		return true;
	case OPT_PREFETCH:
		return take_prefetch(options, optarg);
	case OPT_COMPARE:
		options->compare = true;
		return true;
	case OPT_DURATION:
		return cmd_take_seconds("--duration", optarg, &options->counting.duration_ns);
	case OPT_JSON:
		return report_format_take(&options->format, REPORT_JSON);
	case OPT_CSV:
		return report_format_take(&options->format, REPORT_CSV);
	default:
		return start_options_take(&options->counting.start, option);
	}
}

static const char *clash(struct options *options)
{
	char **command = options->counting.command;
	const char *wrong = start_whom_clash(&options->counting.start, command, "count",
					     "counted");

	if (wrong)
		return wrong;
	if (options->compare && !command)
		return "--compare runs a command twice; give the command after --";
	if (options->compare && options->prefetch_off)
		return "--compare and --prefetch off: the second run of --compare has them off; leave out one of them";
	return NULL;
}

static const struct option known[] = {
	START_WHOM_OPTIONS, START_UNTIL_OPTIONS,
	{ "output", required_argument, NULL, OPT_LETTER + 'o' },
	{ "prefetch", required_argument, NULL, OPT_PREFETCH },
	{ "compare", no_argument, NULL, OPT_COMPARE },
	CMD_FORM_OPTIONS, { 0 }
};

static bool options_read(struct options *options, struct cmd_args *args)
{
	if (!cmd_options(args, take, options))
		return false;
	options->counting.command = cmd_command(args);
	return cmd_fits(args, clash(options)) &&
	       start_options_check(&options->counting.start, args);
}

static void show(FILE *out, const struct bus_view *view, enum report_format format)
{
	REPORT_SHOW(bus, format, out, view);
}

/* Count once. False: leave with *status. */
static bool count_once(struct options *options, int device, const struct memlat_query *query,
		       struct snapshot *snap, enum exit_status *status)
{
	if (!counting_run(device, query, &options->counting, snap, status))
		return false;
	/* Ctrl-C ends everything. Two runs of different length could not be compared. */
	if (!options->compare || !options->counting.interrupted)
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
		.snap = &first, .prefetch_off = options->prefetch_off,
		.command = options->counting.command ? options->counting.command[0] : NULL,
	};
	enum exit_status status = FAILED;
	bool good;

	snapshot_init(&first);
	snapshot_init(&second);
	/* Check this before a run is spent on it. */
	if (options->compare &&
	    !(prefetch_hold(device, query, 0, NULL) && prefetch_release(device, query)))
		return FAILED;
	/* Closing the device puts the prefetchers back, however this program ends. */
	good = (!options->prefetch_off || prefetch_hold(device, query, 0, NULL)) &&
	       count_once(options, device, query, &first, &status);
	if (good && options->compare && status == DONE) {
		view.without = &second;
		status = FAILED;
		good = prefetch_hold(device, query, 0, NULL) &&
		       count_once(options, device, query, &second, &status);
	}
	if (good)
		show(out, &view, options->format);
	snapshot_free(&first);
	snapshot_free(&second);
	return status;
}

static enum exit_status bus_run(struct cmd_args *args)
{
	struct options options = { .format = REPORT_TEXT };

	if (!options_read(&options, args))
		return args->status;
	return counting_into(options.file, &options.counting.start, ENGINE_MODULE, true, count,
			     &options);
}

const struct cmd cmd_bus = {
	.name = "bus",
	.summary = "do misses overlap? reads under way: how often, how many at once",
	.help =
"usage: memlat-ctl bus [OPTIONS] -- COMMAND [ARGUMENT]...\n"
"       memlat-ctl bus [OPTIONS] -p PID | -a\n"
"\n"
"Count how much of the time reads are outstanding beyond the core's caches, and how many\n"
"at once (the average queue depth of Intel's optimization manual). At depth 1 every miss\n"
"costs its whole latency, at 8 hardly any of it. bus has a session of its own, in which\n"
"nothing is sampled. The exit status is the command's; 127: there is no such command,\n"
"126: it cannot be executed.\n"
"\n"
START_HELP_WHOM_UNTIL
"  -U, --all-user         only user mode\n"
"  -K, --all-kernel       only kernel mode\n"
START_HELP_DURATION
"  --prefetch off         turn the hardware prefetchers off until bus ends; refused if\n"
"                         Intel does not document them for the CPU\n"
"  --compare              run the command twice, the second time with them off\n"
"  -o, --output FILE      write the figures here, apart from the command's output\n"
"  --json, --csv          for programs, with stable keys; each event's count too\n"
"  -h, --help             this text\n"
"\n"
"outstanding is the part of the cycles in which at least one such request was under way,\n"
"depth how many were then on average, and weighted their sum over cycles. Data reads are\n"
"those of the program (on demand) and of the prefetchers. Requests for ownership are\n"
"stores. L1D misses are loads that missed L1, including those that L2 served. There are\n"
"more events than counters, so events take turns: counted is the part of the cycles in\n"
"which the event had a counter, and its figures are scaled from that. A part or an\n"
"average of nothing is shown as -.\n",
	.options = known,
	.command = true,
	.run = bus_run,
};
