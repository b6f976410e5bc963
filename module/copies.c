// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: their memory, and the records of tables in it. A process that may open the device may
 * open it often, and leave an unread snapshot in each file. So the memory of all snapshots is
 * bounded. There is a lower bound for callers that may not lock memory, as for perf's buffers
 * (perf_mmap()).
 *
 * The size of packed records is known only after they were packed. So a snapshot is a list of
 * blocks, which grows while the tables are copied; the module looks at each word once.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/tables.h"
#include "hw/pmu.h"
#include "memlat.h"

struct block {
	struct block *next;
	u32 room;	/* bytes of @records */
	u32 used;	/* bytes of it that have whole records */
	u8 records[] __aligned(8);
};

/* The room of a block, which fills whole pages. The last block of a snapshot has less. */
#define BLOCK	(SZ_1M - sizeof(struct block))

struct memlat_copy {
	struct block *first;	/* blocks that were read to their end are freed */
	struct block *last;
	void *tail;	/* the records behind the tables */
	u64 bytes;	/* of all blocks */
	u64 rest;	/* upper bound of the bytes that are still to be copied */
	u32 at;		/* bytes of the first block that were read */
	bool locked;	/* the caller may lock memory */
	struct memlat_rec_line row;	/* of the largest kind that memlat_table_read() makes */
};

/* Bytes of all copies, and of the copies of callers that may not lock memory. */
static atomic64_t held, unlocked;

/* The bound of @unlocked: several readers of a session of the default size. */
#define UNLOCKED_MAX	(4 * MEMLAT_MEMORY_DEFAULT)

static void memlat_copy_uncharge(struct memlat_copy *copy, u64 bytes)
{
	copy->bytes -= bytes;
	atomic64_sub(bytes, &held);
	if (!copy->locked)
		atomic64_sub(bytes, &unlocked);
}

/*
 * Account for a block, or refuse it. A caller that may not lock memory can always have one copy,
 * however large the session is that another user has started.
 */
static bool memlat_copy_charge(struct memlat_copy *copy, u64 bytes)
{
	const u64 all = atomic64_add_return(bytes, &held);
	const u64 theirs = copy->locked ? 0 : atomic64_add_return(bytes, &unlocked);

	copy->bytes += bytes;
	if (all <= memlat_store_memory_max() &&
	    (copy->locked || theirs <= UNLOCKED_MAX || theirs == copy->bytes))
		return true;
	memlat_copy_uncharge(copy, bytes);
	return false;
}

/*
 * Allocate a block, charged to the caller's cgroup. Not inlined: test_abi_read counts the blocks by
 * this function's name in /proc/vmallocinfo.
 */
