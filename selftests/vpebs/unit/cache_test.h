/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the cache model share: a machine, and short ways to use it. */
#ifndef VPEBS_UNIT_CACHE_TEST_H
#define VPEBS_UNIT_CACHE_TEST_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../cache.h"
#include "../config.h"
#include "cache_faults.h"

#define MIB		(1ULL << 20)
#define LINE		64ULL
#define L1_ALIAS	4096ULL		/* next line in the same L1 set */
#define L2_ALIAS	65536ULL	/* next line in the same L2 set */

/* Two sockets: CPUs 0 and 1 in node 0, CPUs 2 and 3 in node 1. */
static const struct vp_topology two_by_two = {
	.cpus = 4, .nodes = 2, .node_mem = { 512 * MIB, 512 * MIB },
};

#define NODE1	(512 * MIB)
#define A	0x100040ULL	/* a line of node 0 */
#define IDLE	0x1ff00000ULL	/* + cpu * 64 KiB + 2 KiB: memory that settle() accesses */

static inline int setup(void **state)
{
	*state = vp_cache_new(&two_by_two);
	return *state ? 0 : -1;
}

static inline int teardown(void **state)
{
	unsigned int faults = cache_faults(*state);

	vp_cache_free(*state);
	return faults ? -1 : 0;
}

static inline struct vp_outcome access_at(struct vp_cache *cache, unsigned int cpu, uint64_t vaddr,
				   uint64_t paddr, unsigned int size, bool store, bool locked)
{
	struct vp_access access = {
		.cpu = cpu, .store = store, .locked = locked, .size = size,
		.vaddr = vaddr, .paddr = paddr,
	};
	struct vp_outcome outcome;

	memset(&outcome, 0xee, sizeof(outcome));
	vp_cache_access(cache, &access, &outcome);
	return outcome;
}

static inline struct vp_outcome load(struct vp_cache *cache, unsigned int cpu, uint64_t paddr)
{
	return access_at(cache, cpu, paddr, paddr, 8, false, false);
}

static inline struct vp_outcome store(struct vp_cache *cache, unsigned int cpu, uint64_t paddr)
{
	return access_at(cache, cpu, paddr, paddr, 8, true, false);
}

/*
 * Let all outstanding fills of a core arrive: make more accesses than the window has room for, to
 * one line.
 */
static inline void settle(struct vp_cache *cache, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < 2 * vp_config_skx.window; i++)
		load(cache, cpu, IDLE + cpu * 0x10000 + 2048);
}

/* Bring the page into the TLB, so that latencies are those of the caches alone. */
static inline void warm_tlb(struct vp_cache *cache, unsigned int cpu, uint64_t paddr)
{
	load(cache, cpu, (paddr & ~4095ULL) + 63 * LINE);
	settle(cache, cpu);
}

static inline struct vp_cache_line probe(struct vp_cache *cache, uint64_t paddr)
{
	struct vp_cache_line line;

	vp_cache_probe(cache, paddr, &line);
	return line;
}

/* Evict a line from a core's L2 (to L3) with sixteen other lines of its set. */
static inline void push_out(struct vp_cache *cache, unsigned int cpu, uint64_t paddr,
			    unsigned int from)
{
	unsigned int i;

	for (i = from; i < from + vp_config_skx.l2.ways; i++)
		load(cache, cpu, paddr + (i + 1) * L2_ALIAS);
	settle(cache, cpu);
}

static inline void assert_latency(struct vp_outcome outcome, unsigned int code)
{
	const struct vp_latency *latency = &vp_config_skx.latency[code];

	assert_int_equal(outcome.code, code);
	assert_int_equal(outcome.l1_hit, code == VP_L1);
	assert_in_range(outcome.latency, latency->base - latency->spread,
			latency->base + latency->spread);
}

#endif
