// SPDX-License-Identifier: GPL-2.0
#include "sites.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/trait.h"
#include "../profile/imported.h"
#include "../util/text.h"
#include "filter.h"
#include "quality.h"
#include "row.h"
#include "site_data.h"
#include "where.h"

/* The most useful columns first: a narrow terminal loses the last ones. */
enum which {
	W_RANK, W_COST, W_IP, W_FUNCTION, W_LOADS, W_STORES, W_AVG, W_LINE, W_DATA, W_MODULE,
	W_PROCESS, W_MAX, W_SOURCES, W_SERVED_FROM, W_SPREAD, W_HITM, W_TLB, W_LOCKED,
	W_BLOCKED_DATA, W_BLOCKED_ADDR, W_CPUS, W_NODES, W_WEIGHT, W_FROM, W_TO, W_PID, W_SAMPLES,
	W_COST_CYCLES, W_RHITM, W_LHITM, W_FWD, W_NOT_MEMORY, W_INLINED, W_FILE,
	W_LINE_NUMBER, W_MODULE_NAME, W_PATH, W_OFFSET, W_FUNCTION_NAME, W_CPU_LIST,
	W_DATA_NAME, W_DATA_FIELD, W_DATA_KIND, W_DATA_TYPE, W_DATA_HOW, W_DATA_SHARE, W_NR
};

#define FIGURE(kind, member)	REPORT_NUMBER(CELL_ ## kind, struct memlat_rec_site, member)
#define COUNT(member)		FIGURE(COUNT, member)

static const struct report_column known[W_NR] = {
	[W_RANK]	= { "rank", "#", false, true },
	[W_COST]	= { "cost", "cost", false, true, .bounded = true },
	[W_IP]		= { "ip", "ip", false, true, FIGURE(HEX, ip) },
	[W_FUNCTION]	= { NULL, "function", true, true, .code = WHERE_FUNCTION },
	[W_LOADS]	= { "loads", "loads", false, true },
	[W_STORES]	= { "stores", "stores", false, true, COUNT(stores) },
	[W_AVG]		= { "latency_avg", "avg cyc", false, true },
	[W_LINE]	= { NULL, "source line", true, .code = WHERE_LINE },
	[W_DATA]	= { NULL, "data", true },
	[W_MODULE]	= { NULL, "load module", true, .code = WHERE_MODULE },
	[W_PROCESS]	= { "comm", "process", true },
	[W_MAX]		= { "latency_max", "max cyc", COUNT(latency_max) },
	[W_SOURCES]	= { NULL, "loads served from", true },
	[W_SERVED_FROM]	= { "served_from", NULL },
	[W_SPREAD]	= { NULL, "spread" },
	[W_HITM]	= { NULL, "HITM" },
	[W_TLB]		= { "stlb_miss_share", "TLB miss" },
	[W_LOCKED]	= { "locked", "locked" },
	[W_BLOCKED_DATA] = { "blocked_data", "blk data" },
	[W_BLOCKED_ADDR] = { "blocked_addr", "blk addr" },
	[W_CPUS]	= { NULL, "CPUs" },
	[W_NODES]	= { "nodes", "nodes", true, FIGURE(BITS, nodes) },
	[W_WEIGHT]	= { "weight", "est. accesses", COUNT(weight) },
	[W_FROM]	= { "addr_min", "addresses from", FIGURE(HEX, addr_min) },
	[W_TO]		= { "addr_max", NULL, FIGURE(HEX, addr_max) },
	[W_PID]		= { "pid", NULL, COUNT(space) },
	[W_SAMPLES]	= { "samples", NULL, COUNT(samples) },
	[W_COST_CYCLES]	= { "cost_cycles", NULL, COUNT(cost) },
	[W_RHITM]	= { "hitm_remote", NULL, COUNT(source[MEMLAT_SRC_RHITM]) },
	[W_LHITM]	= { "hitm_local", NULL, COUNT(source[MEMLAT_SRC_L3_HITM]) },
	[W_FWD]		= { "xsnp_fwd", NULL },
	[W_NOT_MEMORY]	= { "not_memory", NULL },
	WHERE_KEYS(W_),
	[W_CPU_LIST]	= { "cpus", NULL, FIGURE(BITS, cpus) },
	SITE_DATA_KEYS(W_),
	[W_DATA_FIELD]	= { "data_field", NULL, .data = SITE_DATA_FIELD },
};

/* The table with the columns for which this session has data. */
struct table {
	const struct rows_view *view;
	struct row_whole whole;
	struct site_data *data;	/* of the rows that are shown */
	struct report_table table;
};

