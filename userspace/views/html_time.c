// SPDX-License-Identifier: GPL-2.0
/*
 * When loads waited, and at which source. Each interval of record --interval is a column, as wide
 * as it was long. A stronger colour means more. Exact figures are in the cell's title and in a
 * table below.
 */
#include <math.h>
#include <stdlib.h>

#include "../profile/intervals.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "html.h"
#include "levels.h"
#include "phases.h"

#define TALL_PIXELS	48	/* height of the highest bar */
#define FAINTEST	0.12	/* opacity of a cell with any value */

struct column {
	const struct interval *interval;
	struct phase phase;
	__u64 cost[MEMLAT_SRC_NR];	/* of the interval's loads */
};

struct map {
	FILE *out;
	struct column *column;
	size_t nr;
	__u64 length_ns;		/* total of all intervals */
	double highest;			/* height of the highest bar, as a rate */
};

static __u64 length_of(const struct column *column)
{
	return column->interval->to_ns - column->interval->from_ns;
}

static void take(struct map *map, const struct intervals *intervals)
{
	size_t i;

	map->column = xcalloc(intervals->nr, sizeof(*map->column));
	for (i = 0; i < intervals->nr; i++) {
		struct column *column = &map->column[map->nr++];

		column->interval = &intervals->at[i];
		column->phase = phase_of(column->interval);
		snapshot_cost_by_source(&column->interval->came, column->cost);
		map->length_ns += length_of(column);
		map->highest = fmax(map->highest, phase_height(&column->phase));
	}
}

static void put_span(FILE *out, const struct column *column)
{
	fprintf(out, "%.1f to %.1f s", (double)column->interval->from_ns / 1e9,
		(double)column->interval->to_ns / 1e9);
}

static void begin_row(const struct map *map, const char *class)
{
	fprintf(map->out, "</th><td><div class=\"%s\">", class);
}

static void end_row(const struct map *map)
{
	fputs("</div></td></tr>\n", map->out);
}

static void put_width(const struct map *map, __u64 length_ns)
{
	fprintf(map->out, "width:%.3f%%", html_percent(length_ns, map->length_ns));
}

/* Leave a gap for time without intervals. */
static void put_gap(const struct map *map, __u64 *gap_ns)
{
	if (!*gap_ns)
		return;
	fputs("<i style=\"", map->out);
	put_width(map, *gap_ns);
	fputs("\"></i>", map->out);
	*gap_ns = 0;
}

static void put_bars(const struct map *map)
{
	char share[WAITS_TEXT_MAX];
	size_t i;

	fputs("<tr><th>waiting", map->out);
	begin_row(map, "stack tall");
	for (i = 0; i < map->nr; i++) {
		const struct column *column = &map->column[i];
		const struct phase *phase = &column->phase;
		const double height = map->highest > 0 ? phase_height(phase) / map->highest : 0;

		fputs("<i class=\"load\" style=\"", map->out);
		put_width(map, length_of(column));
		fprintf(map->out, ";height:%dpx\" title=\"", (int)(height * TALL_PIXELS + 0.5));
		put_span(map->out, column);
		if (waits_known(&phase->waits))
			fprintf(map->out, ": %s of busy cycles", waits_text(share, &phase->waits));
		fputs("\"></i>", map->out);
	}
	end_row(map);
}

/*
 * The colour depends on the rate, because intervals differ in length, and on its square root,
 * because low rates would be invisible otherwise.
 */
static double rate(const struct column *column, __u64 what)
{
	return sqrt((double)what / (double)length_of(column));
}

static void put_cell(const struct map *map, const struct column *column, unsigned int source,
		     double part)
{
	fprintf(map->out, "<i class=\"s%u\" style=\"", source);
	put_width(map, length_of(column));
	fprintf(map->out, ";opacity:%.2f\" title=\"", FAINTEST + (1 - FAINTEST) * part);
	put_span(map->out, column);
}

static void put_source(const struct map *map, unsigned int source, double most)
{
	char share[TEXT_NUMBER_MAX], loads[TEXT_NUMBER_MAX];
	__u64 gap_ns = 0;
	size_t i;

	fprintf(map->out, "<tr><th><i class=\"s%u\"></i> %s", source,
		level_source_name((enum memlat_source)source));
	begin_row(map, "stack");
	for (i = 0; i < map->nr; i++) {
		const struct column *column = &map->column[i];
		__u64 sum[MEMLAT_SRC_NR];

		if (!column->cost[source]) {
			gap_ns += length_of(column);
			continue;
		}
		source_sums(column->interval->came.buckets.count, sum);
		put_gap(map, &gap_ns);
		put_cell(map, column, source, rate(column, column->cost[source]) / most);
		fprintf(map->out, ": %s of its latency, %s samples\"></i>",
			text_share(share, column->cost[source], source_total(column->cost), 1),
			text_count(loads, sum[source]));
	}
	end_row(map);
}

