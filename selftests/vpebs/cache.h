/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The caches, TLBs and memory of the emulated machine: who has which line,
 * where an access is served from, and how long that takes.
 *
 * Every CPU is one core without SMT. Each has its own L1D and L2 (L2 includes L1D) and shares a
 * victim L3 with its socket. A directory, which is always exact, keeps MESIF between all of them.
 * There are prefetchers if the machine is made with them (prefetch.h). Not modelled are instruction
 * fetches, large pages (the TLBs only know 4 KiB), TLB flushes and memory bandwidth.
 */
#ifndef VPEBS_CACHE_H
#define VPEBS_CACHE_H

#include <stddef.h>

#include "machine.h"

struct vp_cache;
struct vp_lives;
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
 * - Code and latency of a store are those of its request for ownership. If the core has the line
 *   but shared, they show whose copies were invalidated: L3 (nobody's), L3_CLEAN (in this socket),
 *   RCACHE (in another socket).
 */
void vp_cache_access(struct vp_cache *cache, const struct vp_access *access,
		     struct vp_outcome *outcome);

/*
 * Set which prefetchers are off from now on, as bits of MSR_MISC_FEATURE_CONTROL (prefetch.h). Any
 * thread may call this. It does nothing on a machine without prefetchers.
 */
void vp_cache_prefetch_off(struct vp_cache *cache, unsigned int cpu, unsigned int bits);

/*
 * An external clock for one core, instead of the cache's own. It says when the next access begins,
 * and is told of each line that is requested.
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

/*
 * Follow the lives of lines (lives.h) from now on; NULL: no more. One thread must run all CPUs.
 * False: no memory.
 */
bool vp_cache_lives(struct vp_cache *cache, struct vp_lives *lives);

/*
 * The access is a further item of a string instruction in the line of the last one. It counts as no
 * access of its own, but its bytes are used.
 */
void vp_cache_more(struct vp_cache *cache, const struct vp_access *access);

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
 * For tests: compare every tag with the directory. Returns the number of differences, and the first
 * of them in why. No access may run.
 */
unsigned int vp_cache_check(struct vp_cache *cache, char *why, size_t size);

#endif
