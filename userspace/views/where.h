/* SPDX-License-Identifier: GPL-2.0 */
/* Cells that describe the code of a row, for several views. */
#ifndef MEMLAT_WHERE_H
#define MEMLAT_WHERE_H

#include "../names/namer.h"
#include "report.h"

/* What makes a function's name a call: "()", or "" if the name has its parameters, as in C++. */
const char *where_call(const char *function);

/* The function that the code was compiled into, if that is another one; NULL: it is not. */
const char *where_inlined(const struct code_name *name);

/* "add [inlined in main]"; "(no symbol)" if only the file is known; otherwise "(unknown)" */
struct cell where_function(struct cell_room *room, const struct code_name *name);
/* "w1+0x14", or "libc.so.6+0x2a041" with the offset in the module if no symbol is known */
struct cell where_offset(struct cell_room *room, const struct code_name *name);
/* "chase.c:41" */
struct cell where_line(struct cell_room *room, const char *file, unsigned int line);

/* What a column shows of a row's code. */
enum where_code {
	WHERE_FUNCTION = 1,	/* as where_function() */
	WHERE_FUNCTION_NAME,	/* the function's name alone */
	WHERE_OFFSET,		/* the offset in the function */
	WHERE_INLINED,		/* the function that it was compiled into */
	WHERE_LINE,		/* as where_line() */
	WHERE_FILE,
	WHERE_LINE_NUMBER,
	WHERE_MODULE,
	WHERE_PATH,		/* the path of the module */
};

/*
 * The columns of code for programs, for a table of struct report_column that is indexed by the
 * numbers of its columns. W: the prefix of the names of these numbers.
 */
#define WHERE_KEYS(W) \
	[W##FUNCTION_NAME]	= { "function", NULL, .code = WHERE_FUNCTION_NAME }, \
	[W##OFFSET]		= { "function_offset", NULL, .code = WHERE_OFFSET }, \
	[W##INLINED]		= { "inlined_in", NULL, .code = WHERE_INLINED }, \
	[W##FILE]		= { "file", NULL, .code = WHERE_FILE }, \
	[W##LINE_NUMBER]	= { "line", NULL, .code = WHERE_LINE_NUMBER }, \
	[W##MODULE_NAME]	= { "module", NULL, .code = WHERE_MODULE }, \
	[W##PATH]		= { "path", NULL, .code = WHERE_PATH }

struct cell where_cell(struct cell_room *room, const struct code_name *name,
		       enum where_code which);

/*
 * Where data is declared, "chase.c:41", or allocated, with the function; to be freed. NULL: not
 * known.
 */
char *where_data(const struct data_name *data);

#endif
