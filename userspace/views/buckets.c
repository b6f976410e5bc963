// SPDX-License-Identifier: GPL-2.0
#include "../util/number.h"
#include "views.h"

#include <stdbool.h>
#include <string.h>

#include "../analysis/core_traits.h"
#include "../profile/snapshot.h"
#include "../util/cpulist.h"
#include "../util/source.h"
#include "figures.h"
#include "quality.h"
#include "report.h"
#include "row.h"

#define COLUMN_WIDTH_LEAST	9	/* as in sysfs */
#define CPUS_ROOM		4096	/* room for any list of CPUs that is likely */

/* The figures of the table, from which the width of the columns follows. */
struct bucket_table {
	__u32 traits;
	__u64 cell[MEMLAT_BUCKETS + 1][COLUMN_NR + 1];
	int width[COLUMN_NR + 1];
};

/* The traits that split sources. An older module used use latency for rows, and split none. */
static __u32 traits_of(const struct snapshot *snap)
{
	__u32 traits = snap->head.status.cores ? snap->head.status.traits : 0;

	return trait_memory(snap) ? traits : traits & ~MEMLAT_TRAIT_CACHE_LATENCY;
}

static bool has_column(const struct bucket_table *table, unsigned int column)
{
	return column == COLUMN_NR || source_column_here(column, table->traits);
}

static void parts_of(const struct snapshot *snap, unsigned int row, bool weighted,
		     __u64 part[MEMLAT_PART_NR])
{
	unsigned int i;

	for (i = 0; i < MEMLAT_PART_NR; i++)
		part[i] = weighted ? snap->parts.part[i].weight[row] :
				     snap->parts.part[i].count[row];
}

static const char *column_name(unsigned int column)
{
	return column < COLUMN_NR ? level_column_name(column) : "total";
}

static void table_fill(struct bucket_table *table, const struct snapshot *snap, bool weighted)
{
	const struct memlat_rec_buckets *buckets = &snap->buckets;
	__u64 part[MEMLAT_PART_NR];
	unsigned int row, column;

	memset(table, 0, sizeof(*table));
	table->traits = traits_of(snap);
	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		const __u64 *count = weighted ? buckets->weight[row] : buckets->count[row];

		parts_of(snap, row, weighted, part);
		source_fold(count, part, table->cell[row]);
		table->cell[row][COLUMN_NR] = source_total(count);
		for (column = 0; column <= COLUMN_NR; column++)
			table->cell[MEMLAT_BUCKETS][column] += table->cell[row][column];
	}
	/* The sums are the largest figures of their columns. */
	for (column = 0; column <= COLUMN_NR; column++) {
		int digits = snprintf(NULL, 0, "%llu",
				      table->cell[MEMLAT_BUCKETS][column]);
		int name = (int)strlen(column_name(column)) + 1;

		table->width[column] = digits > name ? digits : name;
		if (table->width[column] < COLUMN_WIDTH_LEAST)
			table->width[column] = COLUMN_WIDTH_LEAST;
	}
}

/* Print what to bear in mind on this CPU, in the words of sysfs. */
static void print_traits(FILE *out, const struct memlat_status *status)
{
	double turns = (double)status->load_turn + (double)status->store_turn;

	if (turns > 0) {
		unsigned int loads = (unsigned int)(100.0 * (double)status->load_turn /
						    turns);

		fprintf(out, "  load_turn %u%%  store_turn %u%%", loads,
			100 - loads);
	}
	if (trait_here(status, MEMLAT_TRAIT_IP_AFTER))
		fputs("  ip after", out);
	if (trait_here(status, MEMLAT_TRAIT_BLOCKED))
		fprintf(out, "  blocked_data %llu  blocked_addr %llu",
			status->blocked_data, status->blocked_addr);
}

/* Print the lines above the table, as in sysfs. */
static void print_header(FILE *out, const struct snapshot *snap, bool weighted)
{
	const struct memlat_status *status = &snap->head.status;
	char cpus[CPUS_ROOM];
	size_t i;

	fprintf(out, "# memlat %u  state %s  ldlat %u  period %llu",
		snap->head.abi_version,
		status->state == MEMLAT_STATE_RUNNING ? "running" : "idle",
		status->ldlat, status->period_low);
	/* The budget varies the period. */
	if (status->period_high != status->period_low)
		fprintf(out, "..%llu", status->period_high);
	fprintf(out, "  samples %llu  lost %llu  unit cycles  edges %s",
		status->loads, account_lost(status), snap->head.model_name);
	print_traits(out, status);
	fprintf(out, "%s\n", weighted ? "  cells estimates" : "");
	for (i = 0; snap->nr_cores > 1 && i < snap->nr_cores; i++)
		fprintf(out, "# core %u  model %s  cpus %s\n", snap->cores[i].core,
			snap->cores[i].model_name,
			cpulist_text(cpus, sizeof(cpus), snap->cores[i].cpus));
}

