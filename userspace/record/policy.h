/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What can be done for a program without its source, for a single run: a policy or a variable that
 * the command inherits from memlat-ctl.
 */
#ifndef MEMLAT_POLICY_H
#define MEMLAT_POLICY_H

#include <stdbool.h>

#include <linux/memlat.h>

struct bitmask;

struct policy {
	const char *text;		/* as it was typed */
	const struct policy_kind *kind;
	const char *value;		/* the part after the = */
	/* for the remedies that need them */
	int device;
	const struct memlat_query *query;
	/* a variable and its former value; old NULL: it was not set */
	char *name, *old;
	/* what was set before: the memory policy, and what PR_GET_THP_DISABLE returned */
	int policy;
	struct bitmask *nodes;
	int thp_disable;
};

/* The names for --help and for completion. */
#define REMEDY_HELP \
"  numa=bind:N            all memory on node N (numactl --membind)\n" \
"  numa=interleave        pages on all nodes in turn\n" \
"  numa=local             each page on the node that touches it first\n" \
"  thp=always             the heap on huge pages (glibc.malloc.hugetlb)\n" \
"  thp=never              no huge pages\n" \
"  heap-align=64          each heap object on cache lines of its own (or 128)\n" \
"  prefetch=off           the hardware prefetchers off, on all CPUs\n" \
"  env:NAME=VALUE         this variable\n"

/* Is it a known remedy that this machine can apply? False after printing why not. */
bool policy_parse(struct policy *remedy, const char *text);
/* Can only the module apply it? */
bool policy_needs_module(const struct policy *remedy);
/* Apply the remedy to every command that is run from now on. False after printing why not. */
bool policy_apply(struct policy *remedy, int device, const struct memlat_query *query);
/* After remedy_apply(), whether that went well or not. */
void policy_undo(struct policy *remedy);

#endif
