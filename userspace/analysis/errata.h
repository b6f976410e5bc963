/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures that are wrong on some cores because of errata that Intel lists, by the rows of the
 * module's table (MEMLAT_ERRATUM_*). Views print them below the figures.
 */
#ifndef MEMLAT_ERRATA_H
#define MEMLAT_ERRATA_H

#include <stddef.h>

#include "../host/cpu_models.h"
#include "../profile/snapshot.h"
#include "bus.h"

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
