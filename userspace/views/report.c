// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "report.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/out.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define FIGURE_MAX	64	/* room for a number in any form */

/* Rounded as json_put_real() does, so that JSON and CSV agree. */
static double ratio(const struct cell *cell)
{
	return (double)cell->part / (double)cell->whole;
}

struct cell cell_keep(struct cell_room *room, char *text)
{
	free(room->text);
	room->text = text;
	return cell_text(text);
}

struct cell cell_say(struct cell_room *room, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return cell_keep(room, text);
}

struct cell report_member_cell(const struct report_member *member, const void *of)
{
	const char *row = of;
	const void *at, *whole, *to = row + member->pointer;

	if (member->far)
		row = *(const char *const *)to;
	if (!row)
		return cell_none();
	at = row + member->at;
	whole = row + member->whole;
	if (member->kind == CELL_LIST)
		return (struct cell){ .kind = CELL_LIST, .list = at, .part = member->bytes };
	if (member->kind == CELL_TEXT)
		return cell_text(*(const char *const *)at);
	if (member->kind == CELL_SHARE || member->kind == CELL_AVERAGE)
		return cell_ratio(member->kind, *(const __u64 *)at, *(const __u64 *)whole);
	return cell_number(member->kind, member->bytes == sizeof(__u32) ? *(const __u32 *)at :
									  *(const __u64 *)at);
}

static struct cell report_cell(const struct report *report, const struct report_column *column,
			       size_t row)
{
	if (column->shows.kind) {
		const struct cell cell =
			report_member_cell(&column->shows, (const char *)report->rows +
					   row * column->shows.row);

		return column->known && !cell.part ? cell_none() : cell;
	}
	return column->get ? column->get(report->context, row) :
			     column->get_at(report->context, row, column->which);
}

/* Free the text of the last cell. */
static void report_end(const struct report *report)
{
	if (report->room)
		cell_keep(report->room, NULL);
}

bool report_any(const struct report *report, const struct report_column *column)
{
	bool any = false;
	size_t row;

	for (row = 0; row < report->nr_rows && !any; row++)
		any = report_cell(report, column, row).part;
	report_end(report);
	return any;
}

static __u64 change_size(const struct cell *cell)
{
	return cell->part < cell->whole ? cell->whole - cell->part :
					  cell->part - cell->whole;
}

char *report_cell_text(const struct cell *cell)
{
	char figure[FIGURE_MAX], list[TEXT_LIST_MAX];

	switch (cell->kind) {
	case CELL_TEXT:
		return text_escaped(cell->text);
	case CELL_COUNT:
	case CELL_BOOL:
		return xstrdup(text_count(figure, cell->part));
	case CELL_BYTES:
		return xstrdup(text_bytes(figure, cell->part));
	case CELL_HEX:
		return xasprintf("0x%llx", cell->part);
	case CELL_OFFSET:
		return xasprintf("+0x%02llx", cell->part);
	case CELL_SHARE:
		text_share(figure, cell->part, cell->whole, 1);
		return cell->error > 0 ?
		       xasprintf("%s %s%.*f", figure, text_plus_minus(), cell->error < 1, cell->error) :
		       xstrdup(figure);
	case CELL_AVERAGE:
		return xstrdup(text_count(figure, cell->part / cell->whole));
	case CELL_BITS:
		if (!cell->part)
			break;
		return xstrdup(text_bits(list, cell->part));
	case CELL_CHANGE:
		return xasprintf("%s%s", cell->part < cell->whole ? "-" :
				 cell->part > cell->whole ? "+" : "",
				 text_count(figure, change_size(cell)));
	case CELL_BLANK:
		return xstrdup("");
	case CELL_LIST:
	case CELL_SOURCES:
	case CELL_NONE:
		break;
	}
	return xstrdup("-");
}

static struct cell text_cell(const struct report *report, const struct report_column *column,
			     size_t row)
{
	const struct cell cell = report_cell(report, column, row);

	return column->quiet && !cell.part ? cell_blank() : cell;
}

