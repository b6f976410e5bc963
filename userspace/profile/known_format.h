/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names that a profile keeps, in its file: known_write.c and known_read.c. Rows are numbers of
 * up to 10 bytes, 7 bits each, and most of them are the difference to the row before. So what was
 * sampled side by side takes little room, also before zlib has packed it.
 */
#ifndef MEMLAT_KNOWN_FORMAT_H
#define MEMLAT_KNOWN_FORMAT_H

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

/* How the text follows from name and field, as it nearly always does. */
enum text_kind { TEXT_NONE, TEXT_NAME, TEXT_BOTH, TEXT_OWN };

#endif