static size_t shown(const struct rows_view *view)
{
	return rows_shown(view, rows_snap(view)->nr_sites);
}

static bool wanted(const struct table *table, enum which which)
{
	const struct memlat_status *status = &rows_snap(table->view)->head.status;
	__u32 flags = status->flags;

	switch (which) {
	case W_COST:
	case W_LOADS:
	case W_AVG:
	case W_MAX:
	case W_SOURCES:
	case W_HITM:
		return filter_loads(flags);
	case W_STORES:
		return filter_stores(flags);
	case W_NODES:
		return status->nodes != 1;
	case W_TLB:
	case W_LOCKED:
		return trait_here(status, MEMLAT_TRAIT_TLB);
	case W_BLOCKED_DATA:
	case W_BLOCKED_ADDR:
		return report_any(&table->table.report, &table->table.columns[which]);
	default:
		return true;
	}
}

static bool ip_after(const struct rows_view *view)
{
	return trait_here(&rows_snap(view)->head.status, MEMLAT_TRAIT_IP_AFTER);
}

/* The distance from the lowest to the highest address of the operands. */
static struct cell spread(struct cell_room *room, const struct memlat_rec_site *site)
{
	char text[TEXT_NUMBER_MAX];

	/* Code that copies between user and kernel memory: the gap between the two is no spread. */
	if (kernel_address(site->addr_min) != kernel_address(site->addr_max))
		return cell_text("user+kernel");
	return cell_say(room, "%s", text_bytes(text, site->addr_max - site->addr_min));
}

/* Add the share if the instruction also accesses other data. */
static struct cell data_text(struct cell_room *room, const struct site_data *data)
{
	char share[TEXT_NUMBER_MAX];

	if (!data->name)
		return cell_none();
	if (!data->name->text || data->samples == data->all)
		return cell_text(data->name->text);
	return cell_say(room, "%s %s", data->name->text,
			text_share(share, data->samples, data->all, 0));
}

static struct cell cell(const void *context, size_t row, unsigned int which)
{
	const struct table *table = context;
	struct cell_room *room = report_table_room(&table->table);
	const struct memlat_status *status = &rows_snap(table->view)->head.status;
	const struct memlat_rec_site *site = &rows_snap(table->view)->sites[row];
	__u64 part[MEMLAT_PART_NR];

	switch ((enum which)which) {
	case W_RANK:
		return cell_count(row + 1);
	case W_COST:
		return row_cost_cell(&table->whole, site->cost, site_loads(site));
	case W_PROCESS:
		return row_process_cell(room, site->comm, site->space, 0);
	case W_LOADS:
		return cell_count(site_loads(site));
	case W_AVG:
		return cell_ratio(CELL_AVERAGE, site->latency_sum,
				  imported_timed(status, site_loads(site)));
	case W_SERVED_FROM:
		if (!site_loads(site))
			return cell_none();
		/* fall through */
	case W_SOURCES:
		site_parts(site, part);
		return cell_keep(room, row_sources(site->source, part));
	case W_SPREAD:
		return spread(room, site);
	case W_HITM:
		return cell_count(site_hitm(site));
	case W_TLB:
		return trait_here(status, MEMLAT_TRAIT_TLB) ?
		       cell_ratio(CELL_SHARE, site->stlb_miss, site->samples) : cell_none();
	case W_LOCKED:
		return cell_known(trait_here(status, MEMLAT_TRAIT_TLB), site->locked);
	case W_BLOCKED_DATA:
	case W_BLOCKED_ADDR:
		if (!trait_here(status, MEMLAT_TRAIT_BLOCKED))
			return cell_none();
		return cell_count(which == W_BLOCKED_DATA ? site->blocked_data :
							    site->blocked_addr);
	case W_CPUS:
		return cell_cpu_count(site->cpus);
	case W_FWD:
		return cell_known(trait_here(status, MEMLAT_TRAIT_XSNP_FWD), site->xsnp_fwd);
	case W_NOT_MEMORY:
		return cell_known(trait_memory(rows_snap(table->view)), site->not_memory);
	case W_DATA:
		return data_text(room, &table->data[row]);
	default:
		if (known[which].data)
			return site_data_cell(&table->data[row], known[which].data);
		return where_cell(room, namer_sampled(table->view->namer, site->space, site->gen,
						      site->ip), known[which].code);
	}
}

static struct site_key key_of(const void *view, size_t row)
{
	const struct memlat_rec_site *site = &rows_snap(view)->sites[row];

	return (struct site_key){ site->ip, site->space, site->gen };
}

