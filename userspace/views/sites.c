// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <stdint.h>
#include <stdlib.h>

#include "../analysis/line.h"
#include "../analysis/core_traits.h"
#include "../util/text.h"
#include "figures.h"

/* The distance from the lowest to the highest address of the operands. */
static struct cell spread(const struct grid *grid, const struct figures *row)
{
	const struct memlat_rec_site *site = row->site;
	char text[TEXT_NUMBER_MAX];

	/* Code that copies between user and kernel memory: the gap between the two is no spread. */
	if (kernel_address(site->addr_min) != kernel_address(site->addr_max))
		return cell_text("user+kernel");
	return cell_say(grid_room(grid), "%s", text_bytes(text, site->addr_max - site->addr_min));
}

/* Add the share if the instruction also accesses other data. */
static struct cell data(const struct grid *grid, const struct figures *row)
{
	const struct site_data *of = row->data;
	char share[TEXT_NUMBER_MAX];

	if (!of->name)
		return cell_none();
	if (!of->name->text || of->samples == of->all)
		return cell_text(of->name->text);
	return cell_say(grid_room(grid), "%s %s", of->name->text,
			text_share(share, of->samples, of->all, 0));
}

enum { F_SITE_DATA = F_OWN, F_SPREAD, F_FROM, F_TO, F_BUCKETS };

#define HEX(member)	REPORT_NUMBER_AT(CELL_HEX, struct figures, site, member)

static const struct figure own[] = {
	OWN(SITE_DATA)	= { .as = F_DATA_TEXT, .get = data },
	OWN(SPREAD)	= { NULL, "spread", .get = spread },
	OWN(FROM)	= { "addr_min", "addresses from", HEX(addr_min) },
	OWN(TO)		= { "addr_max", NULL, HEX(addr_max) },
	OWN(BUCKETS)	= { "buckets", NULL, REPORT_LIST_AT(struct figures, site, bucket) },
};

/* The most useful columns first: a narrow terminal loses the last ones. */
static const unsigned short columns[] = {
	F_RANK | KEEP, F_COST | KEEP, F_IP | KEEP, F_FUNCTION | KEEP, F_LOADS | KEEP,
	F_STORES | KEEP, F_AVG | KEEP, F_SOURCE, F_SITE_DATA, F_MODULE | ONLY_TEXT, F_PROCESS, F_MAX,
	F_SERVED_TEXT, F_SERVED_FROM, F_SPREAD, F_HITM, F_TLB_SHARE, F_LOCKED, F_BLOCKED_DATA,
	F_BLOCKED_ADDR, F_CPU_COUNT, F_NODES, F_WEIGHT, F_FROM, F_TO, F_HITM_REMOTE | ONLY_DATA,
	F_HITM_LOCAL | ONLY_DATA, F_FWD | ONLY_DATA, F_STORE_HITM | ONLY_DATA, F_OF_RECORD, F_COMM,
	F_CODE, F_DATA, F_BUCKETS, F_END
};

static void fill(struct figures *row, const struct grid *grid)
{
	figures_of_site(row, &grid->profile->snap.sites[row->index]);
	row->data = grid->of ? (const struct site_data *)grid->of + row->index : NULL;
}

static bool ip_after(const struct rows_view *view)
{
	return trait_here(&rows_snap(view)->head.status, MEMLAT_TRAIT_IP_AFTER);
}

static void begin(struct grid *grid, const struct rows_view *view, const unsigned short *list,
		  bool fold)
{
	grid->nr = rows_snap(view)->nr_sites;
	grid->fill = fill;
	grid->own = own;
	grid->quality = (struct quality_table){
		"sites", site_order_name(view->word), .table = TABLE_SITES,
	};
	grid_show(grid, view->show, fold);
	grid->of = site_data_find(grid, DATA_BY_FIELD);
	grid_columns(grid, list);
	if (ip_after(view))
		grid_title(grid, F_IP, "ip after");
}

static void end(struct grid *grid)
{
	free((void *)(uintptr_t)grid->of);
}

static void print_above(FILE *out, const struct rows_view *view)
{
	if (ip_after(view))
		fputs("ip is that of the instruction after the access: this CPU's records hold no other address.\n",
		      out);
}

static void print_below(FILE *out, const struct grid *grid)
{
	namer_print_notes(grid->namer, out);
}

static void put(struct json_object *document, const struct grid *grid)
{
	json_put_text(document, "sort", grid->quality.order);
	json_put_counts(document, "edges", grid->profile->snap.buckets.edge, MEMLAT_BUCKETS - 1);
}

struct json_object *sites_show(FILE *out, enum report_format format, const struct rows_view *view)
{
	static const struct grid_view sites = {
		"sites", "site", columns, true, begin, print_above, print_below, put, end,
	};

	return grid_view_show(out, format, view, &sites);
}
