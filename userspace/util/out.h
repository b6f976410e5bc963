/* SPDX-License-Identifier: GPL-2.0 */
/* Standard output and standard error. */
#ifndef MEMLAT_OUT_H
#define MEMLAT_OUT_H

#include <stdbool.h>
#include <stdio.h>

enum exit_status {
	DONE	= 0,
	FAILED	= 1,
	MISUSED	= 2
};

/*
 * One sentence on standard error, led by the program's name. What follows
 * the first line of the format is the way out, indented by the caller.
 */
__attribute__((format(printf, 1, 2)))
void out_complain(const char *format, ...);

/* Keep descriptors 0 to 2 taken, so that no device becomes one of them. */
void out_init(void);

/*
 * Flush standard output. What could not be written was not told: then DONE
 * becomes FAILED, with the reason on standard error.
 */
enum exit_status out_finish(enum exit_status status);

/*
 * Where -o says, or standard output where path is NULL: opened before anything runs, for at the
 * end it would be too late. NULL after saying why it cannot be.
 */
FILE *out_open(const char *path);
/* False after saying that not all could be written. */
bool out_close(FILE *out, const char *path);

/* Columns to write for: COLUMNS, the terminal's, else 132. */
unsigned int out_width(void);
/* The terminal that tells them is not standard output but this, while a pager waits. */
void out_set_terminal(int fd);

#endif
