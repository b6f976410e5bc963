/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the cache model share. */
#ifndef VPEBS_CACHE_INTERNAL_H
#define VPEBS_CACHE_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>

#include "cache.h"
#include "cache_lock.h"
#include "config.h"
#include "lives.h"
#include "tlb.h"

/*
 * The directory: one entry for each line that any cache has, in one hash table per stripe. Only the
 * directory has the state of a line; tags only say that a line is there (but see L1_WRITABLE).
 */
enum dir_state {
	DIR_SHARED,	/* any number of holders, also none but an L3 */
	DIR_EXCLUSIVE,	/* one holder, no L3, same as memory */
	DIR_MODIFIED	/* one holder, no L3, newer than memory */
};

#define DIR_NOBODY	0xff

struct dir_entry {
	uint64_t key;		/* line + 1; 0: empty */
	uint64_t holders;	/* CPUs that have it in L2 */
	uint8_t l3;		/* nodes that have it in L3 */
	uint8_t l3_dirty;	/* of these, newer than memory: at most one */
	uint8_t state;		/* enum dir_state */
	uint8_t owner;		/* the CPU, when exclusive or modified */
	uint8_t forwarder;	/* node that answers for a shared line (the F of MESIF) */
	uint8_t dropped_by;	/* CPU that its L3's snoop filter still names */
};

struct dir {
	struct dir_entry *entry;
	uint32_t mask;		/* entries - 1 */
	uint32_t used;
};

struct stripe {
	_Alignas(128) struct vp_lock lock;
	struct dir dir;
	uint32_t clock;		/* counts uses, for L2 and L3 replacement */
};

/* A fill that is on its way. */
struct fill {
	uint64_t ready;		/* core clock at which the line arrives */
	uint64_t deadline;	/* access number that has to wait for it */
};

/*
 * An L1 tag is line << 2, L1_VALID, and L1_WRITABLE if the directory says that this core has the
 * line modified. Any thread may change a tag with the stripe's lock held; the tag's own core reads
 * it without the lock. If it finds the line, the hit happened before a concurrent change.
 */
#define L1_WRITABLE	1ULL
#define L1_VALID	2ULL

struct core {
	/* Only the core's own thread accesses these. */
	_Alignas(128) uint64_t accesses;	/* made so far */
	uint64_t skew;		/* core clock - accesses: what it stood still */
	uint64_t deadline;	/* of the oldest fill on its way, or UINT64_MAX */
	uint64_t *l1_ready;	/* by L1 slot: core clock at which it is filled */
	uint8_t *l1_stored;	/* by L1 slot: 8-byte parts written during the fill */
	uint64_t *l1_used;	/* by L1 slot: access number of latest use */
	uint8_t *l1_latest;	/* by L1 set: way found there last */
	struct vp_life **l1_life;	/* by L1 slot; NULL: lives are not followed */
	struct vp_tlb tlb;
	struct fill fill[VP_MAX_FILL_BUFFERS];
	unsigned int fill_head;
	unsigned int fills;
	unsigned int flushes;	/* as of the last access */
	struct prefetch *prefetch;	/* NULL: none */
	uint64_t random;	/* 0: nothing waits for other than memory */
	_Atomic unsigned int prefetch_off;	/* written by other threads too */

	/* Under the stripes' locks, or see above. */
	_Atomic uint64_t *l1_tag;
	uint64_t *l2_tag;	/* line + 1; 0: empty */
	uint32_t *l2_used;

	/* Constant. */
	struct vp_cache_clock *clock;	/* NULL: its own, skew and fills */
	uint8_t cpu;
	uint8_t node;
};

struct socket {
	uint64_t *l3_tag;	/* line + 1; 0: empty */
	uint32_t *l3_used;
	uint32_t l3_sets;	/* 0: a node without CPUs */
	uint64_t cpus;
};

struct vp_cache {
	struct vp_config config;
	struct vp_topology topology;
	uint64_t node_end[VP_MAX_NODES];
	atomic_uint flushes;
	struct core *core;
	struct socket socket[VP_MAX_NODES];
	struct stripe *stripe;
	struct vp_lives *lives;		/* NULL: nobody asks (lives.h) */
};

static inline uint64_t core_clock(const struct core *core)
{
	return core->clock ? core->clock->now : core->accesses + core->skew;
}

static inline struct stripe *stripe_of(struct vp_cache *cache, uint64_t line)
{
	return &cache->stripe[line % VP_STRIPES];
}

static inline size_t l1_set(const struct vp_cache *cache, uint64_t line)
{
	return (size_t)(line & (cache->config.l1.sets - 1)) * cache->config.l1.ways;
}

static inline size_t l2_set(const struct vp_cache *cache, uint64_t line)
{
	return (size_t)(line & (cache->config.l2.sets - 1)) * cache->config.l2.ways;
}

static inline uint64_t mix64(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15ULL;
	return x ^ (x >> 29);
}

/* Slices aren't a power of two: keep the stripe, hash what is above it. */
static inline size_t l3_set(const struct vp_cache *cache, const struct socket *socket,
			    uint64_t line)
{
	uint32_t rows = socket->l3_sets / VP_STRIPES;
	uint32_t row = (uint32_t)(((mix64(line / VP_STRIPES) >> 32) * rows) >> 32);

	return ((size_t)row * VP_STRIPES + line % VP_STRIPES) * cache->config.l3.ways;
}

/* cache_dir.c; all under the stripe's lock */
struct dir_entry *dir_find(struct dir *dir, uint64_t line);
struct dir_entry *dir_add(struct dir *dir, uint64_t line);	/* must not be there */
void dir_remove(struct dir *dir, struct dir_entry *entry);

/* cache_coherence.c */
struct served {
	uint8_t code;
	bool writable_hit;	/* in L1, and this core's to write */
	bool upgrade;		/* in L1, but permission had to be asked for */
	bool fetched;		/* not even in L2 */
	size_t l1_slot;
};
void cache_request(struct vp_cache *cache, struct core *core, uint64_t line, bool own,
		   bool prefetch, struct served *served);
bool cache_in_l1(const struct vp_cache *cache, const struct core *core, uint64_t line);
/* A prefetch for reading. False: L2 has the line already, and nothing was requested. */
bool cache_fetch_l2(struct vp_cache *cache, struct core *core, uint64_t line, uint8_t *code);
void cache_invalidate_all(struct vp_cache *cache);

#endif
