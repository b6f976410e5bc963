/* SPDX-License-Identifier: GPL-2.0 */
/* Cells that say which code it is, for several views. */
#ifndef MEMLAT_WHERE_H
#define MEMLAT_WHERE_H

#include "../names/namer.h"
#include "report.h"

/*
 * The name of the code that made a site's accesses: where records hold the instruction
 * after it, that of the byte before.
 */
const struct code_name *where_site(const struct profile *profile, struct namer *namer,
				   const struct memlat_rec_site *site);

/* What follows the last slash; all of it where nothing does. */
const char *where_last_part(const char *path);

/* The function that it was compiled into, where that is another one; NULL: it is not. */
const char *where_inlined(const struct code_name *name);

/* "add [inlined in main]"; "(no symbol)" of a known file; else "(unknown)" */
struct cell where_function(struct cell_room *room, const struct code_name *name);
/* "w1+0x14", "libc.so.6+0x2a041": where nothing better is known the module's offset */
struct cell where_offset(struct cell_room *room, const struct code_name *name);
/* "chase.c:41" */
struct cell where_line(struct cell_room *room, const char *file, unsigned int line);

/* What a column tells of a row's code. */
enum where_code {
	WHERE_FUNCTION = 1,	/* as where_function() */
	WHERE_FUNCTION_NAME,	/* alone */
	WHERE_OFFSET,		/* in the function */
	WHERE_INLINED,		/* the function that it was compiled into */
	WHERE_LINE,		/* as where_line() */
	WHERE_FILE,
	WHERE_LINE_NUMBER,
	WHERE_MODULE,
	WHERE_PATH,		/* of the module */
};

/*
 * What programs have of them all, for a table of struct report_column that its columns' numbers
 * index: W is what the names of these numbers begin with.
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
 * Where data is declared, "chase.c:41", or allocated, with the function; for the caller to free().
 * NULL: it is not known.
 */
char *where_data(const struct data_name *data);

#endif
