// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>

#include "views/annotate.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_CORE)

enum { OPT_SYNTAX = OPT_OWN, OPT_SOURCES };

struct annotate_options {
	const char *function;		/* NULL: the costliest one */
	enum disasm_syntax syntax;
	const char *sources;
};

static bool take(void *context, int option)
{
	struct annotate_options *options = context;

	if (option == OPT_SOURCES) {
		options->sources = optarg;
		return true;
	}
	if (!strcmp(optarg, "att") || !strcmp(optarg, "intel")) {
		options->syntax = *optarg == 'i' ? DISASM_INTEL : DISASM_ATT;
		return true;
	}
	return cmd_refuse("--syntax", optarg, "no such syntax; give att or intel");
}

/* The notes say why a function that was sampled may have no name. */
static enum exit_status nothing_found(const struct annotate_options *options, struct namer *namer)
{
	if (options->function)
		cmd_refuse("annotate", options->function,
			   "no function of that name was sampled\n"
			   "  memlat-ctl dcache --by function -n 0      shows those that were");
	else
		out_complain("annotate: no instruction was sampled");
	namer_print_notes(namer, stderr);
	return FAILED;
}

static enum exit_status show(struct profile *profile, struct namer *namer,
			     const struct view_options *view, const void *context)
{
	const struct annotate_options *options = context;
	enum exit_status status = DONE;
	struct annotate found;

	annotate_begin(&found, profile, namer, options->function, options->sources);
	disasm_set_syntax(found.disasm, options->syntax);
	if (!found.nr_functions)
		status = nothing_found(options, namer);
	else if (view->format == REPORT_JSON)
		json_print(stdout, annotate_json(&found, view->show));
	else if (view->format == REPORT_CSV)
		annotate_csv(stdout, &found, view->show);
	else
		annotate_print(stdout, &found, view->show, out_width());
	annotate_end(&found);
	return status;
}

static const struct option known[] = {
	{ "syntax", required_argument, NULL, OPT_SYNTAX },
	{ "source-path", required_argument, NULL, OPT_SOURCES },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, { 0 }
};

static enum exit_status annotate_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(SITES, .needs_rows = true);
	struct annotate_options options = { 0 };

	view.show = 1;
	if (!view_options_read(args, &view, take, &options))
		return args->status;
	if (args->argc - optind > 1) {
		out_complain("annotate: give one function, whose name may contain * and ?\n"
			     "  memlat-ctl annotate 'log_*' -n 0");
		return MISUSED;
	}
	options.function = args->argv[optind];
	return view_run(&view, TABLES, show, &options);
}

const struct cmd cmd_annotate = {
	.name = "annotate",
	.summary = "a function, its source and its instructions, with what each costs",
	.help =
"usage: memlat-ctl annotate [FUNCTION] [--syntax att|intel] [-i FILE] ...\n"
"\n"
"Show all instructions of a function with their source lines, and for each its share of\n"
"sampled latency and its samples. FUNCTION may contain * and ?, and may be inlined.\n"
"Without FUNCTION, the function that costs most is shown.\n"
"\n"
"  --syntax WORD      syntax of instructions: att (the default) or intel\n"
"  --source-path DIRS folders with source files, colon-separated; searched before the\n"
"                     place where the compiler found a file\n"
"  -n N               show N functions that match (1); 0: all\n"
VIEW_HELP_INPUT
VIEW_HELP_FORM
VIEW_HELP_SELECT_SITES
"\n"
"% func is the share of the function's latency, cost the share of all latency. HITM\n"
"counts loads of lines that another core had modified. Stores have no latency. A source\n"
"file that changed after the recording is not shown, unless --source-path has it.\n",
	.options = known,
	.letters = VIEW_LETTERS,
	.rest = true,
	.run = annotate_run,
};
