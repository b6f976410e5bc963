// SPDX-License-Identifier: GPL-2.0
#include "annotate.h"

#include <stdlib.h>
#include <string.h>

#include "../profile/imported.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "figures.h"
#include "quality.h"
#include "row.h"

#define TAB_COLUMNS	4	/* in source lines; wider tabs would leave no room for their text */
#define INDENT		"  "	/* of instructions below their source line */

/* One function as a table. */
struct shown {
	const struct annotate *annotate;
	const struct annotate_function *function;
	struct report_table table;
};

/* Expand tabs to blanks, which look the same on every terminal. */
static char *expanded(const char *source)
{
	char *text = xmalloc(strlen(source) * TAB_COLUMNS + 1), *out = text;

	for (; *source; source++)
		if (*source == '\t')
			do
				*out++ = ' ';
			while ((out - text) % TAB_COLUMNS);
		else
			*out++ = *source;
	*out = '\0';
	return text;
}

/* Does the row name a file, because it is not that of the source line above? */
static bool names_file(const struct shown *shown, const struct annotate_row *row)
{
	const struct annotate_row *before = row;

	while (before-- > shown->function->rows)
		if (!before->code)
			return order_text(before->file, row->file);
	return true;
}

static struct cell line_cell(const struct shown *shown, const struct annotate_row *row)
{
	struct cell_room *room = report_table_room(&shown->table);
	struct cell cell;
	char *source;

	if (row->code)
		return *row->code->text ? cell_say(room, INDENT "%s", row->code->text) :
					  cell_say(room, INDENT "-");
	source = row->source && *row->source ? expanded(row->source) : NULL;
	if (names_file(shown, row))
		cell = cell_say(room, "%s:%u%s%s", text_last_part(row->file), row->line,
				source ? ": " : "", source ? source : "");
	else
		cell = cell_say(room, "%u%s%s", row->line, source ? ": " : "",
				source ? source : "");
	free(source);
	return cell;
}

/* Whose instructions these are; NULL: not known. */
static const char *symbol_of(const struct annotate_function *function)
{
	const char *outer = where_inlined(function->name);

	return outer ? outer : function->name->function;
}

/* What is shown of it: all of it, or what was inlined there. */
static const char *shown_name(const struct annotate *annotate, const struct annotate_function *function)
{
	const char *inlined = annotate_inlined(annotate, function);

	return inlined ? inlined : symbol_of(function);
}

#define ROW	(&of->function->rows[at])
#define SUM	(ROW->sum)
#define CELL(name, ...)	REPORT_CELL(name, struct shown, __VA_ARGS__)
/* A figure of an instruction. Most instructions have no samples. */
#define FIGURE(name, ...) \
	REPORT_CELL(name, struct shown, ROW->code ? __VA_ARGS__ : cell_blank())

FIGURE(function_share, cell_ratio(CELL_SHARE, SUM.cost, of->function->sum.cost))
FIGURE(share, row_cost_cell(&of->annotate->whole, SUM.cost, sums_loads(&SUM)))
FIGURE(cost, cell_count(SUM.cost))
FIGURE(loads, cell_count(sums_loads(&SUM)))
FIGURE(average, cell_ratio(CELL_AVERAGE, SUM.latency_sum,
			   imported_timed(&of->annotate->profile->snap.head.status, sums_loads(&SUM))))
FIGURE(hitm, cell_count(SUM.hitm))
FIGURE(stores, cell_count(SUM.stores))
FIGURE(offset, cell_number(CELL_OFFSET, ROW->offset))
CELL(source, line_cell(of, ROW))
CELL(function, cell_text(shown_name(of->annotate, of->function)))
CELL(module, cell_text(of->function->name->module))
CELL(kind, cell_text(ROW->code ? "instruction" : "source"))
CELL(text, cell_text(!ROW->code ? ROW->source : *ROW->code->text ? ROW->code->text : NULL))

/* The columns for people come first, the most useful first. */
static const struct report_column columns[] = {
	{ .key = "function_share", .title = "% func", .keep = true, .quiet = true,
	  .get = function_share },
	{ .figure = F_COST, .quiet = true, .bounded = true, .get = share },
	{ .figure = F_COST_CYCLES, .get = cost },
	{ .figure = F_LOADS, .quiet = true, .get = loads },
	{ .figure = F_AVG, .quiet = true, .get = average },
	{ .figure = F_HITM, .quiet = true, .get = hitm },
	{ .figure = F_STORES, .quiet = true, .get = stores },
	{ .figure = F_OFFSET, .title = "offset", .get = offset },
	{ .title = "source line or instruction", .left = true, .keep = true, .get = source },
	{ .figure = F_FUNCTION_NAME, .get = function },
	{ .figure = F_MODULE | ONLY_DATA, .get = module },
	{ .key = "kind", .get = kind },
	{ .figure = F_IP | ONLY_DATA, REPORT_NUMBER_AT(CELL_HEX, struct annotate_row, code, ip) },
	{ .figure = F_FILE, REPORT_WORDS(struct annotate_row, file) },
	{ .figure = F_FILE_LINE, REPORT_NUMBER(CELL_COUNT, struct annotate_row, line), .known = true },
	{ .key = "text", .get = text },
};

static void shown_begin(struct shown *shown, struct annotate *annotate, size_t at)
{
	struct annotate_function *function = &annotate->functions[at];

	if (!function->rows)
		annotate_decode(annotate, function);
	shown->annotate = annotate;
	shown->function = function;
	report_table_begin(&shown->table, shown, "rows", NULL, function->nr_rows,
			   function->nr_rows);
	shown->table.report.rows = function->rows;
	report_table_take(&shown->table, columns, sizeof(columns) / sizeof(columns[0]));
}

