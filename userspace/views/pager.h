/* SPDX-License-Identifier: GPL-2.0 */
/* Long text on a terminal goes through $PAGER, or less -FRX. */
#ifndef MEMLAT_PAGER_H
#define MEMLAT_PAGER_H

#include <stdbool.h>

/*
 * Keep what is written to standard output until pager_end(), if that is a terminal
 * and it is wanted; out_width() still tells the terminal's.
 */
void pager_begin(bool wanted);

/*
 * Show it: at once where it fits the screen or no pager is to be had, else through
 * the pager, which may quit when it likes. Nothing where nothing was begun. It is
 * also done when the program ends before.
 */
void pager_end(void);

#endif
