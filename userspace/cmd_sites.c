// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "analysis/site.h"
#include "views/views.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD)

static enum exit_status show(struct profile *profile, struct namer *namer,
			     const struct view_options *options, const void *unused)
{
	const struct rows_view view = view_rows(profile, namer, options);

	site_sort(profile->snap.sites, profile->snap.nr_sites, view.word);
	REPORT_SHOW(sites, options->format, stdout, &view);
	return DONE;
}

static const struct option known[] = {
	{ "sort", required_argument, NULL, OPT_SORT },
	VIEW_OPTIONS, VIEW_SELECT_TASKS, VIEW_CHAINS, { 0 }
};

static const struct view_words orders = { "no such order", site_order_name, SITE_ORDERS };

static enum exit_status sites_run(struct cmd_args *args)
{
	struct view_options view = VIEW_OPTIONS_OF(SITES, .words = &orders, .word = SITE_BY_COST);

	return view_command(args, &view, TABLES, show);
}

const struct cmd cmd_sites = {
	.name = "sites",
	.summary = "instructions, the most costly first",
	.help =
"usage: memlat-ctl sites [-i FILE] [-n N] [--sort ORDER] [--json | --csv]\n"
"\n"
"Show instructions and what their loads waited for.\n"
"\n"
"  --sort ORDER       cost: cycles (the default); hitm: remote and local HITM;\n"
"                     samples: loads and stores; stores\n"
VIEW_HELP_CHAINS
VIEW_HELP_SELECT_SITES
VIEW_HELP
"\n"
"cost is the instruction's share of sampled latency, weighted by period, and ip its\n"
"address in its process. loads and stores count samples; est. accesses is how many\n"
"accesses these stand for. avg and max are core cycles of loads. data is the variable\n"
"or object, and its member, that most of the samples are in. spread is the distance\n"
"from the lowest to the highest address that the instruction used. blk data and blk\n"
"addr, if the CPU reports them, count loads that waited for the data or the address of\n"
"an earlier store. ip after means that this CPU's records name the next instruction.\n",
	.options = known,
	.letters = VIEW_LETTERS,
	.run = sites_run,
};
