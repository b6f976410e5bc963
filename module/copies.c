// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of snapshots. Whoever may open the device may open it often and leave in each
 * file a snapshot that nobody reads, so what all of them take is bounded; and more closely what
 * those take who may not lock memory, as perf's buffers are (perf_mmap()).
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/container_of.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/vmalloc.h>

#include "copies.h"
#include "hw/memory.h"
#include "store.h"

struct copy {
	u64 bytes;	/* of all of it */
	bool locked;	/* for one who may lock memory */
	u8 records[] __aligned(8);
};

/* Bytes of all copies; and of those that are for one who may not lock memory. */
static atomic64_t held, unlocked;

/* What these may have together: several readers of a session of the default size. */
#define UNLOCKED_MAX	(4 * MEMLAT_MEMORY_DEFAULT)

static void give_up(u64 bytes, bool locked)
{
	atomic64_sub(bytes, &held);
	if (!locked)
		atomic64_sub(bytes, &unlocked);
}

/* One can always be read, however large a session somebody else has started. */
static bool take_up(u64 bytes, bool locked)
{
	const u64 all = atomic64_add_return(bytes, &held);
	const u64 theirs = locked ? 0 : atomic64_add_return(bytes, &unlocked);

	if (all <= memlat_store_memory_max() && (theirs <= UNLOCKED_MAX || theirs == bytes))
		return true;
	give_up(bytes, locked);
	return false;
}

/**
 * memlat_copy_alloc - memory for a snapshot
 * @bytes: how much
 *
 * Charged to the cgroup of who asks. May sleep.
 *
 * Return: memory that is not cleared, for memlat_copy_free(); NULL when there is none, or when
 * all copies together would have more than a session's tables may, or those of callers without
 * CAP_IPC_LOCK more than UNLOCKED_MAX.
 */
void *memlat_copy_alloc(size_t bytes)
{
	/* It is no misuse not to have it. */
	const bool locked = ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
	struct copy *copy;

	bytes += sizeof(*copy);
	if (!take_up(bytes, locked))
		return NULL;
	copy = __vmalloc(bytes, MEMLAT_GFP | __GFP_ACCOUNT);
	if (!copy) {
		give_up(bytes, locked);
		return NULL;
	}
	copy->bytes = bytes;
	copy->locked = locked;
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
	give_up(copy->bytes, copy->locked);
	vfree(copy);
}
