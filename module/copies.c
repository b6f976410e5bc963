// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: their memory, and the records of tables in it. Whoever may open the device may
 * open it often and leave a snapshot that nobody reads in each file. So what all of them take
 * is bounded, and more closely what those take who may not lock memory, as perf's buffers are
 * (perf_mmap()).
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/container_of.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "copies.h"
#include "core/pack.h"
#include "core/tables.h"
#include "hw/memory.h"
#include "snapshot.h"
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

static bool is_wanted(const struct memlat_table *table, u32 wanted)
{
	return table->sets && wanted & BIT(table->kind->type);
}

static u32 chunks(const struct memlat_table *table)
{
	return DIV_ROUND_UP_ULL(table->now.used, table->per_chunk);
}

/* How many records a chunk has. */
static u32 chunk_records(const struct memlat_table *table, u32 chunk)
{
	return min_t(u64, table->now.used - (u64)chunk * table->per_chunk, table->per_chunk);
}

static size_t table_bytes(const struct memlat_table *table, bool packed)
{
	const u32 nr = chunks(table), size = table->kind->size;
	size_t bytes = 0;
	u32 i;

	if (!packed)
		return (size_t)table->now.used * size;
	for (i = 0; i < nr; i++) {
		bytes += memlat_pack_bytes(table->chunk[i], chunk_records(table, i), size);
		cond_resched();
	}
	return bytes;
}

static void *table_copy(void *to, const struct memlat_table *table, bool packed)
{
	const u32 nr = chunks(table), size = table->kind->size;
	u32 i, records;

	for (i = 0; i < nr; i++) {
		records = chunk_records(table, i);
		if (packed) {
			to = memlat_pack(to, table->chunk[i], records, size);
		} else {
			memcpy(to, table->chunk[i], records * size);
			to += records * size;
		}
		cond_resched();
	}
	return to;
}

/**
 * memlat_copy_bytes - what the records of tables take in a copy
 * @tables: the tables, which nobody changes meanwhile
 * @wanted: bit (1 << enum memlat_rec_type) of each table to be copied, and
 *	MEMLAT_SNAPSHOT_PACKED if records are to be packed
 *
 * Return: bytes.
 */
size_t memlat_copy_bytes(const struct memlat_tables *tables, u32 wanted)
{
	const struct memlat_table *table;
	size_t bytes = 0;

	for (table = tables->table; table < tables->table + MEMLAT_TABLES; table++)
		if (is_wanted(table, wanted))
			bytes += table_bytes(table, wanted & MEMLAT_SNAPSHOT_PACKED);
	return bytes;
}

/**
 * memlat_copy_fill - copy the records of tables
 * @to: room for memlat_copy_bytes()
 * @tables: the tables, as they were then
 * @wanted: as it was then
 */
void memlat_copy_fill(void *to, const struct memlat_tables *tables, u32 wanted)
{
	const struct memlat_table *table;

	for (table = tables->table; table < tables->table + MEMLAT_TABLES; table++)
		if (is_wanted(table, wanted))
			to = table_copy(to, table, wanted & MEMLAT_SNAPSHOT_PACKED);
}
