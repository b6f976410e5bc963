/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes and latencies of an emulated machine: one table per model. */
#ifndef VPEBS_CONFIG_H
#define VPEBS_CONFIG_H

#include "machine.h"

/*
 * Every cache's number of sets is a multiple of this, and a line's set number has the same residue
 * in all of them. So one lock per residue protects a line and all lines that it can evict, at
 * every level.
 */
#define VP_STRIPES	64

struct vp_geometry {
	unsigned int sets;	/* a power of two; caches: a multiple of VP_STRIPES */
	unsigned int ways;
};

struct vp_latency {
	uint16_t base;		/* cycles */
	uint16_t spread;	/* largest deviation, either way */
};

struct vp_config {
	const char *name;
	struct vp_geometry l1;
	struct vp_geometry l2;
	struct vp_geometry l3;		/* of one core; a socket has that times its cores */
	struct vp_geometry dtlb;
	struct vp_geometry stlb;
	bool prefetch;			/* it has prefetchers (prefetch.h) */
	uint64_t waits;			/* CPUs on which an access waits for other than memory */
	uint64_t seed;			/* of how long */
	unsigned int fill_buffers;	/* L1 misses on their way at once, per core */
	unsigned int window;		/* accesses that can pass an unfinished one */
	uint16_t stlb_hit;		/* cycles that a DTLB miss adds */
	struct vp_latency walk;		/* cycles that an STLB miss adds instead */
	struct vp_latency latency[VP_CODES];	/* by enum vp_code */
};

#define VP_MAX_FILL_BUFFERS	64

extern const struct vp_config vp_config_skx;

#endif
