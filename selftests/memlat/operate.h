/* SPDX-License-Identifier: GPL-2.0 */
/* An operation whose requests for memory, and whose copies, fail one after the other. */
#ifndef MEMLAT_TEST_OPERATE_H
#define MEMLAT_TEST_OPERATE_H

#include <stdbool.h>
#include <stddef.h>

#define MOST		400	/* requests that one operation may make */

struct operation {
	const char *name;
	int (*call)(void);
	void (*prepare)(void);		/* before each call; NULL: nothing */
	void (*undo)(void);		/* after one that worked; NULL: nothing */
	bool (*intact)(void);		/* after one that failed */
	const char *thread;		/* who allocates; NULL: the caller */
	const char *within;		/* the function that does; NULL: any */
	bool (*complete)(void);		/* after one that worked; NULL: it is */
	bool fails;			/* at least once: it can't always do without */
	bool never_fails;
	bool slow;			/* the next fault is the next try */
	const char * const *functions;	/* those to be starved; NULL: none */
};

/* Results that operate_all() gives for these. */
unsigned int results_of(const struct operation *o, size_t n);

/* Each request fails once: the first, the second, until it needs no more. One result. */
void operate(const struct operation *o);

/* All fails that one function asks for, from the first page, or from ever later on. */
void starve(const struct operation *o);

/* Both, for each of them, wherever in memlat it asks. */
void operate_all(const struct operation *o, size_t n);

#endif
