/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A terminal that is drawn on as a whole. It is restored however the program ends: by screen_end(),
 * by exit(), or by the handlers of fatal signals.
 *
 * It uses those sequences of ECMA-48 that every terminal of the last decades knows, and xterm's
 * alternate screen, which other terminals ignore. That is less than terminfo would need, and no
 * library has to be found at run time.
 */
#ifndef MEMLAT_SCREEN_H
#define MEMLAT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Can both standard input and output be used as a terminal? NULL, or what is wrong. */
const char *screen_missing(void);

/*
 * Take over the terminal; false with errno. screen_end() may be called at any time, and more than
 * once.
 */
bool screen_begin(void);
void screen_end(void);
bool screen_is_taken(void);

/* The current size; 24 lines of 80 columns if the terminal does not tell. */
void screen_size(size_t *rows, size_t *columns);

/*
 * Draw lines from the top, and clear the rest. Only what has changed is written. marked, strong:
 * indices of highlighted lines; nr: none.
 */
void screen_draw(char *const *line, size_t nr, size_t marked, size_t strong);
/* Redraw everything next time, because another program may have written to the screen. */
void screen_forget(void);

enum screen_key {
	SCREEN_NO_KEY = 0,
	/* Below 256: a byte that was typed. */
	SCREEN_UP = 256, SCREEN_DOWN, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME, SCREEN_LAST,
	SCREEN_ESCAPE, SCREEN_ENTER, SCREEN_ERASE,
	SCREEN_GONE		/* the terminal no longer exists */
};

/* The next key that was typed; does not wait. */
int screen_key(void);

/*
 * A progress line on the terminal, for work that takes longer than a second. It is not printed
 * while a screen is drawn.
 */

struct waiting {
	const char *what;	/* "reading types of instructions" */
	size_t all;
	bool wanted;		/* standard error is a terminal */
	bool shown;
	__u64 due;		/* CLOCK_MONOTONIC, ns */
};

void waiting_begin(struct waiting *waiting, const char *what, size_t all);
/*
 * done: how many are finished. Prints once a second: "reading types of instructions: 3,120 of
 * 10,000".
 */
void waiting_step(struct waiting *waiting, size_t done);
/* Erase the line. */
void waiting_end(struct waiting *waiting);

#endif
