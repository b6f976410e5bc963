// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/policy.h"
#include "record/recording.h"
#include "record/session.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "views/views.h"

#define SHOWN_MAX	(4 * 256)
#define PAIRS		5
#define NEXT		":::"	/* separates two commands, as in GNU parallel */

struct options {
	struct counting_options counting;
	struct policy remedy;	/* kind NULL: two commands are compared */
	char **command[2];
	const char *file;
	bool json;
	__u64 pairs;
};

/* Take what is to be run: one command, or two with NEXT between them. */
static bool take_commands(struct options *options, char **words)
{
	size_t i;

	options->command[0] = options->command[1] = words;
	for (i = 0; words[i]; i++) {
		if (strcmp(words[i], NEXT))
			continue;
		words[i] = NULL;
		options->command[1] = words + i + 1;
		break;
	}
	if (options->command[0][0] && options->command[1][0])
		return true;
	out_complain("give a command%s\n  memlat-ctl try --help",
		     options->command[0][0] ? " after " NEXT : " after --");
	return false;
}

static bool take_words(struct options *options, const char *remedy, char **words)
{
	/* The remedy may also come after the options. */
	if (!remedy && *words && strcmp(words[-1], "--")) {
		remedy = *words++;
		if (*words && !strcmp(*words, "--"))
			words++;
	}
	if (!take_commands(options, words))
		return false;
	if (!remedy == (options->command[0] == options->command[1])) {
		out_complain(remedy ? "a remedy and a second command: leave out one of them" :
			     "give a remedy before --, or a second command after " NEXT
			     "\n  memlat-ctl try --help");
		return false;
	}
	return !remedy || policy_parse(&options->remedy, remedy);
}

static bool options_read(struct options *options, struct cmd_args *args)
{
	const struct cmd_sets sets[] = {
		SETS(OUTPUT, text, options->file), SETS(JSON, on, options->json),
		SETS_WITHIN(ROWS_N, number, options->pairs, PAIRED_LEAST, PAIRED_MAX,
			    "a number from 3 to 50"), { 0 }
	};
	const char *remedy = NULL;

	if (args->argc > 1 && *args->argv[1] != '-') {
		args->argc--;
		remedy = *++args->argv;
	}
	if (!cmd_options(args, sets, start_options_take, &options->counting.start))
		return false;
	return take_words(options, remedy, args->argv + optind) &&
	       cmd_fits(args, options->counting.start.engine == ENGINE_PERF && policy_needs_module(&options->remedy) ?
			"--engine perf and prefetch=off: only the module turns prefetchers off; leave out one of them" :
			NULL) &&
	       start_options_check(&options->counting.start, args);
}

/* Print progress while the commands run, if somebody watches. */
static void print_progress(const struct options *options, size_t pair, bool second)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "memlat-ctl: pair %zu of %llu, %s\n", pair + 1,
			(unsigned long long)options->pairs,
			!options->remedy.kind ? (second ? "the second command" : "the first command") :
			second ? "with it" : "without");
}

/* False: leave with *status. */
static bool run_once(struct options *options, int device, const struct memlat_query *query,
		     struct try_view *view, size_t pair, bool second, enum exit_status *status)
{
	const bool with = second && options->remedy.kind;
	struct counting_options counting = options->counting;
	char shown[SHOWN_MAX];
	struct snapshot snap;
	bool good;

	print_progress(options, pair, second);
	counting.command = options->command[second];
	snapshot_init(&snap);
	*status = FAILED;
	good = (!with || policy_apply(&options->remedy, device, query)) &&
	       counting_run(device, query, &counting, &snap, status);
	if (with)
		policy_undo(&options->remedy);
	if (good && counting.interrupted) {
		out_complain("interrupted: there is no result");
		*status = FAILED;
		good = false;
	} else if (good && *status != DONE) {
		out_complain("%s ended with status %d: a run that fails measures nothing",
			     text_escape(shown, sizeof(shown), counting.command[0]), *status);
		good = false;
	} else if (good && !try_take(view, second, pair, &snap)) {
		out_complain("nothing was counted of %s",
			     text_escape(shown, sizeof(shown), counting.command[0]));
		*status = FAILED;
		good = false;
	}
	snapshot_free(&snap);
	return good;
}

static enum exit_status run_all(void *context, int device, const struct memlat_query *query,
				FILE *out)
{
	struct options *options = context;
	struct try_view *view = xcalloc(1, sizeof(*view));
	enum exit_status status = DONE;
	bool good = true;
	size_t pair;

	view->what = options->remedy.kind ? options->remedy.text : NULL;
	view->first = options->command[0][0];
	view->second = options->command[1][0];
	view->pairs = options->pairs;
	for (pair = 0; good && pair < view->pairs; pair++)
		good = run_once(options, device, query, view, pair, paired_turned(pair), &status) &&
		       run_once(options, device, query, view, pair, !paired_turned(pair), &status);
	if (good) {
		try_conclude(view);
		if (options->json)
			json_print(out, try_json(view));
		else
			try_print(out, view);
	}
	free(view);
	return status;
}

static enum exit_status try_run(struct cmd_args *args)
{
	struct options options = { .pairs = PAIRS };

	if (!options_read(&options, args))
		return args->status;
	return counting_into(options.file, &options.counting.start, options.counting.start.engine,
			     policy_needs_module(&options.remedy), run_all, &options);
}

const struct cmd cmd_try = {
	.name = "try",
	.summary = "measure what a remedy saves: pairs of runs with and without it",
	.usage =
"usage: memlat-ctl try REMEDY [OPTIONS] -- COMMAND [ARGUMENT]...\n"
"       memlat-ctl try [OPTIONS] -- COMMAND [ARGUMENT]... ::: COMMAND [ARGUMENT]...\n"
"\n"
"Run a command with a remedy and without it, or two commands, in pairs of alternating\n"
"order (A B, B A, ...). Count the cycles of each run, and say how many fewer the second\n"
"way takes, with the interval that holds the truth 95 times in 100. If that interval\n"
"includes 0, no difference could be shown. If a command fails, try ends with its status.\n"
"\n"
"Remedies:\n"
REMEDY_HELP,
	.notes =
"Runs have to do the same work. If their instructions differ by more than 2 %, try says\n"
"so, because then the difference may not come from the remedy, or not from the change.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(ROWS_N, .text = "number of pairs, 3 to 50 (5)"), START_MODES, TAKES(CPU),
		TAKES(ENGINE, .words = &start_engines),
		TAKES(OUTPUT, .text = "write the figures here, apart from the command's output"),
		TAKES(JSON, .text = "for programs, with stable keys; each run's figures too"), TAKES(HELP), { 0 }
	},
	.command = true,
	.run = try_run,
};
