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
 * Print one sentence to standard error, after the program's name. Lines after the first in the
 * format say what to do; the caller indents them. Commands are printed as command_text() has them.
 */
__attribute__((format(printf, 1, 2)))
void out_complain(const char *format, ...);

/*
 * Open descriptors 0 to 2 if they are closed, so that no device gets one of them. Set what
 * memlat-ctl needs of signals, whatever it inherited.
 */
void out_init(void);

/*
 * Flush standard output. If not all could be written, print the reason to standard error and turn
 * DONE into FAILED.
 */
enum exit_status out_finish(enum exit_status status);

/*
 * Open the file of -o, or standard output if path is NULL. Commands do it before they run anything,
 * because at the end it would be too late. NULL after printing the reason.
 */
FILE *out_open(const char *path);
/* False after printing that not all could be written. */
bool out_close(FILE *out, const char *path);

/* The columns to write for: COLUMNS, or the terminal's width, or 132. */
unsigned int out_width(void);
/* While a pager waits, take the width from this terminal instead of standard output. */
void out_set_terminal(int fd);

#endif
