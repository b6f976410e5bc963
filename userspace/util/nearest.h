/* SPDX-License-Identifier: GPL-2.0 */
/* Which of some words was meant by one that was mistyped. */
#ifndef MEMLAT_NEAREST_H
#define MEMLAT_NEAREST_H

struct nearest {
	const char *typed;
	const char *word;	/* the nearest so far; NULL: none is near enough */
	unsigned int distance;
};

/*
 * struct nearest near = { .typed = TEXT }; then nearest_offer() each word, which must stay as
 * long. A third of the letters may differ at most. Of words equally near the first one stays.
 */
void nearest_offer(struct nearest *near, const char *word);

#endif