static noinline struct block *memlat_copy_block(struct memlat_copy *copy, u32 room)
{
	struct block *block;
	const u64 bytes = struct_size(block, records, room);

	if (!memlat_copy_charge(copy, bytes))
		return NULL;
	block = __vmalloc(bytes, MEMLAT_GFP | __GFP_ACCOUNT);
	if (!block) {
		memlat_copy_uncharge(copy, bytes);
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
	memlat_copy_uncharge(copy, struct_size(block, records, block->room));
	vfree(block);
}

/* Return room for records of at most @most bytes, in the last block or in a new one. */
static void *memlat_copy_room(struct memlat_copy *copy, u32 most)
{
	struct block *block = copy->last;

	if (!block || block->room - block->used < most) {
		block = memlat_copy_block(copy, max_t(u64, most, min_t(u64, copy->rest, BLOCK)));
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

/* Set where the records in that room end. */
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
	const u32 bytes = memlat_table_row_bytes(table->kind);

	return packed ? memlat_pack_room(bytes) : bytes;
}

/* Number of records in a chunk. */
static u32 chunk_records(const struct memlat_table *table, u32 chunk)
{
	return min_t(u64, table->now.used - (u64)chunk * table->per_chunk, table->per_chunk);
}

/* Copy records of a table that are next to each other. Returns the end of the copies. */
static void *rows_copy(struct memlat_copy *copy, void *to, const struct memlat_table *table,
		       u32 nr, u32 records, bool packed)
{
	const struct memlat_table_kind *kind = table->kind;
	const u32 bytes = memlat_table_row_bytes(kind);
	const void *record = memlat_table_at(table, nr);

	if (packed && !kind->row)
		return memlat_pack(to, record, records, bytes);
	for (; records; record += kind->size, records--) {
		memlat_table_read(kind, record, packed ? &copy->row : to);
		to = packed ? memlat_pack(to, &copy->row, 1, bytes) : to + bytes;
	}
	return to;
}

static bool table_copy(struct memlat_copy *copy, const struct memlat_table *table, bool packed)
{
	const u32 nr = DIV_ROUND_UP_ULL(table->now.used, table->per_chunk);
	u32 i, records;
	void *to;

	for (i = 0; i < nr; i++) {
		records = chunk_records(table, i);
		to = memlat_copy_room(copy, records * record_room(table, packed));
		if (!to)
			return false;
		copy_used(copy, rows_copy(copy, to, table, i * table->per_chunk, records, packed));
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
	void *at = memlat_copy_room(copy, head);

	if (!at)
		return false;
	copy_used(copy, at + head);
	if (!tables_copy(copy, tables, wanted))
		return false;
	copy->tail = memlat_copy_room(copy, tail);
	return copy->tail;
}

/**
 * memlat_copy_tables - copy the records of tables
 * @tables: the tables, which do not change meanwhile
 * @wanted: bit (1 << enum memlat_rec_type) of each table to copy, and MEMLAT_SNAPSHOT_PACKED to
 *	pack the records
 * @head: size of the records before them, which the caller writes at memlat_copy_head()
 * @tail: size at most of the records after them, which the caller writes at memlat_copy_tail()
 *
 * The memory is charged to the caller's cgroup, and not cleared. May sleep.
 *
 * Return: the copy, for memlat_copy_free(). NULL if there is no memory, if all copies together
 * would be larger than a session's tables may be, or if those of callers without CAP_IPC_LOCK
 * would be larger than UNLOCKED_MAX.
 */
struct memlat_copy *memlat_copy_tables(const struct memlat_tables *tables, u32 wanted, u32 head,
				       u32 tail)
{
	struct memlat_copy *copy = kzalloc_obj(*copy, GFP_KERNEL_ACCOUNT);

	if (!copy)
		return NULL;
	/* No audit message: lacking the capability is no offence. */
	copy->locked = ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
	copy->rest = head + tables_room(tables, wanted) + tail;
	if (fill(copy, tables, wanted, head, tail))
		return copy;
	memlat_copy_free(copy);
	return NULL;
}

/**
 * memlat_copy_head - the place of the records before the tables
 * @copy: a copy of which nothing has been read
 *
 * Return: room for as many bytes as memlat_copy_tables() was asked for.
 */
void *memlat_copy_head(struct memlat_copy *copy)
{
	return copy->first->records;
}

/**
 * memlat_copy_tail - the place of the records after the tables
 * @copy: a copy of which nothing has been read
 *
 * Return: as memlat_copy_head().
 */
void *memlat_copy_tail(struct memlat_copy *copy)
{
	return copy->tail;
}

/**
 * memlat_copy_end - set where the records at memlat_copy_tail() end
 * @copy: a copy of which nothing has been read
 * @end: their end
 *
 * After that the copy can be read.
 */
void memlat_copy_end(struct memlat_copy *copy, const void *end)
{
	copy_used(copy, end);
}

/**
 * memlat_copy_records - get the next records
 * @copy: a copy that was not read to its end
 * @room: size at most
 * @bytes: set to the size of the records; 0: the next record does not fit
 *
 * Another call may return more of them that fit, because one call returns records of one block.
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
 * memlat_copy_pass - skip records, and free blocks that were read to their end
 * @copy: the copy
 * @bytes: what memlat_copy_records() set
 *
 * Return: true if there are more records.
 */
bool memlat_copy_pass(struct memlat_copy *copy, size_t bytes)
{
	copy->at += bytes;
	if (copy->at == copy->first->used)
		first_free(copy);
	return copy->first;
}

/**
 * memlat_copy_free - free a copy
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
