// SPDX-License-Identifier: GPL-2.0
#include "buckets.h"

#include <stdbool.h>
#include <string.h>

#include "../lib/account.h"
#include "../lib/source.h"
#include "quality.h"

#define COLUMN_WIDTH_LEAST	9	/* as in sysfs */

/* Every figure of the table, so that columns can be as wide as they need. */
struct table {
	__u64 cell[MEMLAT_BUCKETS + 1][COLUMN_NR + 1];
	int width[COLUMN_NR + 1];
};

static const char *column_name(unsigned int column)
{
	return column < COLUMN_NR ? source_column_name(column) : "total";
}

static const __u64 *cells(const struct memlat_rec_buckets *buckets,
			  unsigned int row, bool weighted)
{
	return weighted ? buckets->weight[row] : buckets->count[row];
}

static void table_fill(struct table *table,
		       const struct memlat_rec_buckets *buckets, bool weighted)
{
	unsigned int row, column;

	memset(table, 0, sizeof(*table));
	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		const __u64 *count = cells(buckets, row, weighted);

		source_fold(count, table->cell[row]);
		table->cell[row][COLUMN_NR] = source_total(count);
		for (column = 0; column <= COLUMN_NR; column++)
			table->cell[MEMLAT_BUCKETS][column] +=
				table->cell[row][column];
	}
	/* The sums are the largest figures of their columns. */
	for (column = 0; column <= COLUMN_NR; column++) {
		int digits = snprintf(NULL, 0, "%llu",
				      table->cell[MEMLAT_BUCKETS][column]);
		int name = (int)strlen(column_name(column));

		table->width[column] = digits > name ? digits : name;
		if (table->width[column] < COLUMN_WIDTH_LEAST)
			table->width[column] = COLUMN_WIDTH_LEAST;
	}
}

void buckets_print(FILE *out, const struct snapshot *snap, bool weighted)
{
	const struct memlat_rec_buckets *buckets = &snap->buckets;
	const struct memlat_status *status = &snap->head.status;
	unsigned int row, column;
	struct table table;

	table_fill(&table, buckets, weighted);
	fprintf(out, "# memlat %u  state %s  ldlat %u  period %llu",
		snap->head.abi_version,
		status->state == MEMLAT_STATE_RUNNING ? "running" : "idle",
		status->ldlat, status->period_low);
	/* A budget moves it. */
	if (status->period_high != status->period_low)
		fprintf(out, "..%llu", status->period_high);
	fprintf(out, "  samples %llu  lost %llu  unit cycles  edges %s%s\n",
		status->loads, account_lost(status), snap->head.model_name,
		weighted ? "  cells estimates" : "");
	fprintf(out, "%-9s", "# latency");
	for (column = 0; column <= COLUMN_NR; column++)
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
			fprintf(out, " %*llu", table.width[column],
				table.cell[row][column]);
		fputc('\n', out);
	}
}

static struct json_object *row_json(const struct memlat_rec_buckets *buckets,
				    unsigned int row)
{
	struct json_object *object = json_new();

	json_put_count(object, "above", row ? buckets->edge[row - 1] : 0);
	if (row < MEMLAT_BUCKETS - 1)
		json_put_count(object, "to", buckets->edge[row]);
	else
		json_put_null(object, "to");
	json_put_count(object, "total", source_total(buckets->count[row]));
	json_put_sources(object, "sources", buckets->count[row]);
	json_put_count(object, "weight", source_total(buckets->weight[row]));
	json_put_sources(object, "weights", buckets->weight[row]);
	return object;
}

struct json_object *buckets_json(const struct snapshot *snap)
{
	const struct memlat_rec_buckets *buckets = &snap->buckets;
	struct json_object *document = json_new(), *rows = json_list();
	struct json_object *total = json_new(), *raw = json_new();
	__u64 sum[MEMLAT_SRC_NR] = { 0 }, weight[MEMLAT_SRC_NR] = { 0 };
	unsigned int row, source, word;

	json_put_count(document, "abi_version", snap->head.abi_version);
	json_put_text(document, "model", snap->head.model_name);
	quality_put(document, &snap->head.status);
	json_put_bool(document, "accounts_hold", !account_snapshot_broken(snap));
	json_put_text(document, "unit", "core cycles");
	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		json_append(rows, row_json(buckets, row));
		for (source = 0; source < MEMLAT_SRC_NR; source++) {
			sum[source] += buckets->count[row][source];
			weight[source] += buckets->weight[row][source];
		}
	}
	json_put(document, "buckets", rows);
	json_put_count(total, "total", source_total(sum));
	json_put_sources(total, "sources", sum);
	json_put_count(total, "weight", source_total(weight));
	json_put_sources(total, "weights", weight);
	json_put_count(total, "latency_sum", source_total(buckets->latency));
	json_put_sources(total, "latency", buckets->latency);
	json_put(document, "total", total);
	/* By the low byte of the source word as hardware wrote it. */
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