/* Does any row have a value in this column? */
static bool tells(const struct report *report, const struct report_column *column)
{
	size_t row;

	for (row = 0; row < report->nr_rows; row++) {
		const enum cell_kind kind = text_cell(report, column, row).kind;

		if (kind != CELL_NONE && kind != CELL_BLANK)
			return true;
	}
	return false;
}

/* Find the columns of text. A column without keep is left out if all its cells are "-". */
/* Find the columns that text shows, by their index. shown has room for all. Returns how many. */
static size_t report_shown_columns(const struct report *report, size_t *shown)
{
	size_t column, nr = 0;

	for (column = 0; column < report->nr_columns; column++) {
		const struct report_column *of = &report->columns[column];

		if (of->title && (of->keep || tells(report, of)))
			shown[nr++] = column;
	}
	return nr;
}

void report_print(FILE *out, const struct report *report, size_t width)
{
	struct table table = { .nr_rows = report->nr_rows };
	struct table_column *columns;
	size_t *shown, nr_cells, i;

	if (report->title)
		fprintf(out, "%s\n", report->title);
	if (!report->nr_rows) {
		fputs("(none)\n", out);
		return;
	}
	shown = xcalloc(report->nr_columns, sizeof(*shown));
	table.nr_columns = report_shown_columns(report, shown);
	table.columns = columns = xcalloc(table.nr_columns, sizeof(*columns));
	for (i = 0; i < table.nr_columns; i++) {
		const struct report_column *column = &report->columns[shown[i]];

		columns[i] = (struct table_column){ column->title, !column->left, column->keep,
						    column->group };
	}
	nr_cells = table.nr_rows * table.nr_columns;
	table.cells = xcalloc(nr_cells, sizeof(*table.cells));
	for (i = 0; i < nr_cells; i++) {
		const struct report_column *column =
			&report->columns[shown[i % table.nr_columns]];
		const struct cell cell = text_cell(report, column, i / table.nr_columns);

		table.cells[i] = report_cell_text(&cell);
	}
	report_end(report);
	table_print(out, &table, width);
	for (i = 0; i < nr_cells; i++)
		free(table.cells[i]);
	free(table.cells);
	free(columns);
	free(shown);
}

void report_put_cell(struct json_object *object, const char *key, const struct cell *cell)
{
	char figure[FIGURE_MAX];

	switch (cell->kind) {
	case CELL_TEXT:
		json_put_text(object, key, cell->text);
		return;
	case CELL_COUNT:
	case CELL_BYTES:
		json_put_count(object, key, cell->part);
		return;
	case CELL_BOOL:
		json_put_bool(object, key, cell->part != 0);
		return;
	case CELL_LIST:
		json_put_counts(object, key, cell->list, (unsigned int)cell->part);
		return;
	case CELL_SOURCES:
		json_put_sources(object, key, cell->list);
		return;
	case CELL_HEX:
		json_put_hex(object, key, cell->part);
		return;
	case CELL_OFFSET:
		snprintf(figure, sizeof(figure), "+0x%02llx", cell->part);
		json_put_text(object, key, figure);
		return;
	case CELL_SHARE:
	case CELL_AVERAGE:
		json_put_real(object, key, ratio(cell));
		return;
	case CELL_BITS:
		json_put_bits(object, key, cell->part);
		return;
	case CELL_CHANGE:
		json_put(object, key, json_object_new_int64((__s64)(cell->part -
								    cell->whole)));
		return;
	case CELL_NONE:
	case CELL_BLANK:
		break;
	}
	json_put_null(object, key);
}

enum end { END_NONE, END_LOW, END_HIGH, ENDS };

static const char *const end_names[ENDS] = { "", "_low", "_high" };

static double end_of(const struct cell *cell, enum end end)
{
	return end == END_LOW ? cell->low : cell->high;
}

void report_put_ends(struct json_object *object, const char *key, const struct cell *cell)
{
	enum end end;

	for (end = END_LOW; end < ENDS; end++) {
		char *name = xasprintf("%s%s", key, end_names[end]);

		json_put_known_real(object, name, cell->bounded, end_of(cell, end));
		free(name);
	}
}

