/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of memlat-ctl share: cmocka, and a snapshot. */
#ifndef CTL_TEST_H
#define CTL_TEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "profile/snapshot.h"

/* A stream of records, as one or several read()s would return it. */
struct stream {
	unsigned char bytes[32768];
	size_t used;
	__u64 records;
	__u64 rows[MEMLAT_REC_STRIDE + 1];	/* by enum memlat_rec_type */
};

/* Append bytes of a record; its header is filled in with type and size. */
void stream_add(struct stream *stream, __u32 type, const void *record, size_t size);
void stream_add_status(struct stream *stream);
/* Nothing but the status, with which a stream begins. */
void stream_begin(struct stream *stream);
void stream_add_buckets(struct stream *stream);
void stream_add_raw(struct stream *stream);
void stream_add_line(struct stream *stream, __u64 addr, __u32 space,
		     const __u64 slot_hitm[MEMLAT_LINE_SLOTS]);
void stream_add_site(struct stream *stream, __u64 ip, __u32 space, __u64 loads, __u64 stores);
/* Add a type of core with this number, and words of its loads: see stream_fill(). */
void stream_add_core(struct stream *stream, __u32 core, __u32 traits, __u64 loads, __u64 stores);
void stream_add_source(struct stream *stream, __u32 core, __u32 word,
		       __u64 samples, __u8 source, __u8 snoop, __u16 flags);
void stream_add_stride(struct stream *stream, __u64 ip, __u32 space, __s64 step, __u64 pairs);
void stream_add_end(struct stream *stream);

/*
 * A whole session whose accounts hold: 1,000 loads and 100 stores on a machine with two nodes. By
 * HITM the lines are
 *	0x55d0c0a04080 (this process)	700 remote HITM in slots 0 and 1, 60 stores
 *	0xffff9c3f8112c040 (kernel)	200 local HITM in slot 3, 40 stores
 *	0x7f1c2a0041c0 (a pid that cannot be)	96 loads, no HITM
 * and four loads were of evicted lines. There are two sites, which access the first two lines. The
 * others were evicted. Two threads made all samples. There is one type of core, skx on CPUs 0-3,
 * with the source words 0x07 (200), 0x0d (700) and 0x14 (100). The second site has two strides, 64
 * and -4096 bytes, with 30 and 12 pairs. 5 pairs were evicted.
 */
void stream_fill(struct stream *stream);
/* Read all of a stream, which must be whole, into a snapshot that was initialised. */
void stream_read(const struct stream *stream, struct snapshot *snap);
void sample_snapshot(struct snapshot *snap);

/* For TEST_WITH(name, begin, end): the sample in a static snapshot of this name. */
#define SAMPLE_BEGIN_END(snap)				\
	static struct snapshot snap;			\
	BEGIN_END(sample_snapshot(&(snap)), snapshot_free(&(snap)))

/*
 * The same session on a hybrid machine: 900 loads and all stores on "big" (CPUs 0,2, which reports
 * cache latency and blocked loads), 100 loads on "small" (CPUs 4-130 and others).
 */
void sample_hybrid(struct snapshot *snap);

/*
 * Decode these bytes with each of their bits flipped, and cut off after each length. decode()
 * returns 0, or -EBADMSG, which it has to if they are cut off.
 */
void decode_damaged(const void *bytes, size_t size, int (*decode)(const void *bytes, size_t size));

/* Each load stands for so many. */
#define SAMPLE_PERIOD	1009ULL
#define SAMPLE_GONE_PID	0x7ffffffeU

#endif
