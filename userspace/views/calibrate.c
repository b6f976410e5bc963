// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "../util/out.h"
#include "../util/source.h"
#include "../util/text.h"
#include "levels.h"

enum column {
	FROM, SOURCE, CPU, NODE, WRITER, WHERE, LEAST, MOST, LINES, CALIBRATE_RUNS, CYCLES, LOW, HIGH,
	CYCLES_TEXT, SPREAD, NS, NS_TEXT
};

struct table {
	struct report_table table;
	const struct calibration *calibration;
};

/* Three decimals in JSON and CSV. */
static struct cell real_cell(double value)
{
	return cell_ratio(CELL_AVERAGE, (__u64)(value * 1000 + 0.5), 1000);
}

static struct cell number_cell(int number)
{
	return number < 0 ? cell_none() : cell_count((__u64)number);
}

static struct cell where_cell(struct cell_room *room, const struct latency *latency)
{
	if (latency->writer >= 0)
		return cell_say(room, "CPU %d wrote it", latency->writer);
	if (latency->node >= 0)
		return cell_say(room, "node %d", latency->node);
	return cell_none();
}

static struct cell lines_cell(struct cell_room *room, const struct latency *latency)
{
	char least[TEXT_NUMBER_MAX], most[TEXT_NUMBER_MAX];

	text_bytes(least, latency->least);
	if (latency->least == latency->most)
		return cell_say(room, "%s", least);
	return cell_say(room, "%s to %s", least, text_bytes(most, latency->most));
}

static struct cell get(const void *context, size_t row, unsigned int which)
{
	const struct table *table = context;
	const struct latency *latency = &table->calibration->latencies[row];
	struct cell_room *room = report_table_room(&table->table);
	bool named = latency->source != MEMLAT_SRC_UNKNOWN;

	switch ((enum column)which) {
	case FROM:
		return cell_text(named ? level_source_name(latency->source) : "-");
	case SOURCE:
		return named ? cell_text(source_name(latency->source)) : cell_none();
	case CPU:
		return number_cell(latency->cpu);
	case NODE:
		return number_cell(latency->node);
	case WRITER:
		return number_cell(latency->writer);
	case WHERE:
		return where_cell(room, latency);
	case LINES:
		return lines_cell(room, latency);
	case CYCLES:
		return real_cell(latency->cycles);
	case LOW:
		return real_cell(latency->low);
	case HIGH:
		return real_cell(latency->high);
	case CYCLES_TEXT:
		return cell_say(room, "%.1f", latency->cycles);
	case SPREAD:
		return cell_say(room, "%.1f..%.1f", latency->low, latency->high);
	case NS:
		return real_cell(latency->ns);
	default:
		return cell_say(room, "%.1f", latency->ns);
	}
}

#define COUNT(member)	REPORT_NUMBER(CELL_COUNT, struct latency, member)

static void table_begin(struct table *table, const struct calibration *calibration)
{
	static const struct report_column known[] = {
		[FROM]		= { .title = "from", .left = true, .keep = true },
		[SOURCE]	= { .key = "source" },
		[CPU]		= { .key = "cpu", .title = "CPU" },
		[NODE]		= { .key = "node" },
		[WRITER]	= { .key = "writer" },
		[WHERE]		= { .title = "where", .left = true },
		[LEAST]		= { .key = "bytes_least", COUNT(least) },
		[MOST]		= { .key = "bytes_most", COUNT(most) },
		[LINES]		= { .title = "lines of", .left = true },
		[CALIBRATE_RUNS]		= { .key = "runs", COUNT(runs) },
		[CYCLES]	= { .key = "cycles" },
		[LOW]		= { .key = "cycles_low" },
		[HIGH]		= { .key = "cycles_high" },
		[CYCLES_TEXT]	= { .title = "cycles", .keep = true },
		[SPREAD]	= { .title = "half of the runs" },
		[NS]		= { .key = "ns" },
		[NS_TEXT]	= { .title = "ns" },
	};

	memset(table, 0, sizeof(*table));
	table->calibration = calibration;
	report_table_begin(&table->table, table, "latencies", NULL, calibration->nr,
			   calibration->nr);
	table->table.report.rows = calibration->latencies;
	report_table_take(&table->table, known, sizeof(known) / sizeof(known[0]), get);
}

