// SPDX-License-Identifier: GPL-2.0
#include "sites.h"

#include <string.h>

#include "../lib/account.h"
#include "filter.h"
#include "quality.h"
#include "row.h"
#include "table.h"
#include "text.h"

/* In the order of their worth: a narrow terminal loses the last ones. */
enum column {
	C_RANK, C_COST, C_IP, C_PROCESS, C_LOADS, C_STORES, C_AVG, C_MAX,
	C_SOURCES, C_SPREAD, C_HITM, C_TLB, C_LOCKED, C_CPUS, C_NODES,
	C_WEIGHT, C_FROM, C_NR
};

static const struct table_column columns[C_NR] = {
	[C_RANK]	= { "#", true },
	[C_COST]	= { "cost", true },
	[C_IP]		= { "ip", true },
	[C_PROCESS]	= { "process", false },
	[C_LOADS]	= { "loads", true },
	[C_STORES]	= { "stores", true },
	[C_AVG]		= { "avg cyc", true },
	[C_MAX]		= { "max cyc", true },
	[C_SOURCES]	= { "loads served from", false },
	[C_SPREAD]	= { "spread", true },
	[C_HITM]	= { "HITM", true },
	[C_TLB]		= { "TLB miss", true },
	[C_LOCKED]	= { "locked", true },
	[C_CPUS]	= { "CPUs", true },
	[C_NODES]	= { "nodes", false },
	[C_WEIGHT]	= { "est. accesses", true },
	[C_FROM]	= { "addresses from", true },
};

struct choice {
	const struct sites_view *view;
	__u64 cost;		/* of everything */
	size_t nr;
	size_t nr_keep;
	enum column column[C_NR];
	struct table_column title[C_NR];
};

static bool wanted(enum column column, __u32 flags)
{
	switch (column) {
	case C_COST:
	case C_LOADS:
	case C_AVG:
	case C_MAX:
	case C_SOURCES:
	case C_HITM:
		return filter_loads(flags);
	case C_STORES:
		return filter_stores(flags);
	default:
		return true;
	}
}

static void choose(struct choice *choice, const struct sites_view *view)
{
	enum column column;

	memset(choice, 0, sizeof(*choice));
	choice->view = view;
	choice->cost = snapshot_cost(view->snap);
	for (column = 0; column < C_NR; column++) {
		if (!wanted(column, view->snap->head.status.flags))
			continue;
		choice->column[choice->nr] = column;
		choice->title[choice->nr++] = columns[column];
		if (column <= C_AVG)
			choice->nr_keep = choice->nr;
	}
}

static size_t shown(const struct sites_view *view)
{
	size_t nr = view->snap->nr_sites;

	return view->show && view->show < nr ? view->show : nr;
}

/* From the lowest to the highest address that operands began at. */
static char *spread_text(const struct memlat_rec_site *site)
{
	char text[TEXT_NUMBER_MAX];

	/* Code that copies between them: the gap in the middle is no spread. */
	if (site->addr_min >> 63 != site->addr_max >> 63)
		return row_text("user+kernel");
	return row_text(text_bytes(text, site->addr_max - site->addr_min));
}

static char *cell(const void *context, size_t row, size_t at)
{
	const struct choice *choice = context;
	const struct memlat_rec_site *site = &choice->view->snap->sites[row];
	char text[TEXT_LIST_MAX];

	switch (choice->column[at]) {
	case C_RANK:
		return row_number(row + 1);
	case C_COST:
		return row_share(site->cost, choice->cost);
	case C_IP:
		return row_hex(site->ip);
	case C_PROCESS:
		return row_process(site->comm, site->space, 0);
	case C_LOADS:
		return row_number(site_loads(site));
	case C_STORES:
		return row_number(site->stores);
	case C_AVG:
		return row_average(site->latency_sum, site_loads(site));
	case C_MAX:
		return row_number(site->latency_max);
	case C_SOURCES:
		return row_sources(site->source);
	case C_SPREAD:
		return spread_text(site);
	case C_HITM:
		return row_number(site_hitm(site));
	case C_TLB:
		return row_share(site->stlb_miss, site->samples);
	case C_LOCKED:
		return row_number(site->locked);
	case C_CPUS:
		return row_number((__u64)__builtin_popcountll(site->cpus));
	case C_NODES:
		return row_text(text_bits(text, site->nodes));
	case C_WEIGHT:
		return row_number(site->weight);
	default:
		return row_hex(site->addr_min);
	}
}

