// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>

#include "../util/number.h"
#include "../util/text.h"
#include "fleet.h"
#include "report.h"

#define PER_MILLION	1000000.0

enum which { W_COST, W_MEAN, W_MOST, W_NAME };

/* A real share as a cell has it. */
static struct cell share(double of, size_t nr)
{
	return nr ? cell_ratio(CELL_SHARE, number_whole(of / (double)nr * PER_MILLION + 0.5),
			       (__u64)PER_MILLION) : cell_none();
}

/* "struct stats.per_cpu[].hits"; for code or data without a name, whose it is. */
static struct cell shown_name(const struct fleet *fleet, const struct fleet_row *row)
{
	if (row->name && row->field)
		return cell_say((struct cell_room *)(uintptr_t)&fleet->shown, "%s%s", row->name, row->field);
	if (row->name)
		return cell_text(row->name);
	return cell_text(fleet->by == FLEET_BY_FUNCTION && row->module ? "(no symbol)" :
			 "(not known)");
}

static struct cell cell(const void *context, size_t at, unsigned int which)
{
	const struct fleet *fleet = context;
	const struct fleet_row *row = &fleet->rows[at];

	switch ((enum which)which) {
	case W_COST:
		return cell_ratio(CELL_SHARE, row->cost, fleet->cost);
	case W_MEAN:
		/* Each profile has the same weight, however long it was recorded. */
		return share(row->share, fleet->nr_measured);
	case W_MOST:
		return share(row->most, fleet->nr_measured ? 1 : 0);
	default:
		return shown_name(fleet, row);
	}
}

#define COUNT(member)	REPORT_NUMBER(CELL_COUNT, struct fleet_row, member)
#define WORDS(member)	REPORT_WORDS(struct fleet_row, member)

static const struct report_column columns[] = {
	{ .key = "cost", .title = "% all", .keep = true, .which = W_COST },
	{ .key = "cost_mean", .title = "% mean", .which = W_MEAN },
	{ .key = "cost_most", .title = "% most", .which = W_MOST },
	{ .key = "profiles", .title = "profiles", COUNT(nr_profiles) },
	{ .key = "builds", .title = "builds", COUNT(nr_builds), .known = true },
	{ .key = "hitm", .title = "HITM", COUNT(hitm) },
	{ .key = "samples", .title = "samples", COUNT(samples) },
	{ .title = "name", .left = true, .keep = true, .which = W_NAME },
	{ .title = "module", .left = true, WORDS(module) },
	{ .key = "name", WORDS(name) },
	{ .key = "field", WORDS(field) },
	{ .key = "module", WORDS(module) },
	{ .key = "cost_cycles", COUNT(cost) },
};

static struct report report_of(const struct fleet *fleet, size_t show)
{
	return (struct report){
		.key = "rows", .columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]),
		.nr_rows = show && show < fleet->nr ? show : fleet->nr, .context = fleet,
		.rows = fleet->rows, .get_at = cell,
	};
}

void fleet_print(FILE *out, const struct fleet *fleet, size_t show, size_t width)
{
	const struct report report = report_of(fleet, show);
	char count[TEXT_NUMBER_MAX], part[TEXT_NUMBER_MAX];

	fprintf(out, "%zu profiles, %s samples, by %s\n\n", fleet->nr_profiles,
		text_count(count, fleet->samples), fleet_by_name(fleet->by));
	report_print(out, &report, width);
	if (report.nr_rows < fleet->nr)
		text_remark(out, width, "(the first %zu of %zu; -n 0 shows all)", report.nr_rows,
			    fleet->nr);
	if (fleet->evicted)
		text_remark(out, width, "(%s of sampled latency is of rows that were evicted)",
			    text_share(part, fleet->evicted, fleet->cost, 1));
}

void fleet_csv(FILE *out, const struct fleet *fleet, size_t show)
{
	const struct report report = report_of(fleet, show);

	report_csv(out, &report);
}

struct json_object *fleet_json(const struct fleet *fleet, size_t show)
{
	const struct report report = report_of(fleet, show);
	struct json_object *document = json_view("fleet");

	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "by", fleet_by_name(fleet->by));
	json_put_count(document, "profiles", fleet->nr_profiles);
	json_put_count(document, "samples", fleet->samples);
	json_put_count(document, "hitm", fleet->hitm);
	json_put_count(document, "cost_cycles", fleet->cost);
	json_put_count(document, "cost_cycles_evicted", fleet->evicted);
	json_put_count(document, "rows_total", fleet->nr);
	json_put_count(document, "rows_shown", report.nr_rows);
	json_put(document, report.key, report_json(&report));
	return document;
}
