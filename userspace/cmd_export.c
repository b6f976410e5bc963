// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/text.h"
#include "views/export.h"

enum format { FOLDED, CALLGRIND, PPROF, OPENMETRICS, FORMATS };

static const char *const formats[FORMATS] = { "folded", "callgrind", "pprof", "openmetrics" };

struct export_options {
	struct view_options view;
	unsigned int format, value;
};

/* One of these words; false after saying which there are. */
static bool take_word(unsigned int *to, const char *option, const char *word,
		      const char *const *words, unsigned int nr)
{
	char shown[120], known[120] = "";
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(word, words[i])) {
			*to = i;
			return true;
		}
		strcat(strcat(known, i ? ", " : ""), words[i]);
	}
	text_escape(shown, sizeof(shown), word);
	out_complain("%s %s: no such word; give one of %s", option, *shown ? shown : "\"\"",
		     known);
	return false;
}

static bool options_read(struct export_options *options, int argc, char **argv,
			 enum exit_status *status)
{
	static const struct option known[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "format", required_argument, NULL, OPT_TYPE },
		{ "value", required_argument, NULL, OPT_SORT },
		{ "debug-path", required_argument, NULL, OPT_DEBUG_PATH },
		CMD_HELP_OPTION, { 0 }
	};
	struct cmd_args args = {
		.cmd = &cmd_export, .argc = argc, .argv = argv, .letters = ":hi:",
		.options = known,
	};
	int option;

	options->format = FORMATS;
	while ((option = cmd_next(&args)) != OPT_END) {
		bool good = true;

		*status = option == OPT_STOP ? args.status : MISUSED;
		if (option == 'i')
			options->view.file = optarg;
		else if (option == OPT_DEBUG_PATH)
			options->view.debug = optarg;
		else if (option == OPT_TYPE)
			good = take_word(&options->format, "--format", optarg, formats, FORMATS);
		else if (option == OPT_SORT)
			good = take_word(&options->value, "--value", optarg, export_value_names,
					 EXPORT_VALUES);
		else
			return false;
		if (!good)
			return false;
	}
	*status = MISUSED;
	if (options->format == FORMATS) {
		out_complain("export: for which tool? give --format folded, callgrind, pprof or openmetrics");
		return false;
	}
	if (options->format != PPROF || !isatty(STDOUT_FILENO))
		return true;
	out_complain("--format pprof: that is no text; give it a file\n"
		     "  memlat-ctl export --format pprof > profile.pb");
	return false;
}

static enum exit_status export_run(int argc, char **argv)
{
	struct export_options options = { .view = { .self = true } };
	struct profile profile;
	struct export export;
	struct namer *namer;
	enum exit_status status;

	if (!options_read(&options, argc, argv, &status))
		return status;
	if (!view_open(&profile, &options.view, 0))
		return FAILED;
	namer = namer_new(&profile, options.view.debug);
	export_begin(&export, &profile, namer);
	if (options.format == FOLDED)
		export_folded(stdout, &export, (enum export_value)options.value);
	else if (options.format == CALLGRIND)
		export_callgrind(stdout, &export);
	else if (options.format == PPROF)
		export_pprof(stdout, &export);
	else
		export_openmetrics(stdout, &profile);
	export_end(&export);
	namer_free(namer);
	view_close(&profile);
	return DONE;
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "figures by code for other tools: pprof, callgrind, flame graphs, metrics",
	.help =
"usage: memlat-ctl export --format FORMAT [-i FILE] > FILE\n"
"\n"
"What instructions did and who called them, for tools that draw it. Cycles are those\n"
"that loads waited, as estimated; loads, HITM loads and stores are samples. Totals are\n"
"the profile's: what had to leave a table is the function [evicted].\n"
"\n"
"  --format FORMAT    folded: for flamegraph.pl; callgrind: for callgrind_annotate and\n"
"                     KCachegrind; pprof: for pprof (profile.proto, not compressed);\n"
"                     openmetrics: for Prometheus, without code\n"
"  --value VALUE      of folded, which has one: cycles (the default), loads, hitm,\n"
"                     stores\n"
"  -i, --input FILE   a profile that 'memlat-ctl record' wrote; else what the\n"
"                     module holds now\n"
"  --debug-path DIRS  where separate debug files are, colon-separated\n"
"  -h, --help         this text\n",
	.run = export_run,
};
