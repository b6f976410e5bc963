/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files that libmemlat-heap.so writes and memlat-ctl reads: one for each program that a process
 * executed, "PID.N". A file consists of blocks, the first of which is the file's header. Everything
 * is written through shared mappings, so that it survives any end of the process. The first word of
 * a record is written last; 0 means that nothing follows yet.
 */
#ifndef MEMLAT_HEAP_FORMAT_H
#define MEMLAT_HEAP_FORMAT_H

#include <linux/types.h>

#define HEAP_ENV		"MEMLAT_HEAP_FOLDER"
/* 64 or 128: give each object cache lines of its own. Objects are not logged for it. */
#define HEAP_ALIGN_ENV		"MEMLAT_HEAP_ALIGN"
#define HEAP_LIBRARY		"libmemlat-heap.so"

#define HEAP_MAGIC		0x31706165686c6d00ULL	/* "\0mlheap1" */
#define HEAP_BLOCK		65536
#define HEAP_BLOCKS_MAX		4096		/* 256 MiB for each file */
#define HEAP_SITE_FRAMES	8

struct heap_file {
	__u64 magic;
	__u32 pid;
	/* the process that forked this one, with parent_file; 0: it was executed */
	__u32 parent;
	__u32 parent_file;	/* N of the parent's file */
	__u32 file;		/* N */
	/* CLOCK_MONOTONIC in ns, to the clock tick, as are all times here */
	__u64 from;
	__u64 lost;		/* allocations for which there was no room */
	__u64 blocks;		/* blocks in use, with this one; the file may have fewer */
	__u64 full;		/* first lack of room for a block; frees may be missing since */
};

enum heap_block_kind {
	HEAP_BLOCK_TABLE	= 1,	/* of one thread: HEAP_ENTRIES objects in any order */
	HEAP_BLOCK_LOG		= 2	/* records in sequence */
};

struct heap_block {
	__u64 kind;		/* 0: not in use yet */
};

/* The first word of a record: its kind, its length in words, and the number of the site. */
#define HEAP_TAG(kind, words, site) \
	((__u64)(site) << 32 | (__u64)(words) << 8 | (__u64)(kind))
#define HEAP_TAG_KIND(tag)	((unsigned int)(tag) & 0xff)
#define HEAP_TAG_WORDS(tag)	((unsigned int)((tag) >> 8) & 0xff)
#define HEAP_TAG_SITE(tag)	((__u32)((tag) >> 32))

enum heap_record_kind {
	HEAP_OBJECT	= 1,
	HEAP_FREE	= 2,
	HEAP_SITE	= 3	/* the number, then the frames */
};

/*
 * Objects of one size from one site that had the same address, each freed before the next was
 * allocated. One record stands for all of them.
 */
struct heap_record_object {
	__u64 tag;
	__u64 start, size;
	__u64 from;		/* allocation of the first */
	__u64 again;		/* allocation of the last */
	__u64 until;		/* 0: not freed, or freed by another thread */
	__u64 count;
};

struct heap_record_free {
	__u64 tag;
	__u64 start;
	__u64 time;
};

struct heap_record_site {
	__u64 tag;
	__u64 frame[HEAP_SITE_FRAMES];	/* as many as the record's length says */
};

#define HEAP_WORDS(type)	(sizeof(struct type) / sizeof(__u64))
#define HEAP_ENTRIES		1024

#endif
