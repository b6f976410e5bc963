/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables in text, JSON and CSV from one description. A column is a key, a heading and what makes a
 * cell, a member of the row or a function, so all three forms show the same.
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
	CELL_NONE,	/* not known, or no value: "-", null, empty */
	CELL_BLANK,	/* as CELL_NONE, if most cells have no value: "", null, empty */
	CELL_TEXT,	/* any bytes; copied by the reader, escaped when shown */
	CELL_COUNT,	/* 48,211 · 48211 */
	CELL_BYTES,	/* 64.0 MiB · 67108864 */
	CELL_HEX,	/* 0x7f.. in all three (a string in JSON) */
	CELL_OFFSET,	/* +0x08 */
	CELL_SHARE,	/* part of whole: 61.3%, 61.3% ±9 · 0.6130 · whole 0: as CELL_NONE */
	CELL_AVERAGE,	/* part / whole: 551 · 551.25 */
	CELL_BITS,	/* 0,2-5 · [0,2,3,4,5] */
	CELL_CHANGE,	/* part - whole, with its sign: -1,234 · -1234 */
	/* for JSON alone, but for CELL_BOOL, which is 0 or 1 elsewhere */
	CELL_BOOL,
	CELL_LIST,	/* part: how many counts */
	CELL_SOURCES	/* a count for each source */
};

