// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <numa.h>
#include <stdio.h>
#include <unistd.h>

#include "record/aside.h"
#include "util/out.h"
#include "views/advise.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_CORE | \
		 1U << MEMLAT_REC_SOURCE | 1U << MEMLAT_REC_COUNT | \
		 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_STRIDE)

#define HALVES_NS	40000000000ULL	/* of what runs already, 20 s each unless --duration is given */

enum { OPT_ALL = OPT_OWN };

struct options {
	struct view_options view;
	struct record_options record;
	bool all;
	bool sampled;		/* an option was typed that tells what is to be sampled, or how */
};

static bool take(void *context, int option)
{
	struct options *options = context;
	struct record_options *record = &options->record;

	if (option == OPT_ALL) {
		options->all = true;
		return true;
	}
	options->sampled = true;
	switch (option) {
	case 'a':
		record->everything = true;
		return true;
	case OPT_HEAP:
		record->heap = true;
		return true;
	case OPT_DURATION:
		record->duration = optarg;
		return cmd_take_seconds("--duration", optarg, &record->duration_ns);
	default:
		return start_options_take(&record->start, option);
	}
}

static void show(struct profile *profile, struct namer *namer, const struct view_options *options,
		 const void *context)
{
	const bool *all = context;
	const struct advise_shown shown = { .all = *all, .width = out_width() };
	struct advise advise;

	advise_take(&advise, profile, namer);
	if (options->format == REPORT_JSON) {
		json_print(stdout, advise_json(&advise));
	} else if (options->format == REPORT_CSV) {
		advise_csv(stdout, &advise);
	} else {
		view_pager_begin(options);
		advise_print(stdout, &advise, &shown);
		namer_print_notes(namer, stdout);
		view_pager_end();
	}
	advise_free(&advise);
}

static bool options_read(struct options *options, int argc, char **argv,
			 enum exit_status *status)
{
	static const struct option known[] = {
		START_OPTIONS,
		{ "all", no_argument, NULL, OPT_ALL },
		{ "all-cpus", no_argument, NULL, 'a' },
		{ "heap", no_argument, NULL, OPT_HEAP },
		{ "duration", required_argument, NULL, OPT_DURATION },
		{ "input", required_argument, NULL, 'i' },
		{ "time", required_argument, NULL, OPT_TIME },
		{ "no-pager", no_argument, NULL, OPT_NO_PAGER },
		{ "debug-path", required_argument, NULL, OPT_DEBUG_PATH },
		{ "csv", no_argument, NULL, OPT_CSV },
		CMD_JSON_OPTION, CMD_HELP_OPTION, { 0 }
	};
	struct cmd_args args = {
		.cmd = &cmd_advise, .argc = argc, .argv = argv,
		.letters = "+:hai:" START_LETTERS, .options = known, .rest = true,
	};
	struct record_options *record = &options->record;
	const char *wrong;

	if (!view_options_read(&args, &options->view, take, options)) {
		*status = args.status;
		return false;
	}
	if (optind < argc)
		record->command = argv + optind;
	options->sampled |= record->command != NULL;
	*status = MISUSED;
	if (options->view.time) {
		out_complain("advise: --time: cycles were counted of the whole run, not of a part of it\n"
			     "  memlat-ctl report --time %s      tells what loads waited for then",
			     options->view.time);
		return false;
	}
	if (!options->sampled) {
		if (options->view.file)
			return true;
		out_complain("advise: give a command to run, -p PID or -a; or -i and a profile with counts\n"
			     "  memlat-ctl advise -- COMMAND\n"
			     "  memlat-ctl record --counts -- COMMAND      writes memlat.out");
		return false;
	}
	record->counts = true;
	/* Which node memory is on, where there are several; only root may ask for that. */
	if (!geteuid() && numa_available() >= 0 && numa_max_node() > 0)
		record->start.config.flags |= MEMLAT_F_PHYS;
	record->start.at_once = record->command;
	if (!record->command && !record->duration)
		record->duration_ns = HALVES_NS;
	wrong = options->view.file ?
		"-i and what is to be sampled: a profile was sampled already; give one of them" :
		recording_clash(record);
	if (!wrong)
		return start_options_check(&record->start, "advise", status);
	out_complain("%s\n  memlat-ctl advise --help", wrong);
	return false;
}

static enum exit_status advise_run(int argc, char **argv)
{
	struct options options = { .view = VIEW_OPTIONS_DEFAULT };
	enum exit_status status, shown;
	char path[32];
	int file = -1;

	if (!options_read(&options, argc, argv, &status))
		return status;
	if (!options.sampled)
		return view_run(&options.view, TABLES, show, &options.all);
	status = recording_aside(&options.record, "advise", &file);
	if (file < 0)
		return status;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	options.view.file = path;
	shown = view_run(&options.view, TABLES, show, &options.all);
	close(file);
	return shown == DONE ? status : shown;
}

const struct cmd cmd_advise = {
	.name = "advise",
	.summary = "what to change, and how many cycles that would save",
	.help =
"usage: memlat-ctl advise [OPTIONS] -- COMMAND [ARGUMENT]... | -p PID | -a\n"
"       memlat-ctl advise -i FILE [--all] [--json | --csv]\n"
"\n"
"What to do against false sharing, and what it would save: an interval of the CPU\n"
"cycles, the most certain first. A command runs twice, counted and then sampled; what\n"
"runs already is counted for half of the time and sampled for the other half. With -i\n"
"that was done before, by 'memlat-ctl record --counts'.\n"
"A share of latency is no share of time, for a core does other work meanwhile: the\n"
"interval comes from the cycles in which the CPUs stood still, and from whose loads the\n"
"samples say they waited for. Where misses overlap others it is wide, and says so.\n"
"\n"
"For a structure, class or variable whose type is known the declaration is printed that\n"
"ends the fight, with each member's offset before and after.\n"
"\n"
"With --stride loads alone are sampled, and walks are found whose lines push each other\n"
"out of L1 since their step lets them fall into few of its sets.\n"
"\n"
"  --all              what saves less than 1 %, too, and all members of long structures\n"
"  -i, --input FILE   a profile with counts\n"
"  -a, --all-cpus     everything\n"
"  --duration S       of -p and -a: for S seconds in all (40)\n"
"  --json             for programs: all of it\n"
"  --csv              for programs: a row for each piece of advice\n"
"  --no-pager         never through a pager\n"
"  --debug-path DIRS  where separate debug files are, colon-separated\n"
"  -h, --help         this text\n"
"and all other options of record but -o: memlat-ctl record --help. The exit status is\n"
"the command's.\n",
	.run = advise_run,
};
