/* SPDX-License-Identifier: GPL-2.0 */
/* Properties in which kinds of cores differ (MEMLAT_TRAIT_*). */
#ifndef MEMLAT_CORE_TRAITS_H
#define MEMLAT_CORE_TRAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "../host/cpu_models.h"
#include "../profile/snapshot.h"
#include "bus.h"

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

/*
 * Figures that are wrong on some cores because of errata that Intel lists, by the rows of the
 * module's table (MEMLAT_ERRATUM_*). Views print them below the figures.
 */

/* Figures, bits. */
#define ERRATA_SOURCES		(1U << 0)	/* where loads were served from, and latencies by that */
#define ERRATA_WALKS		(1U << 1)	/* page walks */
#define ERRATA_BUS(kind)	(1U << (8 + (kind)))	/* enum bus_kind: share and depth */
#define ERRATA_COUNTS		(~ERRATA_SOURCES)	/* all that is counted */

struct erratum {
	__u32 bit;		/* MEMLAT_ERRATUM_* */
	const char *errata;	/* "HSD76, HSD25, HSM26" */
	__u32 touches;		/* the affected figures */
	const char *text;	/* what it means for these figures */
};

extern const struct erratum all_errata[];
extern const size_t nr_errata;

/* MEMLAT_ERRATUM_* of a kind of core, and of all kinds in a snapshot. */
__u32 errata_of(const struct memlat_rec_core *core);
__u32 errata_here(const struct snapshot *snap);

/* The figures that these errata affect. */
__u32 errata_touch(__u32 errata);

#endif
