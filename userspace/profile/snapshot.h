/* SPDX-License-Identifier: GPL-2.0 */
/* The stream of a snapshot: reading it, checking it, and its contents in memory. */
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

/*
 * The sums over the rows of a table, whether the rows are kept or not. For strides, samples are
 * pairs.
 */
struct table_sum {
	__u64 rows;
	__u64 samples;
	__u64 weight;
	__u64 cost;
};

struct snapshot {
	struct memlat_rec_status head;
	struct memlat_rec_buckets buckets;
	struct memlat_rec_parts parts;	/* all zero from an older module */
	struct memlat_rec_stores stores;	/* all zero from an older module */
	struct memlat_rec_raw raw;
	/* The tables by number, and by name. */
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
			struct memlat_rec_core *cores;	/* empty from an older module */
			size_t nr_cores, room_cores;
			struct memlat_rec_source *sources;	/* empty from an older module */
			size_t nr_sources, room_sources;
			struct memlat_rec_stride *strides;	/* with MEMLAT_F_STRIDE */
			size_t nr_strides, room_strides;
			struct memlat_rec_count *counts;	/* of a session that counts */
			size_t nr_counts, room_counts;
		};
	};
	struct table_sum sum[TABLE_NR];
	/*
	 * The tables asked for, as bits by enum memlat_rec_type; 0: all. Rows of other tables are
	 * checked and added up when they arrive, and are not kept.
	 */
	__u32 tables;
	__u32 interval_ms;	/* poll() of the device wakes after this time; 0: never */
	/*
	 * If it is set, it gets each row as the bytes of the stream. It checks the row with
	 * snapshot_row(). If it returns false, the row is kept as usual.
	 */
	bool (*each)(struct snapshot *snap, enum snapshot_table table, const void *data,
		     size_t size, int *ret);
	void *each_arg;
	bool keep_stream;	/* snapshot_read() keeps the stream's bytes, for a file */
	unsigned char *stream;
	size_t stream_bytes;
	size_t room_stream;
	__u64 records;		/* records seen, of any type */
	__u64 skipped;		/* records of unknown types among them */
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
 * Parse the whole records that one read() returned. Returns 0, or -EBADMSG with the reason in
 * snap->error.
 */
int snapshot_feed(struct snapshot *snap, const void *data, size_t bytes);

/* Convert size bytes of the stream to a row's structure. Returns 0 or -EBADMSG. */
int snapshot_row(struct snapshot *snap, enum snapshot_table table, void *row, const void *data,
		 size_t size);

/* The stream has ended: check that it is complete. Returns 0 or -EBADMSG. */
int snapshot_finish(struct snapshot *snap);

/*
 * The bytes of one read of a stream, a size that stays in a CPU's caches and needs no new pages each
 * time.
 */
#define SNAPSHOT_READ	(8 * MEMLAT_REC_MAX)

/* Take a snapshot of snap->tables and read all of it. 0 or -errno. */
int snapshot_read(struct snapshot *snap, int fd);

/*
 * Produce the stream again, from the bytes that were kept, or else from what was read. put gets
 * whole records in order. If it does not return 0, its result ends the
 * stream and is returned.
 */
typedef int snapshot_put(void *arg, const void *bytes, size_t size);
int snapshot_emit(const struct snapshot *snap, snapshot_put *put, void *arg);

/* Is a code or data address in the kernel's half? */
static inline bool kernel_address(__u64 address)
{
	return address >> 63;
}

/* Was this table asked for? */
bool snapshot_has(const struct snapshot *snap, enum snapshot_table table);

/* The kind of core with this number; NULL: the snapshot does not describe it. */
const struct memlat_rec_core *snapshot_core(const struct snapshot *snap,
					    __u32 core);

/*
 * All cycles that the samples stand for, as far as the tables remember them. The cost of a row is a
 * share of this. All tables that were asked for saw the same samples, so the table that forgot
 * least gives the best figure.
 */
__u64 snapshot_cost(const struct snapshot *snap);
/* Busy cycles of the tasks that were sampled; of all, where the module did not part them. */
static inline __u64 snapshot_busy(const struct memlat_status *status)
{
	return status->sampled_cycles ? status->sampled_cycles : status->busy_cycles;
}

/* How many instructions all CPUs executed while they were counted. */
double snapshot_instructions(const struct snapshot *snap);
/*
 * The cost by source, from the buckets: each sample stands for so many loads of the average
 * latency.
 */
void snapshot_cost_by_source(const struct snapshot *snap, __u64 cost[MEMLAT_SRC_NR]);

/* Packed records of the snapshot stream: linux/memlat_records.h, "Packed records". */

/* Bytes that a record of so many may take packed. */
#define SNAPSHOT_PACKED(size)	((size) + ((size) / 8 + 63) / 64 * 8)

/* Pack a record of size bytes into SNAPSHOT_PACKED(size) at most. Returns the bytes it takes. */
size_t snapshot_pack(void *to, const void *record, size_t size);

/*
 * The record in size bytes of the stream, which a header with that size begins, into
 * MEMLAT_REC_MAX bytes. Returns its size; 0: that is no packed record.
 */
size_t snapshot_unpack(void *to, const void *packed, size_t size);

/* Helpers for parsing a snapshot's records. */

/* Note an error and return -EBADMSG. */
__attribute__((format(printf, 2, 3)))
int snapshot_broken(struct snapshot *snap, const char *format, ...);

/*
 * Copy a record. A larger one than known here comes from a newer module; structures grow at their
 * end, so the beginning means the same. One that is smaller, but has at least the size least, comes
 * from an older module.
 */
int snapshot_copy(struct snapshot *snap, const char *name, void *to, size_t known,
		  size_t least, const void *from, size_t size);

/* 0, or -EBADMSG with what is wrong. */
int snapshot_take_buckets(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_parts(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_stores(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_raw(struct snapshot *snap, const void *data, size_t size);

/* Once parts and buckets are there: is no part larger than its whole? */
int snapshot_parts_fit(struct snapshot *snap);

/* Add all sums of these records to those of another snapshot; times -1: take them away. */
void totals_add(struct snapshot *to, const struct snapshot *more, __u64 times);

/* The equations that every status and snapshot must satisfy. */

/* Records that arrived and could not be used. Samples that tables evicted are counted elsewhere. */
__u64 account_lost(const struct memlat_status *status);

/* records = samples + filtered + malformed + collision; samples = loads + stores */
bool account_status_holds(const struct memlat_status *status);

/*
 * Check all equations of a snapshot, as far as it has their tables. Returns NULL if they hold,
 * otherwise the first one that does not, in words (in a static buffer).
 */
const char *account_snapshot_broken(const struct snapshot *snap);

#endif
