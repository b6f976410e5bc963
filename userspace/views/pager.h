/* SPDX-License-Identifier: GPL-2.0 */
/* Show long text on a terminal with $PAGER, or less -FRX. */
#ifndef MEMLAT_PAGER_H
#define MEMLAT_PAGER_H

#include <stdbool.h>

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
