/* SPDX-License-Identifier: GPL-2.0 */
/* Words that perf's users may type, and what does the same here. */
#ifndef MEMLAT_PERF_WORDS_H
#define MEMLAT_PERF_WORDS_H

#include <stdbool.h>

/* "perf's annotate is ..." for a command that only perf has; otherwise NULL. */
const char *perf_command(const char *name);

/* The same for a word behind a command, as in perf's "c2c report". */
const char *perf_argument(const char *command, const char *word);

/*
 * The same for an option, of perf or of memlat-ctl before, as it was typed, with dashes and perhaps "=VALUE". samples: the command
 * samples, so it has other counterparts of perf's options than a view.
 */
const char *perf_option(const char *typed, bool samples);

/* Find the word that a mistyped one was meant to be. */

struct nearest {
	const char *typed;
	const char *word;	/* the nearest so far; NULL: none is near enough */
	unsigned int distance;
};

/*
 * Set up struct nearest near = { .typed = TEXT }, then nearest_offer() each word, which must stay
 * valid. At most a third of the letters may differ. Of equally near words, the first one wins.
 */
void nearest_offer(struct nearest *near, const char *word);

#endif
