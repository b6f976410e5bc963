/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A terminal that is drawn on as a whole, and given back as it was found, however the program
 * ends: screen_end() does it, and so do exit() and the signals of a program that broke.
 *
 * By the sequences of ECMA-48 that every terminal of the last decades knows, and xterm's
 * alternate screen, which one that does not know it ignores. That is less than terminfo would
 * have to be asked for, and no library to find at run time.
 */
#ifndef MEMLAT_SCREEN_H
#define MEMLAT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Is there a terminal at both ends that can be drawn on? NULL, or what is wrong. */
const char *screen_missing(void);

/* Take it; false with errno. screen_end() may be called at any time, and more than once. */
bool screen_begin(void);
void screen_end(void);
bool screen_is_taken(void);

/* As it is now; 24 lines of 80 columns where the terminal does not say. */
void screen_size(size_t *rows, size_t *columns);

/*
 * Lines from the top on, and nothing below them: only what differs from what stands there is
 * written. marked, strong: the numbers of lines that stand out; nr: none. 0 or -errno.
 */
int screen_draw(char *const *line, size_t nr, size_t marked, size_t strong);
/* Something else may stand there. */
void screen_forget(void);

enum screen_key {
	SCREEN_NO_KEY = 0,
	/* Below 256: a byte that was typed. */
	SCREEN_UP = 256, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME, SCREEN_LAST,
	SCREEN_ESCAPE, SCREEN_ENTER, SCREEN_ERASE,
	SCREEN_GONE		/* the terminal is not there any more */
};

/* The next key that has been typed, without waiting. */
int screen_key(void);

#endif