/* Print the average use latency by source, of cores that report both it and the time in memory. */
static void print_use_latency(FILE *out, const struct snapshot *snap, const struct bucket_table *table)
{
	__u64 told[MEMLAT_SRC_NR], loads[COLUMN_NR + 1], sum[COLUMN_NR + 1];
	const __u64 whole[MEMLAT_PART_NR] = { 0 };
	unsigned int column;

	trait_sources(snap, MEMLAT_TRAIT_CACHE_LATENCY, told);
	loads[COLUMN_NR] = source_total(told);
	if (!loads[COLUMN_NR] || !snap->head.status.use_latency_sum)
		return;
	source_fold(told, whole, loads);
	source_fold(snap->parts.use_latency, whole, sum);
	sum[COLUMN_NR] = source_total(snap->parts.use_latency);
	fputs("# average use latency, including waits for other things than memory, in cycles\n", out);
	fprintf(out, "%-9s", "# use");
	for (column = 0; column <= COLUMN_NR; column++)
		if (!has_column(table, column))
			continue;
		else if (loads[column])
			fprintf(out, " %*llu", table->width[column],
				sum[column] / loads[column]);
		else
			fprintf(out, " %*s", table->width[column], "-");
	fputc('\n', out);
}

/* Print where stores found their lines, below the table of loads. */
static void print_stores(FILE *out, const struct snapshot *snap, const struct bucket_table *table,
			 bool weighted)
{
	const __u64 *count = weighted ? snap->stores.weight : snap->stores.count;
	__u64 part[MEMLAT_PART_NR] = { 0 }, sum[COLUMN_NR + 1];
	unsigned int column;

	if (!snap->have_stores || !source_total(snap->stores.count) ||
	    !trait_here(&snap->head.status, MEMLAT_TRAIT_STORE_SOURCE))
		return;
	/* Scale the number of samples to an estimate. */
	part[MEMLAT_PART_XSNP_FWD] = snap->stores.xsnp_fwd;
	if (weighted && snap->stores.count[MEMLAT_SRC_L3_SNOOP])
		part[MEMLAT_PART_XSNP_FWD] =
			number_whole((double)count[MEMLAT_SRC_L3_SNOOP] *
				     (double)snap->stores.xsnp_fwd /
				     (double)snap->stores.count[MEMLAT_SRC_L3_SNOOP]);
	source_fold(count, part, sum);
	sum[COLUMN_NR] = source_total(count);
	fprintf(out, "# stores by where their line was\n%-9s", "# stores");
	for (column = 0; column <= COLUMN_NR; column++)
		if (has_column(table, column))
			fprintf(out, " %*llu", table->width[column], sum[column]);
	fputc('\n', out);
}

void buckets_print(FILE *out, const struct snapshot *snap, bool weighted)
{
	const struct memlat_rec_buckets *buckets = &snap->buckets;
	const struct memlat_status *status = &snap->head.status;
	char turns[QUALITY_TURNS_MAX];
	unsigned int row, column;
	struct bucket_table table;

	table_fill(&table, snap, weighted);
	print_header(out, snap, weighted);
	fprintf(out, "%-9s", "# latency");
	for (column = 0; column <= COLUMN_NR; column++)
		if (has_column(&table, column))
			fprintf(out, " %*s", table.width[column], column_name(column));
	fputc('\n', out);
	for (row = 0; row <= MEMLAT_BUCKETS; row++) {
		char label[24];

		if (row == MEMLAT_BUCKETS)
			strcpy(label, "total");
		else if (row == MEMLAT_BUCKETS - 1)
			snprintf(label, sizeof(label), ">%llu",
				 buckets->edge[row - 1]);
		else
			snprintf(label, sizeof(label), "<=%llu",
				 buckets->edge[row]);
		fprintf(out, "%-9s", label);
		for (column = 0; column <= COLUMN_NR; column++)
			if (has_column(&table, column))
				fprintf(out, " %*llu", table.width[column],
					table.cell[row][column]);
		fputc('\n', out);
	}
	/* Print the rest below the table as comments, because scripts read the table. */
	print_use_latency(out, snap, &table);
	print_stores(out, snap, &table, weighted);
	if (quality_turns(turns, status))
		fprintf(out, "# %s\n", turns);
	errata_print(out, "# ", errata_here(snap), ERRATA_SOURCES);
}

#define CELL(name, ...)	REPORT_CELL(name, struct snapshot, __VA_ARGS__)
#define BY_SOURCE(counts) ((struct cell){ .kind = CELL_SOURCES, .list = of->buckets.counts[at] })

CELL(above, cell_count(at ? of->buckets.edge[at - 1] : 0))
CELL(to, cell_known(at < MEMLAT_BUCKETS - 1, of->buckets.edge[at]))
CELL(loads, cell_count(source_total(of->buckets.count[at])))
CELL(weight, cell_count(source_total(of->buckets.weight[at])))
CELL(sources, BY_SOURCE(count))
CELL(weights, BY_SOURCE(weight))

static struct cell part(const void *context, size_t row, unsigned int which)
{
	const struct snapshot *snap = context;

	return cell_known(source_part_here(which, traits_of(snap)), snap->parts.part[which].count[row]);
}