struct cell {
	enum cell_kind kind;
	const char *text;	/* valid until the next cell is asked for */
	__u64 part;		/* the count, number or mask; or the numerator */
	__u64 whole;
	double error;		/* CELL_SHARE: percent points that text adds; 0: none */
	bool bounded;		/* CELL_SHARE: its interval is known */
	double low, high;	/* that interval's ends, 0 to 1 */
	const __u64 *list;
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

/* A count, or no value if it is not known. */
static inline struct cell cell_known(bool known, __u64 number)
{
	return known ? cell_count(number) : cell_none();
}

/* How many of nr rows to show. show: at most so many; 0: all. */
static inline size_t report_limit(size_t show, size_t nr)
{
	return show && show < nr ? show : nr;
}

/* How many CPUs a mask has. An empty one says that they are not known, as in an imported file. */
static inline struct cell cell_cpu_count(__u64 mask)
{
	return cell_known(mask, (__u64)__builtin_popcountll(mask));
}

static inline struct cell cell_ratio(enum cell_kind kind, __u64 part, __u64 whole)
{
	return (struct cell){ .kind = whole ? kind : CELL_NONE, .part = part, .whole = whole };
}

/*
 * Owns the text that was made for a cell, until the next cell is asked for. Who prints the report
 * whose room it is frees the last text; elsewhere, free(room.text) at the end.
 */
struct cell_room {
	char *text;
};

/* text: newly allocated; NULL: no text. */
struct cell cell_keep(struct cell_room *room, char *text);
__attribute__((format(printf, 2, 3)))
struct cell cell_say(struct cell_room *room, const char *format, ...);

/*
 * A member of the rows that a column shows as it is. In a column, the macros below name it. They do
 * not compile if the member's type cannot be shown so.
 */
struct report_member {
	enum cell_kind kind;		/* CELL_NONE: the column has a function instead */
	bool far;			/* not in the row, but where a pointer in it points */
	unsigned char bytes;		/* of a number; CELL_LIST: how many */
	unsigned short pointer;		/* offset of that pointer */
	unsigned short at, whole;	/* offsets; whole: of the denominator of a ratio */
	size_t row;			/* bytes of a row */
};

#define REPORT_BYTES(number) \
	_Generic(&(number), __u64 *: 8, const __u64 *: 8, __u32 *: 4, const __u32 *: 4, \
		 unsigned long *: sizeof(long), const unsigned long *: sizeof(long))
#define REPORT_POINTER(words) \
	_Generic(&(words), char **: 0, const char **: 0, char *const *: 0, const char *const *: 0)
#define REPORT_MEMBER(form, size, type, member, other) \
	.shows = { .kind = (form), .bytes = (size), .at = offsetof(type, member), \
		   .whole = (other), .row = sizeof(type) }
/* The struct to which a row's pointer points. */
#define REPORT_THERE(type, to)	__typeof__(*(type){ 0 }.to)
#define REPORT_FAR(form, size, type, to, member) \
	.shows = { .kind = (form), .far = true, .bytes = (size), .pointer = offsetof(type, to), \
		   .at = offsetof(REPORT_THERE(type, to), member), .row = sizeof(type) }
/* CELL_COUNT, CELL_BYTES, CELL_HEX, CELL_OFFSET or CELL_BITS. _AT: where the row's pointer points. */
#define REPORT_NUMBER(form, type, member) \
	REPORT_MEMBER(form, REPORT_BYTES(((type *)0)->member), type, member, 0)
#define REPORT_NUMBER_AT(form, type, to, member) \
	REPORT_FAR(form, REPORT_BYTES(((REPORT_THERE(type, to) *)0)->member), type, to, member)
#define REPORT_WORDS(type, member) \
	REPORT_MEMBER(CELL_TEXT, REPORT_POINTER(((type *)0)->member), type, member, 0)
#define REPORT_WORDS_AT(type, to, member) \
	REPORT_FAR(CELL_TEXT, REPORT_POINTER(((REPORT_THERE(type, to) *)0)->member), \
		   type, to, member)
#define REPORT_LIST_AT(type, to, member) \
	REPORT_FAR(CELL_LIST, sizeof((REPORT_THERE(type, to)){ 0 }.member) / sizeof(__u64), \
		   type, to, member)
/* CELL_SHARE or CELL_AVERAGE */
#define REPORT_RATIO(form, type, part, of) \
	REPORT_MEMBER(form, _Generic(&((type *)0)->part, __u64 *: 8), type, part, \
		      _Generic(&((type *)0)->of, __u64 *: offsetof(type, of)))
#define REPORT_RATIO_AT(form, type, to, part, of) \
	.shows = { .kind = (form), .far = true, .pointer = offsetof(type, to), .row = sizeof(type), \
		   .at = offsetof(REPORT_THERE(type, to), part), \
		   .whole = offsetof(REPORT_THERE(type, to), of) }

struct cell report_member_cell(const struct report_member *member, const void *row);

struct report_column {
	const char *key;	/* in JSON and CSV: a stable name; NULL: not in these */
	const char *title;	/* heading in text; NULL: not in text */
	bool left;		/* aligned left: words */
	unsigned char keep;	/* when the terminal is narrow, those with the lowest are dropped first */
	const char *group;	/* text: one heading above adjacent columns of one group; or NULL */
	/* The cell: a member of the row, or else what one of the functions returns. */
	struct report_member shows;
	bool known;		/* 0 in that member means that there is no value */
	bool quiet;		/* text leaves cells of 0 empty, so that others stand out */
	bool bounded;		/* JSON and CSV: KEY_low and KEY_high too, the interval's ends */
	bool sources;		/* CSV: a column for each source, KEY_l1 and so on */
	struct cell (*get)(const void *context, size_t row);
	/* which tells the column */
	struct cell (*get_at)(const void *context, size_t row, unsigned int which);
	unsigned int which;
	/* enum figure_id, with ONLY_*: its key, and its title if the column has none, are that one's */
	unsigned short figure;
};

/* figures.c: take key and title of the column's figure. */
void figures_name(struct report_column *column);

/* The function of a column that an expression makes, from its context, of, and the row's index, at. */
#define REPORT_CELL(name, type, ...) \
	static struct cell name(const void *context, size_t at) \
	{ const type *of __attribute__((unused)) = context; return __VA_ARGS__; }

struct report {
	/* of its array in a JSON document; CSV: first column "table" if there are several */
	const char *key;
	const char *title;	/* heading above it in text; NULL: none */
	const struct report_column *columns;
	size_t nr_columns;
	size_t nr_rows;
	const void *context;
	const void *rows;	/* an array, of which columns show members */
	struct cell_room *room;	/* of its cells; NULL: they need none */
};

/*
 * Print a table as text. If it is too wide, long words are shortened, then columns are dropped from
 * the right, and a note says so. A column without a value in any row is left out, unless keep is
 * set. Without rows it prints "(none)".
 */
void report_print(FILE *out, const struct report *report, size_t width);
struct json_object *report_json(const struct report *report);	/* an array of objects */
/* Put one cell as a member. */
void report_put_cell(struct json_object *object, const char *key, const struct cell *cell);
/* Put the ends of a share's interval: KEY_low and KEY_high. */
void report_put_ends(struct json_object *object, const char *key, const struct cell *cell);
/* Add the members of a row to an object, which may have others. */
void report_put_row(struct json_object *object, const struct report *report, size_t row);

/* Is any cell of the column another number than 0? */
bool report_any(const struct report *report, const struct report_column *column);

/* A cell as text for people, newly allocated and fit for a terminal. */
char *report_cell_text(const struct cell *cell);

/*
 * CSV by RFC 4180, with a heading row. Text that a spreadsheet would run as a formula gets an
 * apostrophe in front. Several tables share one heading row with all their columns, and "table" as
 * the first, unless they are of one kind.
 */
void report_csv(FILE *out, const struct report *report);
void report_csv_tables(FILE *out, const struct report *reports, size_t nr);

#define REPORT_TITLE_MAX	160

#define REPORT_COLUMNS_MAX	80

/*
 * A report whose columns are chosen at run time. It must not move, because its parts point to each
 * other.
 */
struct report_table {
	struct report report;
	char title[REPORT_TITLE_MAX];
	struct report_column columns[REPORT_COLUMNS_MAX];
	struct cell_room room;
};

/* context: for the cells. title: not copied. total: number of rows, of which nr_rows are shown. */
void report_table_begin(struct report_table *table, const void *context, const char *key,
			const char *title, size_t nr_rows, size_t total);
/* Add a column, of which these are members: REPORT_ADD(&table, "loads", "loads", .which = W_LOADS). */
struct report_column *report_table_add(struct report_table *table, struct report_column column);
#define REPORT_ADD(table, ...) report_table_add(table, (struct report_column){ __VA_ARGS__ })
/*
 * Add all columns that a view knows, each with its index as number. The view may hide some
 * afterwards.
 */
void report_table_take(struct report_table *table, const struct report_column *known, size_t nr);
/* The table is const while its cells are made, but its room is not. */
struct cell_room *report_table_room(const struct report_table *table);

/* Take --json or --csv. If both are given, complain and return false. */
bool report_format_take(enum report_format *format, enum report_format wanted);

/* Show a view in the format that was asked for: text and csv print it, json is its document. */
#define REPORT_SHOW(format, out, text, csv, json) do {	\
	if ((format) == REPORT_TEXT)			\
		text;					\
	else if ((format) == REPORT_CSV)		\
		csv;					\
	else						\
		json_print(out, json);			\
} while (0)