static void print_machine(FILE *out, const struct calibration *calibration)
{
	static const char *const names[PLAN_CACHES] = { "L1", "L2", "L3" };
	const struct machine *machine = &calibration->machine;
	char text[512], size[TEXT_NUMBER_MAX];
	unsigned int i, told = 0;

	fprintf(out, "CPU       %s (%s)\n",
		text_escape(text, sizeof(text), machine->cpu ? machine->cpu : "?"),
		machine->query.model_name);
	fputs("caches    ", out);
	for (i = 0; i < PLAN_CACHES; i++)
		if (calibration->caches[i])
			fprintf(out, "%s%s %s", told++ ? ", " : "", names[i],
				text_bytes(size, calibration->caches[i]));
	fprintf(out, "%s%s\n", told ? "" : "unknown; give them with --caches",
		calibration->virtual ? " (a virtual machine: they may be made up; give them with --caches)" : "");
	fprintf(out, "cycles    %s\n", calibration->clock == CLOCK_PERF ?
		"of the core, counted by perf" :
		"ticks of the TSC, over those of an addition, which takes one cycle");
	fprintf(out, "pages     %s\n\n", calibration->large_pages ?
		"large: what the TLB takes is not in the figures" :
		"small: walked 128 KiB at a time, so that few loads miss the TLB");
}

static void print_edges(FILE *out, const struct calibration *calibration)
{
	unsigned int source, told = 0;

	for (source = 0; source < MEMLAT_SRC_NR; source++)
		if (calibration->edge[source])
			fprintf(out, "%s%s %u", told++ ? ", " : "\nedges     ",
				level_source_name(source), calibration->edge[source]);
	if (told)
		fputs(" cycles at most\n", out);
}

void calibrate_print(FILE *out, const struct calibration *calibration, const char *stored)
{
	struct table table;
	char text[4096];

	print_machine(out, calibration);
	table_begin(&table, calibration);
	report_print(out, &table.table.report, out_width());
	print_edges(out, calibration);
	if (*calibration->missing)
		fprintf(out, "note      %s\n",
			text_escape(text, sizeof(text), calibration->missing));
	if (stored)
		fprintf(out, "stored    %s\n", text_escape(text, sizeof(text), stored));
}

void calibrate_csv(FILE *out, const struct calibration *calibration)
{
	struct table table;

	table_begin(&table, calibration);
	report_csv(out, &table.table.report);
}

static void put_all(struct json_object *document, const struct calibration *calibration)
{
	const struct machine *machine = &calibration->machine;
	struct json_object *edges = json_new();
	struct table table;
	unsigned int source;

	json_put_text(document, "model", machine->query.model_name);
	json_put_text(document, "cpu", machine->cpu ? machine->cpu : "");
	json_put_bool(document, "virtual", calibration->virtual);
	json_put_counts(document, "cache_bytes", calibration->caches, PLAN_CACHES);
	json_put_text(document, "clock", clock_name(calibration->clock));
	json_put_bool(document, "large_pages", calibration->large_pages);
	table_begin(&table, calibration);
	json_put(document, table.table.report.key, report_json(&table.table.report));
	for (source = 0; source < MEMLAT_SRC_NR; source++)
		if (calibration->edge[source])
			json_put_count(edges, source_name(source), calibration->edge[source]);
	json_put(document, "latency_edge", edges);
	json_put_text(document, "note", *calibration->missing ? calibration->missing : NULL);
}

struct json_object *calibrate_json(const struct calibration *calibration, const char *stored)
{
	struct json_object *document = json_view("calibrate");

	json_put_text(document, "stored", stored);
	put_all(document, calibration);
	return document;
}

struct json_object *calibrate_file_json(const struct calibration *calibration)
{
	struct json_object *document = json_new();

	put_all(document, calibration);
	return document;
}
