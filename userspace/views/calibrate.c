// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "../util/out.h"
#include "../util/source.h"
#include "../util/text.h"
#include "row.h"

struct level_table {
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

#define LATENCY	(&of->calibration->latencies[at])
#define ROOM	report_table_room(&of->table)
#define CELL(name, ...)	REPORT_CELL(name, struct level_table, __VA_ARGS__)

CELL(from, cell_text(LATENCY->source != MEMLAT_SRC_UNKNOWN ? level_source_name(LATENCY->source) :
							      "-"))
CELL(source, cell_text(LATENCY->source != MEMLAT_SRC_UNKNOWN ? source_name(LATENCY->source) :
								NULL))
CELL(cpu, number_cell(LATENCY->cpu))
CELL(node, number_cell(LATENCY->node))
CELL(writer, number_cell(LATENCY->writer))
CELL(where, where_cell(ROOM, LATENCY))
CELL(lines, lines_cell(ROOM, LATENCY))
CELL(cycles, real_cell(LATENCY->cycles))
CELL(low, real_cell(LATENCY->low))
CELL(high, real_cell(LATENCY->high))
CELL(cycles_text, cell_say(ROOM, "%.1f", LATENCY->cycles))
CELL(spread, cell_say(ROOM, "%.1f..%.1f", LATENCY->low, LATENCY->high))
CELL(ns, real_cell(LATENCY->ns))
CELL(ns_text, cell_say(ROOM, "%.1f", LATENCY->ns))

#define COUNT(member)	REPORT_NUMBER(CELL_COUNT, struct latency, member)

static void table_begin(struct level_table *table, const struct calibration *calibration)
{
	static const struct report_column known[] = {
		{ .title = "from", .left = true, .keep = true, .get = from },
		{ .key = "source", .get = source },
		{ .key = "cpu", .title = "CPU", .get = cpu },
		{ .key = "node", .get = node },
		{ .key = "writer", .get = writer },
		{ .title = "where", .left = true, .get = where },
		{ .key = "bytes_least", COUNT(least) },
		{ .key = "bytes_most", COUNT(most) },
		{ .title = "lines of", .left = true, .get = lines },
		{ .key = "runs", COUNT(runs) },
		{ .key = "cycles", .get = cycles },
		{ .key = "cycles_low", .get = low },
		{ .key = "cycles_high", .get = high },
		{ .title = "cycles", .keep = true, .get = cycles_text },
		{ .title = "half of the runs", .get = spread },
		{ .key = "ns", .get = ns },
		{ .title = "ns", .get = ns_text },
	};

	memset(table, 0, sizeof(*table));
	table->calibration = calibration;
	report_table_begin(&table->table, table, "latencies", NULL, calibration->nr,
			   calibration->nr);
	table->table.report.rows = calibration->latencies;
	report_table_take(&table->table, known, sizeof(known) / sizeof(known[0]));
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
	struct level_table table;
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
	struct level_table table;

	table_begin(&table, calibration);
	report_csv(out, &table.table.report);
}

static void put_all(struct json_object *document, const struct calibration *calibration)
{
	const struct machine *machine = &calibration->machine;
	struct json_object *edges = json_new();
	struct level_table table;
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
