/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables in text, JSON and CSV from one description: a column is a key, a heading
 * and a figure, so that all three hold the same.
 */
#ifndef MEMLAT_REPORT_H
#define MEMLAT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/types.h>

#include "../util/json.h"

enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV
};

enum cell_kind {
	CELL_NONE,	/* not known or nothing to tell: "-", null, empty */
	CELL_BLANK,	/* the same where most cells have nothing: "", null, empty */
	CELL_TEXT,	/* any bytes; copied when it is taken, escaped when shown */
	CELL_COUNT,	/* 48,211 · 48211 */
	CELL_HEX,	/* 0x7f.. in all three (a string in JSON) */
	CELL_OFFSET,	/* +0x08 */
	CELL_SHARE,	/* part of whole: 61.3% · 0.6130 · of nothing: CELL_NONE */
	CELL_AVERAGE,	/* part / whole: 551 · 551.25 */
	CELL_BITS,	/* 0,2-5 · [0,2,3,4,5] */
	CELL_CHANGE	/* part - whole, with its sign: -1,234 · -1234 */
};

struct cell {
	enum cell_kind kind;
	const char *text;	/* valid until the next cell is asked for */
	__u64 part;		/* the count, number or mask; or the share's part */
	__u64 whole;
};

static inline struct cell cell_none(void)
{
	return (struct cell){ .kind = CELL_NONE };
}

static inline struct cell cell_blank(void)
{
	return (struct cell){ .kind = CELL_BLANK };
}

static inline struct cell cell_text(const char *text)
{
	return (struct cell){ .kind = text ? CELL_TEXT : CELL_NONE, .text = text };
}

static inline struct cell cell_number(enum cell_kind kind, __u64 number)
{
	return (struct cell){ .kind = kind, .part = number };
}

static inline struct cell cell_count(__u64 number)
{
	return cell_number(CELL_COUNT, number);
}

static inline struct cell cell_ratio(enum cell_kind kind, __u64 part, __u64 whole)
{
	return (struct cell){ .kind = whole ? kind : CELL_NONE, .part = part, .whole = whole };
}

/* Text that was made for a cell, until the next one is; free(room.text) at the end. */
struct cell_room {
	char *text;
};

/* text: newly allocated; NULL: no text. */
struct cell cell_keep(struct cell_room *room, char *text);
__attribute__((format(printf, 2, 3)))
struct cell cell_say(struct cell_room *room, const char *format, ...);

struct report_column {
	const char *key;	/* JSON and CSV: stable; NULL: not in these */
	const char *title;	/* text; NULL: not in text */
	bool left;		/* aligned left: words */
	bool keep;		/* dropped last when the terminal is narrow */
	const char *group;	/* text: one heading above neighbours of one group; or NULL */
	struct cell (*get)(const void *context, size_t row);
	/* Or, where columns are many of a kind or made at run time: which one it is. */
	struct cell (*get_at)(const void *context, size_t row, unsigned int which);
	unsigned int which;
	unsigned int code;	/* enum where_code: what of the row's code it tells; 0: something else */
	unsigned int data;	/* enum site_data_part: what of the data of that code; 0: something else */
};

struct report {
	const char *key;	/* of its array in a JSON document; CSV: first column "table" when there are several */
	const char *title;	/* heading above it in text; NULL: none */
	const struct report_column *columns;
	size_t nr_columns;
	size_t nr_rows;
	const void *context;
};

/*
 * One table. Text: where it is too wide long words are shortened, then
 * columns leave from the right, and it says so; a column without a figure in any row is left
 * out, unless it is kept. "(none)" without rows.
 */
void report_print(FILE *out, const struct report *report, size_t width);
struct json_object *report_json(const struct report *report);	/* an array of objects */
/* One member. */
void report_put_cell(struct json_object *object, const char *key, const struct cell *cell);
/* Members of one row added to an object that may have others. */
void report_put_row(struct json_object *object, const struct report *report, size_t row);


/* What a cell holds; as text for people, newly allocated and fit for a terminal. */
struct cell report_cell(const struct report *report, const struct report_column *column,
			size_t row);
char *report_cell_text(const struct cell *cell);
/* The columns that text has, by their place, into room for all; how many. */
size_t report_shown_columns(const struct report *report, size_t *shown);

/*
 * RFC 4180, with a heading row; text that a spreadsheet would run as a formula has an
 * apostrophe before it. Of several tables: all their columns, and "table" as the first.
 */
void report_csv(FILE *out, const struct report *report);
void report_csv_tables(FILE *out, const struct report *reports, size_t nr);

#define REPORT_TITLE_MAX	160

/* "Functions (the first 4 of 318; -n 0 shows all)"; returns out. */
char *report_title(char out[REPORT_TITLE_MAX], const char *title, size_t shown, size_t total);

#define REPORT_COLUMNS_MAX	80

/*
 * A report whose columns are chosen when it is made. Where it is it stays: its parts
 * point to one another. free(room.text) at the end.
 */
struct report_table {
	struct report report;
	char title[REPORT_TITLE_MAX];
	struct report_column columns[REPORT_COLUMNS_MAX];
	struct cell_room room;
};

/* context: for its cells. total: rows there are, of which nr_rows are shown. */
void report_table_begin(struct report_table *table, const void *context, const char *key,
			const char *title, size_t nr_rows, size_t total);
/* One more column, to be given what else it has: see struct report_column. */
struct report_column *report_table_add(struct report_table *table, const char *key,
				       const char *title,
				       struct cell (*get_at)(const void *, size_t, unsigned int),
				       unsigned int which);
/* The columns that a view knows, each numbered by its place there; hide some afterwards. */
void report_table_take(struct report_table *table, const struct report_column *known,
		       size_t nr, struct cell (*get_at)(const void *, size_t, unsigned int));
/* Cells are made while the table is only read. */
struct cell_room *report_table_room(const struct report_table *table);

/* Words of the command line: --json, --csv; both: a complaint and false. */
bool report_format_take(enum report_format *format, enum report_format wanted);

/* A view in the form that was asked for: by its NAME_print(), NAME_csv() or NAME_json(). */
#define REPORT_SHOW(name, format, out, view) do {	\
	if ((format) == REPORT_TEXT)			\
		name ## _print(out, view);		\
	else if ((format) == REPORT_CSV)		\
		name ## _csv(out, view);		\
	else						\
		json_print(out, name ## _json(view));	\
} while (0)

#endif
