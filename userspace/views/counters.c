// SPDX-License-Identifier: GPL-2.0
#include "counters.h"

#include "../profile/session_counters.h"
#include "../util/text.h"

void counters_print(FILE *out, const struct memlat_status *status)
{
	char number[TEXT_NUMBER_MAX];
	size_t i;

	for (i = 0; i < nr_counters; i++)
		fprintf(out, "%-17s %17s %-6s  %s\n", counters[i].name,
			text_count(number, counter_of(status, &counters[i])),
			counters[i].unit, counters[i].meaning);
}

static struct cell value_cell(const void *context, size_t row)
{
	return cell_count(counter_of(context, &counters[row]));
}

static struct cell unit_cell(const void *context, size_t row)
{
	return *counters[row].unit ? cell_text(counters[row].unit) : cell_none();
}

#define WORDS(member)	REPORT_WORDS(struct counter, member)

struct report counters_report(const struct memlat_status *status)
{
	static const struct report_column columns[] = {
		{ .key = "counter", .title = "counter", .left = true, WORDS(name) },
		{ .key = "value", .title = "value", .get = value_cell },
		{ .key = "unit", .title = "unit", .left = true, .get = unit_cell },
		{ .key = "meaning", .title = "meaning", .left = true, WORDS(meaning) },
	};

	return (struct report){
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]),
		.nr_rows = nr_counters,
		.context = status,
		.rows = counters,
	};
}

void counters_csv(FILE *out, const struct memlat_status *status)
{
	const struct report report = counters_report(status);

	report_csv(out, &report);
}

void counters_put(struct json_object *document, const struct memlat_status *status)
{
	struct json_object *object = json_new();
	size_t i;

	for (i = 0; i < nr_counters; i++)
		json_put_count(object, counters[i].name, counter_of(status, &counters[i]));
	json_put(document, "counters", object);
}
