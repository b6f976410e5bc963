/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which misses of shared lines communicate, and which only share a line.
 *
 * The definition is that of Dubois, Skeppstedt, Ricciulli, Ramamurthy and Stenström, "The
 * detection and elimination of useless misses in multiprocessors", ISCA 1993, with the byte as its
 * word:
 *
 * - A life is a core's copy of a line, from the fetch into its L2 until another core's write
 *   invalidates it, or until it is evicted.
 * - A byte is pending for a core if another core wrote its present value since this core's last
 *   essential miss of the line.
 * - A miss that an invalidation had made necessary is essential if the core loads a pending byte
 *   during that life. If it does not, but stores to one, the life is overwritten: no value was
 *   communicated, but the two could not be parted either. Otherwise the miss was useless.
 * - A core that has a line but may not write it asks for ownership (an upgrade). That is as useful
 *   as the most useful life that it ends on another core. A life that began with a cold miss counts
 *   as essential there.
 *
 * Cold misses, misses after an eviction, and lines that a core had when counting began are counted
 * apart.
 *
 * It needs one thread for all CPUs. A cache without lives (vp_cache_set_lives) is not slowed down.
 */
#ifndef VPEBS_LIVES_H
#define VPEBS_LIVES_H

#include <stdio.h>

#include "cache.h"

struct json;
struct vp_lives;
struct vp_life;

/* Who runs: a page table, and the FS base, which the C library has another of for each thread. */
struct vp_thread {
	uint64_t space;
	uint64_t fs;
};

/* A row of the trace. */
struct vp_lives_row {
	uint64_t vaddr;
	uint64_t paddr;
	uint32_t latency;		/* without translation */
	uint32_t thread;
	uint8_t size;
	uint8_t cpu;
	uint8_t kind;			/* VP_ROW_ bits */
	uint8_t code;			/* enum vp_code */
	uint8_t zero[4];
};

#define VP_ROW_STORE	0x01
#define VP_ROW_LOCKED	0x02
#define VP_ROW_USER	0x04
#define VP_ROW_MORE	0x10		/* further items of a string instruction in this line */
#define VP_ROW_BEGIN	0x20		/* a bracket begins here: what follows is its own */
#define VP_ROW_PREFETCH	0x40		/* this line was fetched into L2, and nobody waits */
#define VP_ROW_EVICTED	0x80		/* this line left L2 to make room */

/* who: tells who runs on a CPU. NULL: no memory. */
struct vp_lives *vp_lives_new(unsigned int cpus,
			      void (*who)(unsigned int cpu, struct vp_thread *to));
void vp_lives_free(struct vp_lives *lives);

/* Write a trace of all accesses in brackets from now on. The caller closes the file. */
void vp_lives_trace(struct vp_lives *lives, FILE *to);

/* Called by the cache's owner (vp_cache_lives), which forgets the lives that it knew. */
void vp_lives_begin(struct vp_lives *lives);
/* Determine the classes of all lives that have not ended. */
void vp_lives_end(struct vp_lives *lives);

/* The number of a thread, and of the one that runs on a CPU. */
uint32_t vp_lives_number(struct vp_lives *lives, const struct vp_thread *who);
uint32_t vp_lives_thread(struct vp_lives *lives, unsigned int cpu);

/* With a clock: what a thread's cycles were spent on, by kernel and user. */
struct vp_thread_time {
	uint64_t cycles;
	uint64_t head;			/* a load at the head of the machine waits (timing.h) */
	uint64_t latency;		/* of loads that miss L1, summed */
};

void vp_lives_time(struct vp_lives *lives, uint32_t thread, bool user,
		   const struct vp_thread_time *time);

/* Add the member "lives" to a JSON document. */
void vp_lives_json(const struct vp_lives *lives, struct json *out);

/*
 * What the cache reports, in this order for each access to a line: request, then lost, evicted and
 * fetched as they happen, then access.
 */
static inline uint64_t vp_lives_bytes(const struct vp_access *access, uint64_t line)
{
	const uint64_t start = line << VP_LINE_SHIFT;
	uint64_t from = access->paddr, to = from + (access->size ? access->size : 1);

	from = from > start ? from - start : 0;
	to = to < start + VP_LINE_BYTES ? to - start : VP_LINE_BYTES;
	return (to - from >= 64 ? UINT64_MAX : (1ULL << (to - from)) - 1) << from;
}

void vp_lives_request(struct vp_lives *lives);
void vp_lives_lost(struct vp_lives *lives, unsigned int cpu, uint64_t line);
void vp_lives_evicted(struct vp_lives *lives, unsigned int cpu, uint64_t line);
void vp_lives_fetched(struct vp_lives *lives, unsigned int cpu, uint64_t line, bool own,
		      bool prefetch);
/* The core has the line already, and may write it from now on, which it could not until now. */
void vp_lives_owned(struct vp_lives *lives, unsigned int cpu, uint64_t line);
void vp_lives_flushed(struct vp_lives *lives);

/* What an access was to L1: a hit, a line that the core has (perhaps not as its own), a fetch. */
enum vp_request { VP_REQUEST_NONE, VP_REQUEST_HELD, VP_REQUEST_LINE };

/*
 * An access to a line that its core has in L1 now. life: what the last call for this L1 slot
 * returned, or NULL. Returns NULL if there was no room.
 */
struct vp_life *vp_lives_access(struct vp_lives *lives, struct vp_life *life, uint64_t line,
				const struct vp_access *access, const struct vp_outcome *outcome,
				enum vp_request request);
/* The same for the rest of a string instruction's items, if the core still has the line. */
void vp_lives_more(struct vp_lives *lives, const struct vp_access *access);

#endif