/*
 * A table that is fitted to a width: long words are shortened first, then columns are dropped from
 * the right.
 */

#define TABLE_KEEP_MOST	3

struct table_column {
	const char *title;
	bool right;	/* aligned right: numbers, which are never shortened */
	unsigned char keep;	/* columns with the lowest one are dropped first, from the right */
	const char *group;	/* heading above adjacent columns of the same group; NULL: none */
};

/* cells[row * nr_columns + column]: text that is fit for the terminal. */
struct table {
	const struct table_column *columns;
	size_t nr_columns;
	size_t nr_rows;
	char **cells;
};

/*
 * Choose the width of each column, 0 if it is dropped. Returns how many columns stay. The first
 * column always does.
 */
size_t table_fit(const struct table *table, size_t width, size_t *widths);

/* Print the columns that fit, and name the others. */
void table_print(FILE *out, const struct table *table, size_t width);

/* Show long text on a terminal with $PAGER, or less -FRX. */

/*
 * Collect what is written to standard output until pager_end(), if a pager is wanted and standard
 * output is a terminal. out_width() still returns the terminal's width.
 */
void pager_begin(bool wanted);

/*
 * Show the collected text: directly if it fits the screen or there is no pager, otherwise with the
 * pager, which may quit at any time. Does nothing unless collecting was begun. It is also called
 * when the program exits.
 */
void pager_end(void);

#endif
