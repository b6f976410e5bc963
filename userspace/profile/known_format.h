/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names that a profile keeps, in its file: known_write.c and known_read.c. Rows are numbers of
 * up to 10 bytes, 7 bits each, and most of them are the difference to the row before. So what was
 * sampled side by side takes little room, also before zlib has packed it.
 */
#ifndef MEMLAT_KNOWN_FORMAT_H
#define MEMLAT_KNOWN_FORMAT_H

#include <stddef.h>
#include <string.h>

#include <linux/types.h>

#define KNOWN_LAYOUT	1
#define COLUMNS_MOST	20

/* The previous row's numbers, and the column of the next one. */
struct columns {
	__u64 before[COLUMNS_MOST];
	unsigned int at;
};

static inline void row_begin(struct columns *columns)
{
	columns->at = 0;
}

static inline void table_begin(struct columns *columns)
{
	memset(columns, 0, sizeof(*columns));
}

/* A member of a row that is a column of the file, too. */
struct column {
	unsigned short offset;
	enum { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_WORD } kind;
};

#define COLUMN(row, member) {							\
	offsetof(struct row, member),						\
	_Generic(((struct row *)NULL)->member, const char *: COLUMN_TEXT,	\
		 __u64: COLUMN_NUMBER, __u32: COLUMN_WORD)			\
}

/* Lists of them end with this column. */
#define COLUMNS_END	{ 0xffff, COLUMN_WORD }

/* Of struct code_name, and of struct data_name before and behind its text. */
extern const struct column columns_code_name[], columns_data_name[], columns_data_name_more[];

/* The tables of places, in the order of the file. name 0: its rows have none. */
struct place_table {
	const struct column *columns;
	unsigned short rows, size;	/* the rows in struct known, and of how many bytes one is */
	unsigned short age, name;	/* in a row */
};

#define PLACE_TABLES	3
extern const struct place_table place_tables[PLACE_TABLES];

#define EACH_COLUMN(column, list) \
	for (const struct column *column = (list); (column)->offset != 0xffff; (column)++)

/* How the text follows from name and field, as it nearly always does. */
enum text_kind { TEXT_NONE, TEXT_NAME, TEXT_BOTH, TEXT_OWN };

#endif
