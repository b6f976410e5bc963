// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of snapshots. Whoever may open the device may open it often and leave in each
 * file a snapshot that nobody reads, so what all of them take is bounded.
 */
#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/gfp.h>
#include <linux/vmalloc.h>

#include "copies.h"
#include "hw/memory.h"
#include "store.h"

struct copy {
	u64 bytes;	/* of all of it */
	u8 records[] __aligned(8);
};

/* Bytes of all copies. */
static atomic64_t held;

/**
 * memlat_copy_alloc - memory for a snapshot
 * @bytes: how much
 *
 * Charged to the cgroup of who asks. May sleep.
 *
 * Return: memory that is not cleared, for memlat_copy_free(); NULL when there is none, or when
 * all copies together would have more than a session's tables may.
 */
void *memlat_copy_alloc(size_t bytes)
{
	struct copy *copy = NULL;

	bytes += sizeof(*copy);
	if (atomic64_add_return(bytes, &held) <= memlat_store_memory_max())
		copy = __vmalloc(bytes, MEMLAT_GFP | __GFP_ACCOUNT);
	if (!copy) {
		atomic64_sub(bytes, &held);
		return NULL;
	}
	copy->bytes = bytes;
	return copy->records;
}

/**
 * memlat_copy_free - give it back
 * @records: what memlat_copy_alloc() returned, or NULL
 */
void memlat_copy_free(void *records)
{
	struct copy *copy = container_of(records, struct copy, records);

	if (!records)
		return;
	atomic64_sub(copy->bytes, &held);
	vfree(copy);
}
