/* SPDX-License-Identifier: GPL-2.0 */
/* Find the word that a mistyped one was meant to be. */
#ifndef MEMLAT_NEAREST_H
#define MEMLAT_NEAREST_H

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
