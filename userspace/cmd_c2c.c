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

/* In the order of C2C_TID, C2C_PID, ... */
static const char *const field_names[] = { "tid", "pid", "iaddr", "dso" };
static const struct cmd_words fields = { "no such field", 4, .list = field_names };

/* Orders, as enum c2c_display, and what else is shown or not. */
enum { ALL = C2C_DISPLAYS, PAIRS, STATS, SYMBOLS, NO_SOURCE, DISPLAYS };

static const char *display_name(unsigned int word)
{
	static const char *const names[] = { "all", "pairs", "stats", "symbols", "no-source" };

	return word < ALL ? c2c_display_names[word] : names[word - ALL];
}

static const struct cmd_words displays = { "no such display", DISPLAYS, .name = display_name };

static bool take_display(struct c2c_options *options)
{
	unsigned int words, order;

	if (!cmd_take_words(&cmd_c2c, OPT_DISPLAY, &words))
		return false;
	for (order = 0; order < C2C_DISPLAYS; order++)
		if (words >> order & 1)
			options->display = order;
	options->show_all |= words >> ALL & 1;
	options->double_cl |= words >> PAIRS & 1;
	options->stats |= words >> STATS & 1;
	options->full_symbols |= words >> SYMBOLS & 1;
	options->no_source |= words >> NO_SOURCE & 1;
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
static bool read_option(void *context, int option)
{
	struct c2c_options *options = context;

	switch (option) {
	case OPT_NODES:
		options->node_info = (options->node_info + 1) % 3;
		return true;
	case OPT_DISPLAY:
		return take_display(options);
	case OPT_LINE:
		return take_line(options, optarg);
	default:
		return false;
	}
}

static enum exit_status no_such_line(const struct c2c_options *options)
{
	if (options->addr)
		out_complain("--line 0x%llx: no sample is of this line\n  memlat-ctl lines -n 0      shows those that have some",
			     options->addr);
	else
		out_complain("--line %zu: there are fewer shared lines\n  memlat-ctl c2c --display all -n 0      shows all of them",
			     options->index);
	return FAILED;
}

static enum exit_status print_c2c(struct profile *profile, struct namer *namer,
				  const struct view_options *view, const void *context)
{
	struct c2c_options options = *(const struct c2c_options *)context;
	struct c2c c2c;

	/* Programs get all lines. */
	options.fold = view->format == REPORT_TEXT;
	if (c2c_take(&c2c, profile, namer, &options))
		return no_such_line(&options);
	REPORT_SHOW(view->format, stdout, c2c_print(stdout, &c2c, out_width()), c2c_csv(stdout, &c2c),
		    c2c_json(&c2c));
	c2c_free(&c2c);
	return DONE;
}

static enum exit_status c2c_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(LINES);
	struct c2c_options options = { .coalesce = C2C_IADDR };
	const struct cmd_sets sets[] = { SETS(FIELDS, words, options.coalesce), { 0 } };

	if (!view_options_read(args, &view, sets, read_option, &options))
		return args->status;
	options.show = view.show;
	/* The chains are shown with each line, and not once more below all of them. */
	options.call_graph = view.call_graph;
	view.call_graph = false;
	return view_run(&view, TABLES, print_c2c, &options);
}

const struct cmd cmd_c2c = {
	.name = "c2c",
	.summary = "lines that CPUs fight over, byte by byte, as perf c2c shows them",
	.usage =
"usage: memlat-ctl c2c [-d WORDS] [-c FIELDS] [-N] [-g] [--line N] ...\n"
"\n"
"Show cache lines that several threads use and at least one writes, ranked by cost and\n"
"with a verdict in words; below, who uses which bytes of them.\n",
	.notes =
"Cost is the line's share of sampled latency. Tot Hitm is its share of the loads that hit\n"
"a line which another core had modified, Lcl on this socket, Rmt on another. PA cnt is\n"
"the number of different physical pages at which the line was seen. FB counts hits of fill\n"
"buffers, for which an earlier miss was already fetching the line. Sure is how certain\n"
"the verdict is. In the Pareto, percentages are of the line's figures, cycles are\n"
"averages of a load, and cpu cnt counts CPUs. Headings are those of perf c2c, but every\n"
"sample is counted once: see Documentation/c2c.rst.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(DISPLAY, .words = &displays), TAKES(FIELDS, .words = &fields),
		TAKES(NODES), TAKES(CALL_GRAPH), TAKES(LINE), VIEW_ROWS, VIEW_REST, { 0 }
	},
	.run = c2c_run,
};
