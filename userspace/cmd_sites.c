// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "cmd_top.h"
#include "lib/site.h"
#include "views/json.h"
#include "views/sites.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_THREAD)

static const char *order_name(unsigned int order)
{
	return site_order_name(order);
}

static enum exit_status sites_run(int argc, char **argv)
{
	struct top_options options = {
		.cmd = &cmd_sites,
		.order_name = order_name,
		.nr_orders = SITE_ORDERS,
		.order = SITE_BY_COST,
		.show = TOP_SHOWN,
	};
	struct sites_view view = { 0 };
	enum exit_status status;
	struct snapshot snap;
	int ret = 0;

	if (!top_options_read(&options, argc, argv, &status))
		return status;
	if (!cmd_snapshot(&snap, TABLES))
		return FAILED;
	view.snap = &snap;
	view.order = options.order;
	view.show = options.show;
	view.width = out_width();
	site_sort(snap.sites, snap.nr_sites, view.order);
	if (options.json)
		json_print(sites_json(&view));
	else
		ret = sites_print(stdout, &view);
	snapshot_free(&snap);
	if (ret) {
		out_complain("cannot show the sites: %s", strerror(-ret));
		return FAILED;
	}
	return DONE;
}

const struct cmd cmd_sites = {
	.name = "sites",
	.summary = "instructions, the most costly first",
	.help =
"usage: memlat-ctl sites [-n N] [--sort ORDER] [--json]\n"
"\n"
"Instructions with what their loads waited for.\n"
"\n"
"  -n N               show N sites (20); 0: all\n"
"  --sort ORDER       cost: cycles (the default); hitm: remote and local HITM;\n"
"                     samples: loads and stores; stores\n"
"  --json             as JSON, with stable keys\n"
"  -h, --help         this text\n"
"\n"
"cost is the instruction's share of all cycles that loads took, weighted by\n"
"period; ip its address in its process; loads and stores are samples, est.\n"
"accesses what they stand for; avg and max are core cycles of loads; spread is\n"
"from the lowest to the highest address that it used.\n",
	.run = sites_run,
};
