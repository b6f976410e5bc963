// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: their memory, and the records of tables in it. Whoever may open the device may
 * open it often and leave a snapshot that nobody reads in each file. So what all of them take
 * is bounded, and more closely what those take who may not lock memory, as perf's buffers are
 * (perf_mmap()).
 *
 * How much packed records take is known when they are packed. So a snapshot is a list of
 * blocks, which grows while the tables are copied, and each word of these is looked at once.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "copies.h"
#include "core/pack.h"
#include "core/tables.h"
#include "hw/memory.h"
#include "snapshot.h"
#include "store.h"

struct block {
	struct block *next;
	u32 room;	/* bytes */
	u32 used;	/* of these, by whole records */
	u8 records[] __aligned(8);
};

/* Bytes of records in a block: pages without a rest. A small snapshot has fewer. */
#define BLOCK	(SZ_1M - sizeof(struct block))

struct memlat_copy {
	struct block *first;	/* what has been read is given back */
	struct block *last;
	void *tail;
	u64 bytes;	/* of all blocks */
	u64 rest;	/* bytes of records that will come yet, at most */
	u32 at;		/* bytes of the first block that have been read */
	bool locked;	/* for one who may lock memory */
};

/* Bytes of all copies; and of those that are for one who may not lock memory. */
static atomic64_t held, unlocked;

/* What these may have together: several readers of a session of the default size. */
#define UNLOCKED_MAX	(4 * MEMLAT_MEMORY_DEFAULT)

static void give_up(struct memlat_copy *copy, u64 bytes)
{
	copy->bytes -= bytes;
	atomic64_sub(bytes, &held);
	if (!copy->locked)
		atomic64_sub(bytes, &unlocked);
}

/* One can always be read, however large a session somebody else has started. */
static bool take_up(struct memlat_copy *copy, u64 bytes)
{
	const u64 all = atomic64_add_return(bytes, &held);
	const u64 theirs = copy->locked ? 0 : atomic64_add_return(bytes, &unlocked);

	copy->bytes += bytes;
	if (all <= memlat_store_memory_max() &&
	    (copy->locked || theirs <= UNLOCKED_MAX || theirs == copy->bytes))
		return true;
	give_up(copy, bytes);
	return false;
}

/* Charged to the cgroup of who asks. By its name a test finds in /proc/vmallocinfo what is kept. */
static noinline struct block *copy_block(struct memlat_copy *copy, u32 room)
{
	struct block *block;
	const u64 bytes = struct_size(block, records, room);

	if (!take_up(copy, bytes))
		return NULL;
	block = __vmalloc(bytes, MEMLAT_GFP | __GFP_ACCOUNT);
	if (!block) {
		give_up(copy, bytes);
		return NULL;
	}
	block->next = NULL;
	block->room = room;
	block->used = 0;
	return block;
}

static void first_free(struct memlat_copy *copy)
{
	struct block *block = copy->first;

	copy->first = block->next;
	copy->at = 0;
	give_up(copy, struct_size(block, records, block->room));
	vfree(block);
}

/* Room for records that take so many bytes at most; they are behind each other. */
static void *copy_room(struct memlat_copy *copy, u32 most)
{
	struct block *block = copy->last;

	if (!block || block->room - block->used < most) {
		block = copy_block(copy, max_t(u64, most, min_t(u64, copy->rest, BLOCK)));
		if (!block)
			return NULL;
		if (copy->last)
			copy->last->next = block;
		else
			copy->first = block;
		copy->last = block;
	}
	copy->rest -= most;
	return block->records + block->used;
}

/* They end here. */
static void copy_used(struct memlat_copy *copy, const void *end)
{
	copy->last->used = end - (void *)copy->last->records;
}

static bool is_wanted(const struct memlat_table *table, u32 wanted)
{
	return table->sets && wanted & BIT(table->kind->type);
}

static u32 record_room(const struct memlat_table *table, bool packed)
{
	return packed ? memlat_pack_room(table->kind->size) : table->kind->size;
}

/* How many records a chunk has. */
static u32 chunk_records(const struct memlat_table *table, u32 chunk)
{
	return min_t(u64, table->now.used - (u64)chunk * table->per_chunk, table->per_chunk);
}

static bool table_copy(struct memlat_copy *copy, const struct memlat_table *table, bool packed)
{
	const u32 nr = DIV_ROUND_UP_ULL(table->now.used, table->per_chunk);
	const u32 size = table->kind->size;
	u32 i, records;
	void *to;

	for (i = 0; i < nr; i++) {
		records = chunk_records(table, i);
		to = copy_room(copy, records * record_room(table, packed));
		if (!to)
			return false;
		if (packed)
			to = memlat_pack(to, table->chunk[i], records, size);
		else
			to = memcpy(to, table->chunk[i], records * size) + records * size;
		copy_used(copy, to);
		cond_resched();
	}
	return true;
}

