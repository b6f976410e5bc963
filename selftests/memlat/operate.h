/* SPDX-License-Identifier: GPL-2.0 */
/* Operations whose requests for memory and whose copies fail, one after the other. */
#ifndef MEMLAT_TEST_OPERATE_H
#define MEMLAT_TEST_OPERATE_H

#include <stdbool.h>
#include <stddef.h>

#define MOST		400	/* requests that one operation may make */

struct operation {
	const char *name;
	int (*call)(void);
	void (*prepare)(void);		/* before each call; NULL: nothing */
	void (*undo)(void);		/* after a call that worked; NULL: nothing */
	bool (*intact)(void);		/* after a call that failed */
	const char *thread;		/* that allocates; NULL: the caller */
	const char *within;		/* function that allocates; NULL: any */
	bool (*complete)(void);		/* after a call that worked; NULL: it is */
	bool fails;			/* it has to fail at least once */
	bool never_fails;
	bool slow;			/* the next fault checks that it works */
	const char * const *functions;	/* those to be starved; NULL: none */
};

/* The number of results of operate_all() for these. */
unsigned int results_of(const struct operation *o, size_t n);

/* Let each request fail once: the first, the second, until there are no more. One result. */
void operate(const struct operation *o);

/* Let all requests of one function fail from the first page on, then from later pages. */
void starve(const struct operation *o);

/* Do both for each operation, with all functions of memlat that request memory. */
void operate_all(const struct operation *o, size_t n);

#endif