static void rows_table(struct report_table *table, const struct snapshot *snap)
{
	static const struct report_column columns[] = {
		{ "above", .get = above },
		{ "to", .get = to },
		{ .figure = F_LOADS, .get = loads },
		{ .figure = F_WEIGHT, .get = weight },
		{ .figure = F_SOURCES, .sources = true, .get = sources },
		{ "weights", .sources = true, .get = weights },
	};
	unsigned int i;

	report_table_begin(table, snap, "buckets", NULL, MEMLAT_BUCKETS, MEMLAT_BUCKETS);
	report_table_take(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (i = 0; i < MEMLAT_PART_NR; i++)
		REPORT_ADD(table, source_part_name(i), .get_at = part, .which = i);
}

void buckets_csv(FILE *out, const struct snapshot *snap)
{
	struct report_table table;

	rows_table(&table, snap);
	report_csv(out, &table.report);
}

/* Put the loads that the CPU tells apart within a source; null if it does not. */
static void put_parts(struct json_object *object, const struct snapshot *snap,
		      const __u64 count[MEMLAT_PART_NR])
{
	unsigned int i;

	for (i = 0; i < MEMLAT_PART_NR; i++)
		json_put_known(object, source_part_name(i),
			      source_part_here(i, traits_of(snap)), count[i]);
}

static void put_averages(struct json_object *total, const char *key,
			 const __u64 sum[MEMLAT_SRC_NR], const __u64 told[MEMLAT_SRC_NR])
{
	struct json_object *average = json_new();
	unsigned int source;

	for (source = 0; source < MEMLAT_SRC_NR; source++)
		json_put_ratio(average, source_name(source), sum[source], told[source]);
	json_put(total, key, average);
}

/* Put both latencies by source, if cores report both. The average of no loads is null. */
static void put_both_latencies(struct json_object *total, const struct snapshot *snap)
{
	__u64 told[MEMLAT_SRC_NR];

	trait_sources(snap, MEMLAT_TRAIT_CACHE_LATENCY, told);
	json_put_count(total, "cache_latency_sum", source_total(snap->buckets.cache_latency));
	json_put_sources(total, "cache_latency", snap->buckets.cache_latency);
	put_averages(total, "cache_latency_avg", snap->buckets.cache_latency, told);
	json_put_count(total, "use_latency_sum", source_total(snap->parts.use_latency));
	json_put_sources(total, "use_latency", snap->parts.use_latency);
	put_averages(total, "use_latency_avg", snap->parts.use_latency, told);
}

/* Put where stores found their lines, and their latency; null if the CPU does not report it. */
static void put_stores(struct json_object *document, const struct snapshot *snap)
{
	const struct memlat_rec_stores *stores = &snap->stores;
	struct json_object *object;

	if (!snap->have_stores || !trait_here(&snap->head.status, MEMLAT_TRAIT_STORE_SOURCE)) {
		json_put_null(document, "stores_served");
		return;
	}
	object = json_new();
	json_put_count(object, "stores", source_total(stores->count));
	json_put_sources(object, "sources", stores->count);
	json_put_sources(object, "weights", stores->weight);
	json_put_known(object, "xsnp_fwd",
		      trait_here(&snap->head.status, MEMLAT_TRAIT_XSNP_FWD), stores->xsnp_fwd);
	json_put_count(object, "latency_sum", source_total(stores->latency));
	json_put_sources(object, "latency", stores->latency);
	json_put(document, "stores_served", object);
}

struct json_object *buckets_json(const struct snapshot *snap)
{
	const struct memlat_rec_buckets *buckets = &snap->buckets;
	struct json_object *document = quality_document("buckets", snap);
	struct json_object *total = json_new(), *raw = json_new();
	__u64 sum[MEMLAT_SRC_NR], weight[MEMLAT_SRC_NR], part[MEMLAT_PART_NR] = { 0 };
	struct report_table table;
	unsigned int row, i, word;

	json_put_text(document, "unit", "core cycles");
	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (i = 0; i < MEMLAT_PART_NR; i++)
			part[i] += snap->parts.part[i].count[row];
	rows_table(&table, snap);
	source_sums(buckets->count, sum);
	source_sums(buckets->weight, weight);
	json_put(document, "buckets", report_json(&table.report));
	json_put_count(total, "loads", source_total(sum));
	json_put_sources(total, "sources", sum);
	json_put_count(total, "weight", source_total(weight));
	json_put_sources(total, "weights", weight);
	json_put_count(total, "latency_sum", source_total(buckets->latency));
	json_put_sources(total, "latency", buckets->latency);
	put_parts(total, snap, part);
	put_both_latencies(total, snap);
	json_put(document, "total", total);
	put_stores(document, snap);
	/* Iterate over the low byte of the source word. */
	for (word = 0; word < 256; word++) {
		char key[8];

		if (!snap->raw.count[word])
			continue;
		snprintf(key, sizeof(key), "0x%02x", word);
		json_put_count(raw, key, snap->raw.count[word]);
	}
	json_put(document, "raw", raw);
	return document;
}
