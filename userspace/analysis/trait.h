/* SPDX-License-Identifier: GPL-2.0 */
/* What kinds of cores do their own way (MEMLAT_TRAIT_*). */
#ifndef MEMLAT_TRAIT_H
#define MEMLAT_TRAIT_H

#include <stdbool.h>

#include "../profile/snapshot.h"

/*
 * Does any kind of core here have it? A module that does not tell of cores knows
 * none but those that have MEMLAT_TRAIT_TLB and nothing else.
 */
bool trait_here(const struct memlat_status *status, __u32 trait);

/* And do all of them? Those that the snapshot tells of. */
bool trait_everywhere(const struct snapshot *snap, __u32 trait);

/*
 * Does any tell what memory took apart from other waits, and did the module go by it? An
 * older one had the use latency in all tables.
 */
bool trait_memory(const struct snapshot *snap);

/* Loads sampled on kinds of cores that have it; all of them but for hybrids. */
__u64 trait_loads(const struct snapshot *snap, __u32 trait);
/* The same by where they were served from. */
void trait_sources(const struct snapshot *snap, __u32 trait,
		   __u64 count[MEMLAT_SRC_NR]);

/* The traits one after the other; false when there is none at that place. */
struct trait_words {
	__u32 trait;
	const char *name;	/* for JSON: "ip_after" */
	const char *text;	/* for people: what it means for the figures */
	const char *without;	/* what not having it means; NULL: nothing */
};

bool trait_at(unsigned int place, struct trait_words *words);

#endif
