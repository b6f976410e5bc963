/* SPDX-License-Identifier: GPL-2.0 */
/* The snapshot stream: reading it, checking it, holding it. */
#ifndef MEMLAT_SNAPSHOT_H
#define MEMLAT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

/* The record types that are rows of a table, in the order of the stream. */
enum snapshot_table {
	TABLE_LINES,
	TABLE_SITES,
	TABLE_ACCESSES,
	TABLE_THREADS,
	TABLE_STACKS,
	TABLE_CORES,
	TABLE_SOURCES,
	TABLE_STRIDES,
	TABLE_COUNTS,
	TABLE_NR
};

/* A table whose rows have the type that row_kinds[] in snapshot_rows.h gives. */
struct snapshot_rows {
	void *row;
	size_t nr;
	size_t room;	/* rows allocated */
};

/* What the rows of one table add up to, held here or not; of strides samples are pairs. */
struct table_sum {
	__u64 rows;
	__u64 samples;
	__u64 weight;
	__u64 cost;
};

struct snapshot {
	struct memlat_rec_status head;
	struct memlat_rec_buckets buckets;
	struct memlat_rec_parts parts;	/* all zero of an older module */
	struct memlat_rec_stores stores;	/* likewise */
	struct memlat_rec_raw raw;
	/* Each table by its number, and the same ones by name. */
	union {
		struct snapshot_rows rows[TABLE_NR];
		struct {
			struct memlat_rec_line *lines;
			size_t nr_lines, room_lines;
			struct memlat_rec_site *sites;
			size_t nr_sites, room_sites;
			struct memlat_rec_access *accesses;
			size_t nr_accesses, room_accesses;
			struct memlat_rec_thread *threads;
			size_t nr_threads, room_threads;
			struct memlat_rec_stack *stacks;
			size_t nr_stacks, room_stacks;
			struct memlat_rec_core *cores;	/* none of an older module */
			size_t nr_cores, room_cores;
			struct memlat_rec_source *sources;	/* likewise */
			size_t nr_sources, room_sources;
			struct memlat_rec_stride *strides;	/* with MEMLAT_F_STRIDE */
			size_t nr_strides, room_strides;
			struct memlat_rec_count *counts;	/* of a session that counts */
			size_t nr_counts, room_counts;
		};
	};
	struct table_sum sum[TABLE_NR];
	/*
	 * Bits by enum memlat_rec_type asked for; 0: all. Of other tables rows are
	 * checked and added up where they come, and not held.
	 */
	__u32 tables;
	__u32 interval_ms;	/* poll() of the device wakes so long after it; 0: never */
	/*
	 * Rows of a table go here one by one as they come, bytes of the stream; who gets them
	 * says whether they are rows that can be, by snapshot_row(). NULL, or false: they are held.
	 */
	bool (*each)(struct snapshot *snap, enum snapshot_table table, const void *data,
		     size_t size, int *ret);
	void *each_arg;
	bool keep_stream;	/* snapshot_read() keeps the bytes, for a file */
	unsigned char *stream;
	size_t stream_bytes;
	size_t room_stream;
	__u64 records;		/* records seen, of any type */
	__u64 skipped;		/* of these, of a type not known here */
	bool have_head;
	bool have_buckets;
	bool have_parts;
	bool have_stores;
	bool have_raw;
	bool have_end;
	char error[160];	/* what is wrong with the stream, in words */
};

void snapshot_init(struct snapshot *snap);
void snapshot_free(struct snapshot *snap);

/*
 * Take in what one read() returned: whole records. 0, or -EBADMSG with
 * snap->error saying what is wrong.
 */
int snapshot_feed(struct snapshot *snap, const void *data, size_t bytes);

/* A row of a table as its structure has it, from size bytes of the stream. 0 or -EBADMSG. */
int snapshot_row(struct snapshot *snap, enum snapshot_table table, void *row, const void *data,
		 size_t size);

/* The stream has ended: is it whole? 0 or -EBADMSG. */
int snapshot_finish(struct snapshot *snap);

/* Take a snapshot of snap->tables and read all of it. 0 or -errno. */
int snapshot_read(struct snapshot *snap, int fd);

/*
 * The stream again: the bytes that were kept, else from the tables that are held,
 * all of which it needs. put gets whole records, in order; what it returns but 0
 * ends it and is returned.
 */
typedef int snapshot_put(void *arg, const void *bytes, size_t size);
int snapshot_emit(const struct snapshot *snap, snapshot_put *put, void *arg);

/* Is an address of a row, of code or of data, in the kernel's half? */
static inline bool kernel_address(__u64 address)
{
	return address >> 63;
}

/* Was this table asked for? */
bool snapshot_has(const struct snapshot *snap, enum snapshot_table table);

/* The kind of core with this number; NULL: the snapshot does not tell. */
const struct memlat_rec_core *snapshot_core(const struct snapshot *snap,
					    __u32 core);

/*
 * All cycles that the samples stand for, as far as the tables remember:
 * what the cost of a row is a share of. The tables asked for see the same
 * samples, so that the one which forgot least is the best to go by.
 */
__u64 snapshot_cost(const struct snapshot *snap);
/* By source, from the buckets: its samples stand for so many loads of their average latency. */
void snapshot_cost_by_source(const struct snapshot *snap, __u64 cost[MEMLAT_SRC_NR]);

#endif
