/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How memlat allocates memory.
 */
#ifndef MEMLAT_HW_MEMORY_H
#define MEMLAT_HW_MEMORY_H

#include <linux/gfp.h>

/*
 * For all allocations whose size depends on the session, on the number of CPUs or on the number of
 * readers. The kernel reclaims what it can, and then the allocation fails: it never calls
 * the OOM killer, and prints nothing. kvmalloc() passes both flags on to vmalloc().
 */
#define MEMLAT_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

#endif /* MEMLAT_HW_MEMORY_H */
