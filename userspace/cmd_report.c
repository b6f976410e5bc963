// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <unistd.h>

#include "views/summary.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_LINE | \
		 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_COUNT)

struct report_options {
	struct view_options view;
	bool html;
	const char *output;	/* NULL: standard output */
};

static enum exit_status print_report(struct profile *profile, struct namer *namer,
				     const struct view_options *options, const void *context)
{
	const struct rows_view view = view_rows(profile, namer, options);

	REPORT_SHOW(options->format, stdout, summary_print(stdout, &view), summary_csv(stdout, &view),
		    summary_json(&view));
	if (options->format == REPORT_TEXT)
		namer_print_notes(namer, stdout);
	return DONE;
}

static void put_html(FILE *out, const struct profile *profile, struct namer *namer,
		     const void *context)
{
	const struct report_options *options = context;
	const struct rows_view view = { .profile = profile, .namer = namer };

	html_print(out, &view, options->view.debug);
}

/* Do the options go together? False after printing what is wrong. */
static bool fits(const struct report_options *options)
{
	if (!options->html) {
		if (!options->output)
			return true;
		out_complain("report: -o needs --html\n  memlat-ctl report --html -o FILE");
		return false;
	}
	if (options->view.format != REPORT_TEXT) {
		out_complain("report: --html, --json and --csv are three forms; give one of them");
		return false;
	}
	if (options->output || !isatty(STDOUT_FILENO))
		return true;
	out_complain("--html: a terminal cannot show HTML; write it to a file\n"
		     "  memlat-ctl report --html -o memlat.html");
	return false;
}

static enum exit_status report_run(struct cmd_args *args)
{
	/* It shows lines, sites and accesses, of which all know their code. */
	struct report_options options = { .view = {
		.show = VIEW_SHOWN, .selectable = 1U << SELECT_PROGRAM, .table = TABLE_SITES,
		.also = 1U << TABLE_LINES | 1U << TABLE_ACCESSES,
	} };
	const struct cmd_sets sets[] = {
		SETS(HTML, on, options.html), SETS(OUTPUT, text, options.output), { 0 }
	};

	if (!view_options_read(args, &options.view, sets, NULL, NULL))
		return args->status;
	if (!fits(&options))
		return MISUSED;
	if (!options.html)
		return view_run(&options.view, TABLES, print_report, NULL);
	return view_write(&options.view, 0, options.output, false, put_html, &options);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "the answer on one screen: how much, from where, the three worst",
	.usage =
"usage: memlat-ctl report [-i FILE] [--json | --csv]\n"
"       memlat-ctl report --html [-i FILE] -o REPORT.html\n"
"\n"
"Show how much of the CPUs' busy cycles may be waits for memory, from which sources,\n"
"the three things that cost most, how good the figures are, and what to type next. A\n"
"thing is a cache line that is fought over, or a source line whose loads wait for\n"
"anything else. The cost of a fight is not shown again with the code that waits.\n",
	.notes =
"Latencies overlap each other and other work, so their sum is an upper bound of the\n"
"waiting time. Things with less than 1% of sampled latency, and code of which it is not\n"
"sure that it has 1%, are left out; c2c, dcache and dcache --by data show all.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(HTML),
		TAKES(OUTPUT, .text = "with --html: write it here; it holds names and source lines of your programs"),
		VIEW_INPUT, TAKES(SELECT_PROGRAM), TAKES(SELF), VIEW_FORM,
		TAKES(UNPRINTED), TAKES(SELECT), TAKES(SELECT_FUNCTION), TAKES(SELECT_MODULE),
		VIEW_TASKS, VIEW_DATA, { 0 }
	},
	.run = report_run,
};
