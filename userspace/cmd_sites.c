// SPDX-License-Identifier: GPL-2.0
#include "cmd_ordered.h"

#include <stdio.h>

#include "analysis/site.h"
#include "views/sites.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_THREAD)

static void show(struct profile *profile, struct namer *namer,
		 const struct view_options *options, const void *order)
{
	const struct sites_view view = {
		.profile = profile, .namer = namer, .order = *(const enum site_order *)order,
		.show = options->show, .width = out_width(),
	};

	site_sort(profile->snap.sites, profile->snap.nr_sites, view.order);
	REPORT_SHOW(sites, options->format, stdout, &view);
}

static enum exit_status sites_run(int argc, char **argv)
{
	struct ordered_options options = {
		.cmd = &cmd_sites,
		.order_name = site_order_name,
		.nr_orders = SITE_ORDERS,
		.order = SITE_BY_COST,
		.view = VIEW_OPTIONS_OF(SITES),
	};
	enum exit_status status;
	enum site_order order;

	if (!ordered_options_read(&options, argc, argv, &status))
		return status;
	order = options.order;
	return view_run(&options.view, TABLES, show, &order);
}

const struct cmd cmd_sites = {
	.name = "sites",
	.summary = "instructions, the most costly first",
	.help =
"usage: memlat-ctl sites [-i FILE] [-n N] [--sort ORDER] [--json | --csv]\n"
"\n"
"Instructions with what their loads waited for.\n"
"\n"
"  --sort ORDER       cost: cycles (the default); hitm: remote and local HITM;\n"
"                     samples: loads and stores; stores\n"
VIEW_HELP_CHAINS
VIEW_HELP_SELECT_SITES
VIEW_HELP
"\n"
"cost is the instruction's share of sampled latency, weighted by\n"
"period; ip its address in its process; loads and stores are samples, est.\n"
"accesses what they stand for; avg and max are core cycles of loads; data is the\n"
"variable or object, and the member of it, that most of its samples are in; spread\n"
"is from the lowest to the highest address that it used; blk data and blk addr,\n"
"where the CPU tells, are loads that waited for the data or the address of an\n"
"earlier store. ip after: this CPU's records name the next instruction.\n",
	.run = sites_run,
};