static struct quality_table quality_of(const struct sites_view *view)
{
	const struct memlat_status *status = &view->snap->head.status;

	return (struct quality_table){
		.what = "sites",
		.order = site_order_name(view->order),
		.shown = shown(view),
		.total = view->snap->nr_sites,
		.evicted = status->sites_evicted,
		.error = status->sites_error,
	};
}

int sites_print(FILE *out, const struct sites_view *view)
{
	const struct memlat_status *status = &view->snap->head.status;
	const struct quality_table quality = quality_of(view);
	struct choice choice;
	int ret;

	if (status->started_ns)
		quality_print(out, status);
	if (!status->samples) {
		quality_print_hint(out, status);
		return 0;
	}
	fputc('\n', out);
	if (view->snap->nr_sites) {
		struct table_source source = {
			.nr_rows = shown(view),
			.cell = cell,
			.context = &choice,
		};

		choose(&choice, view);
		source.columns = choice.title;
		source.nr_columns = choice.nr;
		source.nr_keep = choice.nr_keep;
		ret = table_print_from(out, &source, view->width);
		if (ret)
			return ret;
	}
	quality_print_table(out, status, &quality);
	return 0;
}

static struct json_object *site_json(const struct sites_view *view, size_t row,
				     __u64 whole)
{
	const struct memlat_rec_site *site = &view->snap->sites[row];
	struct json_object *object = json_new();

	json_put_count(object, "rank", row + 1);
	json_put_hex(object, "ip", site->ip);
	json_put_count(object, "pid", site->space);
	json_put_count(object, "gen", site->gen);
	row_put_comm(object, "comm", site->comm);
	json_put_bool(object, "kernel", !site->space);
	json_put_count(object, "samples", site->samples);
	json_put_count(object, "loads", site_loads(site));
	json_put_count(object, "stores", site->stores);
	json_put_count(object, "store_l1_hit", site->store_l1_hit);
	json_put_count(object, "error", site->error);
	json_put_count(object, "weight", site->weight);
	row_put_ratio(object, "cost", site->cost, whole);
	json_put_count(object, "cost_cycles", site->cost);
	json_put_count(object, "latency_sum", site->latency_sum);
	row_put_ratio(object, "latency_avg", site->latency_sum,
		      site_loads(site));
	json_put_count(object, "latency_max", site->latency_max);
	row_put_hitm(object, site->source);
	json_put_count(object, "locked", site->locked);
	json_put_count(object, "stlb_miss", site->stlb_miss);
	json_put_sources(object, "sources", site->source);
	json_put_sources(object, "latency", site->latency);
	json_put_counts(object, "buckets", site->bucket, MEMLAT_BUCKETS);
	json_put_hex(object, "addr_min", site->addr_min);
	json_put_hex(object, "addr_max", site->addr_max);
	json_put_bits(object, "cpus", site->cpus);
	json_put_bits(object, "nodes", site->nodes);
	return object;
}

struct json_object *sites_json(const struct sites_view *view)
{
	const struct snapshot *snap = view->snap;
	const struct quality_table quality = quality_of(view);
	struct json_object *document = json_new(), *list = json_list();
	__u64 whole = snapshot_cost(snap);
	size_t row;

	json_put_count(document, "abi_version", snap->head.abi_version);
	json_put_text(document, "model", snap->head.model_name);
	quality_put(document, &snap->head.status);
	json_put_bool(document, "accounts_hold", !account_snapshot_broken(snap));
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "sort", site_order_name(view->order));
	json_put_counts(document, "edges", snap->buckets.edge,
			MEMLAT_BUCKETS - 1);
	json_put_count(document, "cost_cycles", whole);
	json_put_count(document, "sites_total", snap->nr_sites);
	json_put_count(document, "sites_shown", quality.shown);
	quality_put_table(document, &snap->head.status, &quality);
	for (row = 0; row < quality.shown; row++)
		json_append(list, site_json(view, row, whole));
	json_put(document, "sites", list);
	return document;
}
