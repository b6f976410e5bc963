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

/*
 * Where data is declared, "chase.c:41", or allocated, with the function; to be freed. NULL: not
 * known.
 */
char *where_data(const struct data_name *data);

#endif
