// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "cmd_input.h"
#include "views/c2c.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_STACK | \
		 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_SOURCE)

/* The field that these letters name; 0: none. */
static unsigned int field_of(const char *text, size_t length)
{
	static const struct {
		const char *text;
		unsigned int value;
	} fields[] = {
		{ "tid", C2C_TID }, { "pid", C2C_PID }, { "iaddr", C2C_IADDR }, { "dso", C2C_DSO },
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].text) == length && !strncmp(fields[i].text, text, length))
			return fields[i].value;
	return 0;
}

static bool take_coalesce(struct c2c_options *options, const char *text)
{
	unsigned int by = 0;
	const char *at = text;

	for (;;) {
		size_t length = strcspn(at, ",");
		const unsigned int field = field_of(at, length);

		if (!field)
			return cmd_refuse("-c", text,
					  "no such fields; give some of tid,pid,iaddr,dso");
		by |= field;
		if (!at[length])
			break;
		at += length + 1;
	}
	options->coalesce = by;
	return true;
}

/* Parse hexadecimal digits after 0x, the form in which views show addresses. */
static bool parse_address(const char *text, __u64 *addr)
{
	size_t digits = strlen(text + 2);

	if (!digits || digits > 16 || strspn(text + 2, "0123456789abcdefABCDEF") != digits)
		return false;
	*addr = strtoull(text + 2, NULL, 16);
	return *addr;
}

static bool take_line(struct c2c_options *options, const char *text)
{
	uint64_t value;

	options->index = 0;
	options->addr = 0;
	if (!strncmp(text, "0x", 2) && parse_address(text, &options->addr))
		return true;
	if (!cmd_take_number("--line", text, 1, SIZE_MAX, "a line's index, or its address with 0x",
			     &value))
		return false;
	options->index = (size_t)value;
	return true;
}

/* Take the options that only this view has. */
static bool take(void *context, int option)
{
	struct c2c_options *options = context;

	switch (option) {
	case 'N':
		options->node_info = (options->node_info + 1) % 3;
		return true;
	case 'c':
		return take_coalesce(options, optarg);
	case 'd':
		return cmd_take_word("-d", "no such display", c2c_display_name, C2C_DISPLAYS,
				     &options->display);
	case OPT_STATS:
		options->stats = true;
		return true;
	case OPT_SHOW_ALL:
		options->show_all = true;
		return true;
	case OPT_FULL_SYMBOLS:
		options->full_symbols = true;
		return true;
	case OPT_NO_SOURCE:
		options->no_source = true;
		return true;
	case OPT_DOUBLE_CL:
		options->double_cl = true;
		return true;
	case OPT_LINE:
		return take_line(options, optarg);
	default:
		return false;
	}
}

static const struct option known[] = {
	{ "node-info", no_argument, NULL, OPT_LETTER + 'N' },
	{ "coalesce", required_argument, NULL, OPT_LETTER + 'c' },
	{ "display", required_argument, NULL, OPT_LETTER + 'd' },
	{ "stats", no_argument, NULL, OPT_STATS },
	{ "show-all", no_argument, NULL, OPT_SHOW_ALL },
	{ "full-symbols", no_argument, NULL, OPT_FULL_SYMBOLS },
	{ "no-source", no_argument, NULL, OPT_NO_SOURCE },
	{ "double-cl", no_argument, NULL, OPT_DOUBLE_CL },
	{ "line", required_argument, NULL, OPT_LINE },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static enum exit_status no_such_line(const struct c2c_options *options)
{
	if (options->addr)
		out_complain("--line 0x%llx: no sample is of this line\n  memlat-ctl lines -n 0      shows those that have some",
			     options->addr);
	else
		out_complain("--line %zu: there are fewer shared lines\n  memlat-ctl c2c --show-all -n 0      shows all of them",
			     options->index);
	return FAILED;
}

static enum exit_status show(struct profile *profile, struct namer *namer,
			     const struct view_options *view, const void *context)
{
	struct c2c_options options = *(const struct c2c_options *)context;
	struct c2c c2c;

	/* Programs get all lines. */
	options.fold = view->format == REPORT_TEXT;
	if (c2c_take(&c2c, profile, namer, &options))
		return no_such_line(&options);
	if (view->format == REPORT_JSON)
		json_print(stdout, c2c_json(&c2c));
	else if (view->format == REPORT_CSV)
		c2c_csv(stdout, &c2c);
	else
		c2c_print(stdout, &c2c, out_width());
	c2c_free(&c2c);
	return DONE;
}

static enum exit_status c2c_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(LINES);
	struct c2c_options options = { .coalesce = C2C_IADDR };

	if (!view_options_read(args, &view, take, &options))
		return args->status;
	options.show = view.show;
	/* The chains are shown with each line, and not once more below all of them. */
	options.call_graph = view.call_graph;
	view.call_graph = false;
	return view_run(&view, TABLES, show, &options);
}

const struct cmd cmd_c2c = {
	.name = "c2c",
	.summary = "lines that CPUs fight over, byte by byte, as perf c2c shows them",
	.help =
"usage: memlat-ctl c2c [-d cost|tot|lcl|rmt] [-c FIELDS] [-N] [-g] [--line N] ...\n"
"\n"
"Show cache lines that several threads use and at least one writes, ranked by cost and\n"
"with a verdict in words; below, who uses which bytes of them.\n"
"\n"
"  -d, --display WHAT rank by cost: cycles (the default); tot, lcl, rmt: HITM loads,\n"
"                     all, of this socket, of others\n"
"  -c, --coalesce F   users of a byte get rows of their own if they differ in one of\n"
"                     these: some of tid,pid,iaddr,dso (iaddr)\n"
"  -N, --node-info    nodes with CPUs and shares; twice: with lists of CPUs\n"
"  -g, --call-graph   call chains, if they were recorded\n"
"  --line N           only this line: its index, or its address with 0x\n"
"  --double-cl        pairs of lines, which the prefetcher fetches together\n"
"  --show-all         also lines with less than 0.1% of what is displayed\n"
"  --stats            only the figures of the whole session\n"
"  --full-symbols     do not shorten function names\n"
"  --no-source        no source lines\n"
VIEW_HELP_SELECT_ALL
VIEW_HELP
"\n"
"Cost is the line's share of sampled latency. Tot Hitm is its share of the loads that hit\n"
"a line which another core had modified, Lcl on this socket, Rmt on another. PA cnt is\n"
"the number of different physical pages at which the line was seen. FB counts hits of fill\n"
"buffers, for which an earlier miss was already fetching the line. Sure is how certain\n"
"the verdict is. In the Pareto, percentages are of the line's figures, cycles are\n"
"averages of a load, and cpu cnt counts CPUs. Headings are those of perf c2c, but every\n"
"sample is counted once: see Documentation/c2c.rst.\n",
	.options = known,
	.letters = VIEW_LETTERS,
	.run = c2c_run,
};