static u64 tables_room(const struct memlat_tables *tables, u32 wanted)
{
	const struct memlat_table *table;
	u64 bytes = 0;

	for (table = tables->table; table < tables->table + MEMLAT_TABLES; table++)
		if (is_wanted(table, wanted))
			bytes += table->now.used *
				 record_room(table, wanted & MEMLAT_SNAPSHOT_PACKED);
	return bytes;
}

static bool tables_copy(struct memlat_copy *copy, const struct memlat_tables *tables, u32 wanted)
{
	const struct memlat_table *table;

	for (table = tables->table; table < tables->table + MEMLAT_TABLES; table++)
		if (is_wanted(table, wanted) &&
		    !table_copy(copy, table, wanted & MEMLAT_SNAPSHOT_PACKED))
			return false;
	return true;
}

static bool fill(struct memlat_copy *copy, const struct memlat_tables *tables, u32 wanted,
		 u32 head, u32 tail)
{
	void *at = copy_room(copy, head);

	if (!at)
		return false;
	copy_used(copy, at + head);
	if (!tables_copy(copy, tables, wanted))
		return false;
	copy->tail = copy_room(copy, tail);
	return copy->tail;
}

/**
 * memlat_copy_tables - copy the records of tables
 * @tables: the tables, which nobody changes meanwhile
 * @wanted: bit (1 << enum memlat_rec_type) of each table to be copied, and
 *	MEMLAT_SNAPSHOT_PACKED if records are to be packed
 * @head: bytes that the records before them take, for memlat_copy_head()
 * @tail: bytes that those behind them take at most, for memlat_copy_tail()
 *
 * May sleep.
 *
 * Return: the copy, for memlat_copy_free(); NULL when there is no memory, or when all copies
 * together would have more than a session's tables may, or those of callers without
 * CAP_IPC_LOCK more than UNLOCKED_MAX.
 */
struct memlat_copy *memlat_copy_tables(const struct memlat_tables *tables, u32 wanted, u32 head,
				       u32 tail)
{
	struct memlat_copy *copy = kzalloc_obj(*copy, GFP_KERNEL_ACCOUNT);

	if (!copy)
		return NULL;
	/* It is no misuse not to have it. */
	copy->locked = ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
	copy->rest = head + tables_room(tables, wanted) + tail;
	if (fill(copy, tables, wanted, head, tail))
		return copy;
	memlat_copy_free(copy);
	return NULL;
}

/**
 * memlat_copy_head - where the records before the tables go
 * @copy: a copy of which nothing has been read
 */
void *memlat_copy_head(struct memlat_copy *copy)
{
	return copy->first->records;
}

/**
 * memlat_copy_tail - where the records behind the tables go
 * @copy: as there
 */
void *memlat_copy_tail(struct memlat_copy *copy)
{
	return copy->tail;
}

/**
 * memlat_copy_end - the records behind the tables are there, and it can be read
 * @copy: as there
 * @end: where they end
 */
void memlat_copy_end(struct memlat_copy *copy, const void *end)
{
	copy_used(copy, end);
}

/**
 * memlat_copy_records - records that come next
 * @copy: a copy that is not read to its end
 * @room: how many bytes they may take
 * @bytes: set to how many they take; 0: the next one has no room
 *
 * There may be more than these even if @room is not filled.
 *
 * Return: the records, one behind the other.
 */
const void *memlat_copy_records(const struct memlat_copy *copy, size_t room, size_t *bytes)
{
	const void *from = copy->first->records + copy->at;
	const size_t there = copy->first->used - copy->at;
	const struct memlat_rec_header *header;
	size_t n;

	for (n = 0; n < there; n += header->size) {
		header = from + n;
		if (header->size > room - n)
			break;
	}
	*bytes = n;
	return from;
}

/**
 * memlat_copy_pass - records were read
 * @copy: the copy
 * @bytes: as memlat_copy_records() said
 *
 * Their memory may be given back.
 *
 * Return: are there more?
 */
bool memlat_copy_pass(struct memlat_copy *copy, size_t bytes)
{
	copy->at += bytes;
	if (copy->at == copy->first->used)
		first_free(copy);
	return copy->first;
}

/**
 * memlat_copy_free - give a copy back
 * @copy: what memlat_copy_tables() returned, or NULL
 */
void memlat_copy_free(struct memlat_copy *copy)
{
	if (!copy)
		return;
	while (copy->first)
		first_free(copy);
	kfree(copy);
}
