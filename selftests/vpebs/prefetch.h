/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hardware prefetchers of a core, and the register that turns them off.
 *
 * Intel's documents (Optimization Reference Manual, "Data Prefetching", and "Disclosure of Hardware
 * Prefetcher Control on Some Intel Processors") leave much open. These are the rules here. No fetch
 * leaves a 4 KiB page:
 * - DCU: a load from a line that was loaded from lately, at a higher address
 *   within the line than then, fetches the next line to L1, once for each line.
 * - IP: a load instruction that makes the same stride of up to 2 KiB for the
 *   third time fetches the line that it would load next to L1.
 * - L2: the third request of L1 in one direction within a page, and each
 *   that follows it, fetches the next two lines in that direction that were not
 *   yet asked for to L2, up to 20 lines ahead.
 * - ADJACENT: a line that a request of L1 brings to L2 brings the other line of its
 *   128 bytes along.
 * A fetch to L1 has the line's latency, so a load may find the line on its way; a fetch to L2 is
 * done at once. No fetch waits for another one or takes a fill buffer, but if all fill buffers are
 * taken, fetches to L1 are not made. Fetches only read: they make a line shared that another core
 * has modified, as a load does. Accesses of other threads of a core, and fetches that come too
 * late, are not modelled.
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
/* Forget all that was seen; prefetchers that are off stay off. */
void prefetch_forget(struct prefetch *prefetch);

/*
 * L1 requested a line. fetched: that brought it to L2. The thread that runs the core calls this and
 * the next function; they store in the outcome what was fetched.
 */
void prefetch_request(struct vp_cache *cache, struct core *core, uint64_t line, bool fetched,
		      struct vp_outcome *outcome);
/* A load was done. */
void prefetch_load(struct vp_cache *cache, struct core *core, const struct vp_access *access,
		   struct vp_outcome *outcome);

#endif
