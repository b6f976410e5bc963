/* SPDX-License-Identifier: GPL-2.0 */
/* Properties in which kinds of cores differ (MEMLAT_TRAIT_*). */
#ifndef MEMLAT_CORE_TRAITS_H
#define MEMLAT_CORE_TRAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/snapshot.h"

/*
 * Does any kind of core here have the trait? A module that does not report cores has only cores
 * with MEMLAT_TRAIT_TLB and no other trait.
 */
bool trait_here(const struct memlat_status *status, __u32 trait);

/* Do all kinds of cores in the snapshot have it? */
bool trait_everywhere(const struct snapshot *snap, __u32 trait);

/*
 * Does any kind of core report what memory took apart from other waits, and did the module use it?
 * An older module had the use latency in all tables.
 */
bool trait_memory(const struct snapshot *snap);

/* Loads sampled on kinds of cores that have the trait: all or none, except on hybrids. */
__u64 trait_loads(const struct snapshot *snap, __u32 trait);
/* These loads by source. */
void trait_sources(const struct snapshot *snap, __u32 trait,
		   __u64 count[MEMLAT_SRC_NR]);

struct trait_words {
	__u32 trait;
	const char *name;	/* for JSON: "ip_after" */
	const char *text;	/* for people: what it means for the figures */
	const char *without;	/* what not having it means; NULL: nothing */
};

extern const struct trait_words all_traits[];
extern const size_t nr_traits;

#endif
