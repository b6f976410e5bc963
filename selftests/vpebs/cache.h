/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The caches, TLBs and memory of the emulated machine: who has which line,
 * where an access is served from, and how long that takes.
 *
 * Every CPU is one core without SMT. Each has an L1D and an L2 of its own
 * (L2 includes L1D) and shares a victim L3 with its socket. A directory
 * that is always exact keeps MESIF between all of them. Prefetchers are there
 * when the machine is made with them (prefetch.h). What is left out:
 * instruction fetches, large pages (all are 4 KiB to the TLBs), TLB flushes,
 * memory bandwidth.
 */
#ifndef VPEBS_CACHE_H
#define VPEBS_CACHE_H

#include <stddef.h>

#include "machine.h"

struct vp_cache;
struct vp_config;

/* A Skylake-SP machine. NULL and errno: EINVAL (bad topology), ENOMEM. */
struct vp_cache *vp_cache_new(const struct vp_topology *topology);

/* The same with other sizes and latencies (config.h). */
struct vp_cache *vp_cache_new_config(const struct vp_topology *topology,
				     const struct vp_config *config);

void vp_cache_free(struct vp_cache *cache);

/*
 * One access, by the thread that runs access->cpu; the threads of different
 * CPUs may call at the same time. One thread alone always gets the same
 * outcomes for the same accesses.
 *
 * - A locked load asks for ownership, as a store does.
 * - An access over a line's end touches both lines; its outcome is the
 *   slower one. The second line is left out when it lies in another page,
 *   because its physical address isn't known.
 * - Code and latency of a store are those of its request for ownership.
 *   With the line at hand but shared they tell who had to be invalidated:
 *   L3 (nobody), L3_CLEAN (this socket), RCACHE (another socket).
 */
void vp_cache_access(struct vp_cache *cache, const struct vp_access *access,
		     struct vp_outcome *outcome);

/*
 * Prefetchers that are off from now on, as MSR_MISC_FEATURE_CONTROL has it
 * (prefetch.h). Any thread; a machine without them does nothing.
 */
void vp_cache_prefetch_off(struct vp_cache *cache, unsigned int cpu, unsigned int bits);

/*
 * Somebody else's clock for one core, instead of the cache's own: it says when the
 * next access begins, and is told of each line that is asked for.
 */
struct vp_miss {
	bool own;			/* asked for to write it */
	bool prefetch;			/* nobody waits for it, it takes no fill buffer */
	uint8_t code;			/* enum vp_code */
	uint32_t latency;		/* from the request to the line's arrival */
	uint32_t translation;		/* before that */
};

struct vp_cache_clock {
	uint64_t now;
	/* Returns when the line will be there. */
	uint64_t (*miss)(struct vp_cache_clock *clock, const struct vp_miss *miss);
};

/* Before the CPU runs. */
void vp_cache_set_clock(struct vp_cache *cache, unsigned int cpu, struct vp_cache_clock *clock);

/* All lines invalid, TLBs empty, clocks as new. Safe at any time. */
void vp_cache_flush(struct vp_cache *cache);

/* Node whose memory holds a physical address. */
unsigned int vp_cache_home(const struct vp_cache *cache, uint64_t paddr);

/* For tests: where a line is, as letters. */
struct vp_cache_line {
	char state;		/* of the private copies: 'M', 'E', 'S' or 'I' */
	uint64_t holders;	/* bit per CPU that has it in its L2 */
	unsigned int l3;	/* bit per node that has it in its L3 */
	unsigned int l3_dirty;	/* of these, newer than memory */
};
void vp_cache_probe(struct vp_cache *cache, uint64_t paddr, struct vp_cache_line *line);

/*
 * For tests: compare every tag with the directory. 0 when all agree, else
 * the number of faults, the first of them told in why. No access may run.
 */
unsigned int vp_cache_check(struct vp_cache *cache, char *why, size_t size);

#endif