static void put_sources(const struct map *map)
{
	__u64 sum[MEMLAT_SRC_NR] = { 0 };
	unsigned int source;
	double most = 0;
	size_t i;

	for (i = 0; i < map->nr; i++)
		for (source = 0; source < MEMLAT_SRC_NR; source++) {
			sum[source] += map->column[i].cost[source];
			most = fmax(most, rate(&map->column[i], map->column[i].cost[source]));
		}
	for (source = 0; source < MEMLAT_SRC_NR; source++)
		if (sum[source])
			put_source(map, source, most);
}

/* The loads in a row of latencies; *source: where most of them were served from. */
static __u64 loads_of(const struct column *column, unsigned int row, unsigned int *source)
{
	const __u64 *weight = column->interval->came.buckets.weight[row];
	unsigned int i;

	*source = 0;
	for (i = 1; i < MEMLAT_SRC_NR; i++)
		if (weight[i] > weight[*source])
			*source = i;
	return source_total(weight);
}

static void put_latency(const struct map *map, unsigned int row, double most)
{
	char loads[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];
	__u64 gap_ns = 0;
	size_t i;

	fputs("<tr><th>", map->out);
	html_range(map->out, &map->column[0].interval->came.buckets, row);
	begin_row(map, "stack");
	for (i = 0; i < map->nr; i++) {
		const struct column *column = &map->column[i];
		unsigned int source;
		const __u64 sum = loads_of(column, row, &source);
		const __u64 *weight = column->interval->came.buckets.weight[row];

		if (!sum) {
			gap_ns += length_of(column);
			continue;
		}
		put_gap(map, &gap_ns);
		put_cell(map, column, source, rate(column, sum) / most);
		fprintf(map->out, ": %s loads, %s of them %s\"></i>", text_count(loads, sum),
			text_share(share, weight[source], sum, 0),
			level_source_name((enum memlat_source)source));
	}
	end_row(map);
}

/* Put the rows of latencies, the slowest on top. */
static void put_latencies(const struct map *map)
{
	unsigned int row, source, first = MEMLAT_BUCKETS, last = 0;
	double most = 0;
	size_t i;

	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (i = 0; i < map->nr; i++) {
			const __u64 sum = loads_of(&map->column[i], row, &source);

			if (!sum)
				continue;
			first = row < first ? row : first;
			last = row;
			most = fmax(most, rate(&map->column[i], sum));
		}
	for (row = last + 1; row-- > first;)
		put_latency(map, row, most);
}

static void put_axis(const struct map *map)
{
	const struct column *first = &map->column[0], *last = &map->column[map->nr - 1];

	fprintf(map->out, "<tr><th></th><td><div class=\"axis\"><span>%.1f s</span><span>%.1f s</span></div></td></tr>\n",
		(double)first->interval->from_ns / 1e9, (double)last->interval->to_ns / 1e9);
}

static void put_figures(const struct map *map)
{
	char share[WAITS_TEXT_MAX];
	size_t i;

	fputs("<details><summary>All intervals</summary>\n<div class=\"wide\"><table>\n"
	      "<thead><tr><th>seconds</th><th>samples</th><th>cost, cycles</th><th>of busy cycles</th></tr></thead>\n<tbody>\n",
	      map->out);
	for (i = 0; i < map->nr; i++) {
		const struct column *column = &map->column[i];
		const struct phase *phase = &column->phase;

		fputs("<tr><td>", map->out);
		put_span(map->out, column);
		fputs("</td><td>", map->out);
		html_count(map->out, column->interval->came.head.status.samples);
		fputs("</td><td>", map->out);
		html_count(map->out, phase->cost);
		fprintf(map->out, "</td><td>%s</td></tr>\n", waits_known(&phase->waits) ?
			waits_text(share, &phase->waits) : "-");
	}
	fputs("</tbody></table></div></details>\n", map->out);
}

void html_time(FILE *out, const struct html_page *page)
{
	const struct intervals *intervals = page->view->profile->intervals;
	struct map map = { .out = out };

	if (!intervals || !intervals->nr) {
		fputs("<p>Times were not recorded: 'memlat-ctl record --interval 1 -- COMMAND' records them.</p>\n", out);
		return;
	}
	take(&map, intervals);
	fputs("<p>", out);
	html_say(out, "%zu interval%s. ", map.nr, map.nr == 1 ? "" : "s");
	phases_highest(out, intervals);
	fputs("</p>\n<p>From left to right, an interval a column; the stronger the colour of a cell, the more. Waiting, and cycles that loads "
	      "took by where they were served from:</p>\n<div class=\"wide\"><table class=\"histogram time\">\n<tbody>\n", out);
	put_bars(&map);
	put_sources(&map);
	put_axis(&map);
	fputs("</tbody></table></div>\n<p>Loads by how many cycles they took, in the colour of where most of them were served from:</p>\n"
	      "<div class=\"wide\"><table class=\"histogram time\">\n<tbody>\n", out);
	put_latencies(&map);
	put_axis(&map);
	fputs("</tbody></table></div>\n", out);
	put_figures(&map);
	free(map.column);
}