static void table_init(struct table *table, const struct rows_view *view)
{
	unsigned int which;

	memset(table, 0, sizeof(*table));
	table->view = view;
	row_whole_take(&table->whole, rows_snap(view));
	table->data = site_data_find(view->profile, view->namer, key_of, view, shown(view),
				     DATA_BY_FIELD);
	report_table_begin(&table->table, table, "sites", NULL, shown(view),
			   shown(view));
	table->table.report.rows = rows_snap(view)->sites;
	report_table_take(&table->table, known, W_NR, cell);
	for (which = 0; which < W_NR; which++)
		if (!wanted(table, which))
			table->table.columns[which].title = NULL;
	if (ip_after(view))
		table->table.columns[W_IP].title = "ip after";
}

static struct quality_table quality_of(const struct rows_view *view)
{
	return (struct quality_table){
		.what = "sites",
		.order = site_order_name(view->word),
		.shown = shown(view),
		.total = rows_snap(view)->nr_sites,
		.table = TABLE_SITES,
	};
}

static struct row_figures figures(const void *rows, size_t at)
{
	const struct memlat_rec_site *row = (const struct memlat_rec_site *)rows + at;

	return (struct row_figures){ row->cost, site_loads(row), row->samples, false };
}

void sites_print(FILE *out, const struct rows_view *all)
{
	const struct memlat_status *status = &rows_snap(all)->head.status;
	struct rows_view folded = *all, *view = &folded;
	struct quality_table quality;
	struct row_whole whole;
	struct row_fold fold;
	struct table table;

	if (!quality_print_begin(out, status))
		return;
	row_whole_take(&whole, rows_snap(view));
	view->show = row_fold(&fold, &whole, view->show, rows_snap(view)->sites,
			      rows_snap(view)->nr_sites, figures);
	quality = quality_of(view);
	if (ip_after(view))
		fputs("ip is that of the instruction after the access: this CPU's records hold no other address.\n",
		      out);
	fputc('\n', out);
	if (rows_snap(view)->nr_sites) {
		table_init(&table, view);
		report_print(out, &table.table.report, view->width);
		free(table.data);
	}
	quality_print_table(out, status, &quality);
	row_print_cpus(out, view->profile);
	quality_print_fold(out, "site", &fold, snapshot_cost(rows_snap(view)));
	namer_print_notes(view->namer, out);
}

void sites_csv(FILE *out, const struct rows_view *view)
{
	struct table table;

	table_init(&table, view);
	report_csv(out, &table.table.report);
	free(table.data);
}

static struct json_object *site_json(const struct table *table, size_t row)
{
	const struct report *report = &table->table.report;
	const struct snapshot *snap = rows_snap(table->view);
	const struct memlat_rec_site *site = &snap->sites[row];
	struct json_object *object = json_new();

	REPORT_PUT(object, report, row, W_RANK, W_IP);
	row_put_owner(object, site->space, site->gen, site->comm);
	REPORT_PUT(object, report, row, W_FUNCTION_NAME, W_OFFSET, W_INLINED, W_FILE,
		   W_LINE_NUMBER, W_MODULE_NAME, W_PATH, W_DATA_NAME, W_DATA_FIELD, W_DATA_KIND,
		   W_DATA_TYPE, W_DATA_HOW, W_DATA_SHARE);
	ROW_PUT_FIGURES(object, site, snap, &table->whole);
	json_put_counts(object, "buckets", site->bucket, MEMLAT_BUCKETS);
	REPORT_PUT(object, report, row, W_FROM, W_TO, W_CPU_LIST, W_NODES, W_BLOCKED_DATA,
		   W_BLOCKED_ADDR);
	return object;
}

struct json_object *sites_json(const struct rows_view *view)
{
	const struct snapshot *snap = rows_snap(view);
	const struct quality_table quality = quality_of(view);
	struct json_object *document = quality_document("sites", snap), *list = json_list();
	struct table table;
	size_t row;

	table_init(&table, view);
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "sort", site_order_name(view->word));
	json_put_counts(document, "edges", snap->buckets.edge,
			MEMLAT_BUCKETS - 1);
	json_put_count(document, "cost_cycles", snapshot_cost(snap));
	json_put_count(document, "sites_total", snap->nr_sites);
	json_put_count(document, "sites_shown", quality.shown);
	quality_put_table(document, &snap->head.status, &quality);
	json_put_bool(document, "ip_after", ip_after(view));
	for (row = 0; row < quality.shown; row++)
		json_append(list, site_json(&table, row));
	json_put(document, "sites", list);
	free(table.data);
	return document;
}