static void print_heading(FILE *out, const struct annotate *annotate,
			  const struct annotate_function *function)
{
	char *share = row_cost_text(&annotate->whole, function->sum.cost, sums_loads(&function->sum));
	const char *inlined = annotate_inlined(annotate, function), *name = symbol_of(function);
	char loads[TEXT_NUMBER_MAX], stores[TEXT_NUMBER_MAX];

	if (inlined)
		text_say(out, "%s, inlined in ", inlined);
	if (name)
		text_put(out, name);
	else
		fprintf(out, "0x%llx (no symbol)", function->site->ip);
	if (function->name->module)
		text_say(out, " in %s", function->name->module);
	fprintf(out, ": %s of sampled latency, loads %s, stores %s\n", share,
		text_count(loads, sums_loads(&function->sum)), text_count(stores, function->sum.stores));
	free(share);
}

static void print_notes(FILE *out, const struct annotate_function *function, size_t width)
{
	char share[TEXT_NUMBER_MAX];

	if (!*function->code->text)
		text_remark(out, width,
			    "(the machine code cannot be read here: only what was sampled is listed, by address)");
	if (function->size > DISASM_FUNCTION_MAX)
		text_remark(out, width, "(only its first %u bytes are shown)", DISASM_FUNCTION_MAX);
	if (function->unplaced)
		text_remark(out, width, "(%s of its latency is at addresses where no instruction begins: this may be another build of the file)",
			    text_share(share, function->unplaced, function->sum.cost, 1));
}

static void print_function(FILE *out, struct annotate *annotate, size_t at, size_t width)
{
	struct shown shown;

	shown_begin(&shown, annotate, at);
	fputc('\n', out);
	print_heading(out, annotate, shown.function);
	report_print(out, &shown.table.report, width);
	print_notes(out, shown.function, width);
}

static void print_sources(FILE *out, const struct annotate *annotate, size_t width)
{
	const char *missing, *changed = source_texts_without(annotate->texts, &missing);
	char *name = text_escaped(changed ? changed : missing ? missing : "");

	if (changed)
		text_remark(out, width, "(no lines of %s: it is newer than the recording; --debug-path shows a file as it is)",
			    name);
	else if (missing)
		text_remark(out, width, "(no lines of %s: it is not on this machine; --debug-path takes the folder where it is)",
			    name);
	free(name);
}

void annotate_print(FILE *out, struct annotate *annotate, size_t show, size_t width)
{
	const size_t nr = report_limit(show, annotate->nr_functions);
	size_t i;

	quality_print(out, &annotate->profile->snap.head.status);
	if (annotate->after)
		fputs("This CPU's records hold the address after the instruction: figures are beside the instruction before it.\n",
		      out);
	for (i = 0; i < nr; i++)
		print_function(out, annotate, i, width);
	if (nr < annotate->nr_functions)
		text_remark(out, width, "(%zu more functions were sampled; -n 0 shows all)",
			    annotate->nr_functions - nr);
	print_sources(out, annotate, width);
	namer_print_notes(annotate->namer, out);
}

void annotate_csv(FILE *out, struct annotate *annotate, size_t show)
{
	const size_t nr = report_limit(show, annotate->nr_functions);
	struct shown *shown = xcalloc(nr, sizeof(*shown));
	struct report *reports = xcalloc(nr, sizeof(*reports));
	size_t i;

	for (i = 0; i < nr; i++) {
		shown_begin(&shown[i], annotate, i);
		reports[i] = shown[i].table.report;
	}
	report_csv_tables(out, reports, nr);
	free(reports);
	free(shown);
}

static struct json_object *function_json(struct annotate *annotate, size_t at)
{
	const struct annotate_function *function = &annotate->functions[at];
	struct json_object *object = json_new();
	struct shown shown;

	shown_begin(&shown, annotate, at);
	json_put_text(object, "function", shown_name(annotate, function));
	json_put_text(object, "symbol", function->name->raw);
	json_put_text(object, "module", function->name->module);
	json_put_text(object, "path", function->name->path);
	json_put_hex(object, "function_start", function->address);
	json_put_known(object, "function_size", function->size, function->size);
	json_put_bool(object, "has_code", *function->code->text);
	row_put_cost(object, &annotate->whole, function->sum.cost, sums_loads(&function->sum));
	json_put_count(object, "cost_cycles", function->sum.cost);
	json_put_count(object, "cost_cycles_unplaced", function->unplaced);
	json_put_count(object, "loads", sums_loads(&function->sum));
	json_put_count(object, "hitm", function->sum.hitm);
	json_put_count(object, "stores", function->sum.stores);
	json_put(object, "rows", report_json(&shown.table.report));
	return object;
}

struct json_object *annotate_json(struct annotate *annotate, size_t show)
{
	struct json_object *document = quality_document("annotate", &annotate->profile->snap);
	struct json_object *list = json_list();
	const size_t nr = report_limit(show, annotate->nr_functions);
	size_t i;

	json_put_text(document, "unit", "core cycles");
	json_put_count(document, "cost_cycles", snapshot_cost(&annotate->profile->snap));
	json_put_bool(document, "ip_after", annotate->after);
	json_put_count(document, "functions_found", annotate->nr_functions);
	for (i = 0; i < nr; i++)
		json_append(list, function_json(annotate, i));
	json_put(document, "functions", list);
	return document;
}
