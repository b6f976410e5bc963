/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What can be done for a program without its source, for as long as one run of it: a policy or
 * a variable that the command inherits from this process.
 */
#ifndef MEMLAT_REMEDY_H
#define MEMLAT_REMEDY_H

#include <stdbool.h>

#include <linux/memlat.h>

struct remedy {
	const char *text;		/* as it was typed */
	const struct remedy_kind *kind;
	const char *value;		/* behind the = */
	char *name, *old;		/* a variable, and what it was; old NULL: not there */
};

/* The names that --help and completion list. */
#define REMEDY_HELP \
"  numa=bind:N            all memory on node N (numactl --membind)\n" \
"  numa=interleave        pages on all nodes in turn\n" \
"  numa=local             each page on the node that touches it first\n" \
"  thp=always             the heap on huge pages (glibc.malloc.hugetlb)\n" \
"  thp=never              no huge pages\n" \
"  heap-align=64          each heap object on cache lines of its own (or 128)\n" \
"  prefetch=off           the hardware prefetchers off, on all CPUs\n" \
"  env:NAME=VALUE         this variable\n"

/* Is there such a one, and can this machine do it? False after saying why not. */
bool remedy_parse(struct remedy *remedy, const char *text);
/* What is run from now on has it. False after saying why not. */
bool remedy_apply(struct remedy *remedy, int device, const struct memlat_query *query);
void remedy_undo(struct remedy *remedy, int device, const struct memlat_query *query);

#endif