static void put_column(struct json_object *object, const struct report *report, size_t row,
		       const struct report_column *column)
{
	const struct cell cell = report_cell(report, column, row);

	report_put_cell(object, column->key, &cell);
	if (column->bounded)
		report_put_ends(object, column->key, &cell);
}

void report_put_row(struct json_object *object, const struct report *report, size_t row)
{
	size_t i;

	for (i = 0; i < report->nr_columns; i++)
		if (report->columns[i].key)
			put_column(object, report, row, &report->columns[i]);
	report_end(report);
}

struct json_object *report_json(const struct report *report)
{
	struct json_object *list = json_list();
	size_t row;

	for (row = 0; row < report->nr_rows; row++) {
		struct json_object *object = json_new();

		report_put_row(object, report, row);
		json_append(list, object);
	}
	return list;
}

/* Would a spreadsheet take the character for the beginning of a formula? */
static bool runs(char first)
{
	return first && strchr("=+-@", first);
}

/*
 * Write foreign text as a field: valid UTF-8 without control characters, because the output may be
 * a terminal, and quoted if necessary.
 */
static void write_text(FILE *out, const char *bytes)
{
	size_t room = 4 * strlen(bytes) + 1;
	char *text = xmalloc(room);
	const char *at;
	bool quoted;

	text_escape_csv(text, room, bytes);
	quoted = strpbrk(text, ",\"") || *text == ' ' ||
		 (*text && text[strlen(text) - 1] == ' ');
	if (quoted)
		fputc('"', out);
	if (runs(*text))
		fputc('\'', out);
	for (at = text; *at; at++) {
		if (*at == '"')
			fputc('"', out);
		fputc(*at, out);
	}
	if (quoted)
		fputc('"', out);
	free(text);
}

static void write_cell(FILE *out, const struct cell *cell)
{
	char list[TEXT_LIST_MAX];
	__u64 i;

	switch (cell->kind) {
	case CELL_TEXT:
		write_text(out, cell->text);
		break;
	case CELL_COUNT:
	case CELL_BOOL:
	case CELL_BYTES:
		fprintf(out, "%llu", cell->part);
		break;
	case CELL_HEX:
		fprintf(out, "0x%llx", cell->part);
		break;
	case CELL_OFFSET:
		fprintf(out, "+0x%02llx", cell->part);
		break;
	case CELL_SHARE:
	case CELL_AVERAGE:
		fprintf(out, JSON_REAL, ratio(cell));
		break;
	case CELL_BITS:
		text_bits(list, cell->part);
		fprintf(out, strchr(list, ',') ? "\"%s\"" : "%s", list);
		break;
	case CELL_CHANGE:
		fprintf(out, "%lld", (__s64)(cell->part - cell->whole));
		break;
	case CELL_LIST:
		for (i = 0; i < cell->part; i++)
			fprintf(out, "%s%llu", i ? " " : "", cell->list[i]);
		break;
	case CELL_SOURCES:
	case CELL_NONE:
	case CELL_BLANK:
		break;
	}
}

/* The column with this key; NULL: the table has none. */
static const struct report_column *column_of(const struct report *report,
					     const char *key)
{
	size_t i;

	for (i = 0; i < report->nr_columns; i++)
		if (report->columns[i].key && !strcmp(report->columns[i].key, key))
			return &report->columns[i];
	return NULL;
}

/* A column of CSV: a figure's value, an end of its interval, or its count of one source. */
struct csv_key {
	const struct report_column *of;
	unsigned int part;
};

static unsigned int parts_of(const struct report_column *column)
{
	return column->sources ? MEMLAT_SRC_NR : column->bounded ? ENDS : 1;
}

/* The keys of several tables, each once, in the order in which they first occur. */
static size_t union_of_keys(const struct report *reports, size_t nr, struct csv_key *keys)
{
	size_t report, i, nr_keys = 0;
	unsigned int part;

	for (report = 0; report < nr; report++)
		for (i = 0; i < reports[report].nr_columns; i++) {
			const struct report_column *column = &reports[report].columns[i];
			size_t known = 0;

			while (column->key && known < nr_keys && strcmp(keys[known].of->key, column->key))
				known++;
			if (!column->key || known < nr_keys)
				continue;
			for (part = 0; part < parts_of(column); part++)
				keys[nr_keys++] = (struct csv_key){ column, part };
		}
	return nr_keys;
}

