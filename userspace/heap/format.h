/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What libmemlat-heap.so writes and memlat-ctl reads: a file for each program that a
 * process executed, "PID.N", of blocks. The first block is the file's header. All is
 * written through shared mappings, so that it is there however the process ends; a
 * record's first word is written last, and 0 is where nothing follows yet.
 */
#ifndef MEMLAT_HEAP_FORMAT_H
#define MEMLAT_HEAP_FORMAT_H

#include <linux/types.h>

#define HEAP_ENV		"MEMLAT_HEAP_FOLDER"
/* 64 or 128: each object has cache lines of its own. Nothing is written for it. */
#define HEAP_ALIGN_ENV		"MEMLAT_HEAP_ALIGN"
#define HEAP_LIBRARY		"libmemlat-heap.so"

#define HEAP_MAGIC		0x31706165686c6d00ULL	/* "\0mlheap1" */
#define HEAP_BLOCK		65536
#define HEAP_BLOCKS_MAX		4096		/* 256 MiB a file */
#define HEAP_SITE_FRAMES	8

struct heap_file {
	__u64 magic;
	__u32 pid;
	__u32 parent;		/* process that it was forked from, with parent_file; 0: executed */
	__u32 parent_file;	/* N of that one's file */
	__u32 file;		/* N */
	__u64 from;		/* CLOCK_MONOTONIC, ns, to the tick; as all times here */
	__u64 lost;		/* allocations that found no place */
	__u64 blocks;		/* in use, with this one; may be more than the file has */
};

enum heap_block_kind {
	HEAP_BLOCK_TABLE	= 1,	/* of one thread: HEAP_ENTRIES objects, in any place */
	HEAP_BLOCK_LOG		= 2	/* records, one after the other */
};

struct heap_block {
	__u64 kind;		/* 0: not in use yet */
};

/* A record's first word: its kind, its length in words, and whose site. */
#define HEAP_TAG(kind, words, site) \
	((__u64)(site) << 32 | (__u64)(words) << 8 | (__u64)(kind))
#define HEAP_TAG_KIND(tag)	((unsigned int)(tag) & 0xff)
#define HEAP_TAG_WORDS(tag)	((unsigned int)((tag) >> 8) & 0xff)
#define HEAP_TAG_SITE(tag)	((__u32)((tag) >> 32))

enum heap_record_kind {
	HEAP_OBJECT	= 1,
	HEAP_FREE	= 2,
	HEAP_SITE	= 3	/* number, then its frames */
};

/*
 * Objects of one size that one site had at one address, each gone before the next one
 * came: one record for all of them.
 */
struct heap_record_object {
	__u64 tag;
	__u64 start, size;
	__u64 from;		/* of the first */
	__u64 again;		/* of the last */
	__u64 until;		/* 0: lives, or another thread has freed it */
	__u64 count;
};

struct heap_record_free {
	__u64 tag;
	__u64 start;
	__u64 time;
};

struct heap_record_site {
	__u64 tag;
	__u64 frame[HEAP_SITE_FRAMES];	/* as many as its words say */
};

#define HEAP_WORDS(type)	(sizeof(struct type) / sizeof(__u64))
#define HEAP_ENTRIES		1024

#endif
