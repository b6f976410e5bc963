/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations as a C or C++ source has them, from DWARF. A type that has a name is called by it;
 * one that has none, or that was written within the structure, is written out.
 */
#ifndef MEMLAT_DECLARE_H
#define MEMLAT_DECLARE_H

#include <stdbool.h>
#include <stdio.h>

#include "members.h"

struct declare;

/* within: the structure that is written: a type in its braces is written where it is used first. */
struct declare *declare_new(struct pool *pool, const struct members *within);
void declare_free(struct declare *declare);

/* "unsigned long (*run)(struct job *)", without a semicolon; NULL: it can't be told. In the pool. */
const char *declare_name(struct declare *declare, Dwarf_Die *type, const char *name,
			 unsigned int indent);
/* What is declared, with an alignment. kernel: with the macro that the kernel has for a cache line. */
const char *declare_aligned(struct pool *pool, const char *text, __u32 bytes, bool kernel);
/* Another declaration of a structure. */
struct declare_change {
	const size_t *order;		/* its members, by number; NULL: as they are */
	const __u32 *aligned;		/* by place in that order: an alignment to ask for; 0: none */
	__u32 whole;			/* the same of the whole */
	bool kernel;			/* spelled as the kernel's source does */
	const char *(*comment)(void *context, size_t member);	/* behind a member; may be NULL */
	bool (*left_out)(void *context, size_t member);		/* from an excerpt; may be NULL */
	void *context;
};

/*
 * "struct x {", its members, a line each, "}", without what follows that. change: NULL: as it is.
 * NULL: it can't be told. In the pool.
 */
const char *declare_record(struct pool *pool, const struct members *members,
			   const struct declare_change *change);

#endif