static void write_part(FILE *out, const struct csv_key *key, const struct cell *cell)
{
	if (key->of->sources && cell->list)
		fprintf(out, "%llu", cell->list[key->part]);
	else if (!key->part)
		write_cell(out, cell);
	else if (cell->bounded)
		fprintf(out, JSON_REAL, end_of(cell, key->part));
}

static void write_table(FILE *out, const struct report *report, bool named,
			const struct csv_key *keys, size_t nr_keys)
{
	const struct report_column **columns = xcalloc(nr_keys, sizeof(*columns));
	size_t row, i;

	for (i = 0; i < nr_keys; i++)
		columns[i] = column_of(report, keys[i].of->key);
	for (row = 0; row < report->nr_rows; row++) {
		struct cell cell = cell_none();

		if (named)
			fputs(report->key, out);
		for (i = 0; i < nr_keys; i++) {
			if (i || named)
				fputc(',', out);
			if (columns[i] && (!keys[i].part || columns[i] != columns[i - 1]))
				cell = report_cell(report, columns[i], row);
			if (columns[i])
				write_part(out, &keys[i], &cell);
		}
		fputs("\r\n", out);
	}
	report_end(report);
	free(columns);
}

void report_csv_tables(FILE *out, const struct report *reports, size_t nr)
{
	/* Tables of one kind are told apart by their columns, and may be one only. */
	const bool named = nr > 1 && strcmp(reports[0].key, reports[1].key);
	size_t room = 0, nr_keys, i, j;
	struct csv_key *keys;

	for (i = 0; i < nr; i++)
		for (j = 0; j < reports[i].nr_columns; j++)
			room += parts_of(&reports[i].columns[j]);
	keys = xcalloc(room, sizeof(*keys));
	nr_keys = union_of_keys(reports, nr, keys);
	if (named)
		fputs("table", out);
	for (i = 0; i < nr_keys; i++) {
		const struct report_column *of = keys[i].of;

		fprintf(out, "%s%s%s%s", i || named ? "," : "", of->key, of->sources ? "_" : "",
			of->sources ? source_name(keys[i].part) : end_names[keys[i].part]);
	}
	fputs("\r\n", out);
	for (i = 0; i < nr; i++)
		write_table(out, &reports[i], named, keys, nr_keys);
	free(keys);
}

void report_csv(FILE *out, const struct report *report)
{
	report_csv_tables(out, report, 1);
}

void report_table_begin(struct report_table *table, const void *context, const char *key,
			const char *title, size_t nr_rows, size_t total)
{
	table->room.text = NULL;
	table->report = (struct report){
		.key = key,
		.title = title,
		.columns = table->columns, .nr_rows = nr_rows, .context = context,
		.room = &table->room,
	};
	if (title && nr_rows < total) {
		snprintf(table->title, sizeof(table->title),
			 "%s (the first %zu of %zu; -n 0 shows all)", title, nr_rows, total);
		table->report.title = table->title;
	}
}

struct report_column *report_table_add(struct report_table *table, struct report_column column)
{
	struct report_column *added = &table->columns[table->report.nr_columns++];

	assert(table->report.nr_columns <= REPORT_COLUMNS_MAX);
	*added = column;
	if (column.figure)
		figures_name(added);
	return added;
}

void report_table_take(struct report_table *table, const struct report_column *known, size_t nr)
{
	unsigned int which;

	for (which = 0; which < nr; which++)
		report_table_add(table, known[which])->which = which;
}

struct cell_room *report_table_room(const struct report_table *table)
{
	return (struct cell_room *)(uintptr_t)&table->room;
}

bool report_format_take(enum report_format *format, enum report_format wanted)
{
	if (*format != REPORT_TEXT && *format != wanted) {
		out_complain("--json and --csv: output has one form; leave out one of them");
		return false;
	}
	*format = wanted;
	return true;
}
