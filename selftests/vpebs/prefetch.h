/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hardware prefetchers of a core, and the register that turns them off.
 *
 * What Intel tells of them (Optimization Reference Manual, "Data Prefetching", and
 * "Disclosure of Hardware Prefetcher Control on Some Intel Processors") leaves
 * much open. The rules here, none of which leaves a 4 KiB page:
 * - DCU: a load from a line that was loaded from lately, at a higher address
 *   within the line than then, fetches the next line to L1, once for each line.
 * - IP: a load instruction that goes by the same stride of up to 2 KiB for the
 *   third time fetches what it would load next to L1.
 * - L2: the third request of L1 in one direction within a page, and each
 *   that follows it, fetches the next two lines in that direction that were not
 *   yet asked for to L2, up to 20 lines ahead.
 * - ADJACENT: a line that a request of L1 brings to L2 brings the other line of its
 *   128 bytes along.
 * A line that comes to L1 has its latency, so a load may find it on its way; one
 * that comes to L2 is there at once. No fetch waits for another or takes a fill
 * buffer, but with all of these taken L1's are not made. Fetches only read: what
 * another core has modified they make shared, as a load does. Accesses of other
 * threads of a core do not exist here, nor does a fetch that comes too late.
 */
#ifndef VPEBS_PREFETCH_H
#define VPEBS_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

/* Bits of MSR_MISC_FEATURE_CONTROL (0x1a4), which turn one off, by number. */
enum vp_prefetcher {
	VP_PREFETCH_L2,
	VP_PREFETCH_ADJACENT,
	VP_PREFETCH_DCU,
	VP_PREFETCH_IP,
	VP_PREFETCHERS
};
#define VP_PREFETCH_BITS	((1U << VP_PREFETCHERS) - 1)

/* Lines that one access made a prefetcher fetch: a byte of vp_outcome.prefetches each. */
static inline unsigned int vp_prefetched(const struct vp_outcome *outcome, unsigned int which)
{
	return outcome->prefetches >> 8 * which & 0xff;
}

struct vp_cache;
struct core;
struct prefetch;

/* A core's; NULL: no memory. */
struct prefetch *prefetch_new(void);
/* All that was seen is forgotten; what is off stays so. */
void prefetch_forget(struct prefetch *prefetch);

/*
 * L1 asked for a line. fetched: it came to L2 with that. This and the next are called
 * by the thread that runs the core, and say in the outcome what was fetched.
 */
void prefetch_request(struct vp_cache *cache, struct core *core, uint64_t line, bool fetched,
		      struct vp_outcome *outcome);
/* A load, after it was done. */
void prefetch_load(struct vp_cache *cache, struct core *core, const struct vp_access *access,
		   struct vp_outcome *outcome);

#endif
