// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>

#include "views/annotate.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_CORE)

struct annotate_options {
	const char *function;		/* NULL: the costliest one */
	unsigned int intel;		/* 0: in the syntax of AT&T */
};

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

static enum exit_status print_functions(struct profile *profile, struct namer *namer,
					const struct view_options *view, const void *context)
{
	const struct annotate_options *options = context;
	enum exit_status status = DONE;
	struct annotate found;

	annotate_begin(&found, profile, namer, options->function, view->debug);
	disasm_set_syntax(found.disasm, options->intel ? DISASM_INTEL : DISASM_ATT);
	if (!found.nr_functions)
		status = nothing_found(options, namer);
	else
		REPORT_SHOW(view->format, stdout, annotate_print(stdout, &found, view->show, out_width()),
			    annotate_csv(stdout, &found, view->show), annotate_json(&found, view->show));
	annotate_end(&found);
	return status;
}

static enum exit_status annotate_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(SITES, .needs_rows = true);
	struct annotate_options options = { 0 };
	const struct cmd_sets sets[] = { SETS(SYNTAX, word, options.intel), { 0 } };

	view.show = 1;
	if (!view_options_read(args, &view, sets, NULL, NULL))
		return args->status;
	if (args->argc - optind > 1) {
		out_complain("annotate: give one function, whose name may contain * and ?\n"
			     "  memlat-ctl annotate 'log_*' -n 0");
		return MISUSED;
	}
	options.function = args->argv[optind];
	return view_run(&view, TABLES, print_functions, &options);
}

static const char *const syntax_names[] = { "att", "intel" };
static const struct cmd_words syntaxes = { "no such syntax", 2, .list = syntax_names };

const struct cmd cmd_annotate = {
	.name = "annotate",
	.summary = "a function, its source and its instructions, with what each costs",
	.usage =
"usage: memlat-ctl annotate [FUNCTION] [-M att|intel] [-i FILE] ...\n"
"\n"
"Show all instructions of a function with their source lines, and for each its share of\n"
"sampled latency and its samples. FUNCTION may contain * and ?, and may be inlined.\n"
"Without FUNCTION, the function that costs most is shown.\n",
	.notes =
"% func is the share of the function's latency, cost the share of all latency. HITM\n"
"counts loads of lines that another core had modified. Stores have no latency. A source\n"
"file that changed after the recording is not shown, unless --debug-path has it.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(SYNTAX, .words = &syntaxes),
		TAKES(ROWS_N, .text = "show N functions that match (1); 0: all"),
		VIEW_CODE, TAKES(SELECT_PID), TAKES(SELECT_CGROUP), TAKES(SELECT_NODE), VIEW_INPUT,
		TAKES(SELF), VIEW_FORM,
		TAKES(UNPRINTED), TAKES(SELECT_TID), TAKES(SELECT_DATA), { 0 }
	},
	.rest = true,
	.run = annotate_run,
};
