/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the truth share. */
#ifndef VPEBS_TRUTH_INTERNAL_H
#define VPEBS_TRUTH_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "cache_lock.h"
#include "prefetch.h"
#include "truth.h"

#define TRUTH_MAX_LINES		(1U << 21)	/* distinct ones, per CPU */
#define TRUTH_MAX_IPS		(1U << 18)
#define TRUTH_TOP_LINES		4096		/* in the JSON */
#define TRUTH_TOP_IPS		1024
#define TRUTH_BUCKETS		14
#define TRUTH_RAWS		VP_RAWS		/* packed source words */
#define TRUTH_SLOTS		8		/* 8-byte slots of a line */
#define TRUTH_VIOLATIONS	256		/* different ones */
#define TRUTH_DETAIL		192
#define TRUTH_KIND		48

/*
 * A line, or an instruction. A line is known by both its addresses: the
 * same virtual address in two processes is two lines. There can be millions,
 * so what splits a count is half its size, and stops at its maximum.
 */
struct place {
	uint64_t key[2];	/* virtual and physical line address; or ip and 0 */
	uint64_t counted;	/* loads, by the load-latency counter */
	uint64_t records;
	uint64_t qualified;	/* loads that are slow enough, counter or none */
	uint64_t stores;	/* all; this and the one above only with a threshold set */
	uint64_t store_counted;	/* by the store counter */
	uint64_t store_l1_hit;	/* of these */
	uint64_t store_records;
	uint32_t by_code[VP_CODES];
};

struct line_place {
	struct place place;
	uint64_t hitm_nodes;
	uint32_t slots[TRUTH_SLOTS];
	uint32_t slot_hitm[TRUTH_SLOTS];
	uint32_t modified;	/* loads of what another core really had modified */
	uint32_t store_modified;	/* and stores */
	uint32_t store_by_code[VP_CODES];
	uint32_t store_slots[TRUTH_SLOTS];	/* of the stores counted */
};

static inline void add_small(uint32_t *to, uint64_t n)
{
	*to = n > UINT32_MAX - *to ? UINT32_MAX : *to + (uint32_t)n;
}

/* A hash table of places: an index that grows, and chunks that never move. */
struct place_table {
	uint32_t *index;	/* number of a place + 1; 0: empty */
	uint32_t mask;
	uint32_t used;
	uint32_t max;
	size_t size;		/* of one place */
	char **chunk;
	uint32_t chunks;
};

void place_table_init(struct place_table *table, size_t size, uint32_t max);
void place_table_destroy(struct place_table *table);
void place_table_clear(struct place_table *table);
/* Find or make; NULL when it is full (or the host is out of memory). */
struct place *place_table_get(struct place_table *table, uint64_t key0, uint64_t key1);
struct place *place_table_at(const struct place_table *table, uint32_t i);

/* One CPU's account of a stretch of time. */
struct account {
	uint64_t by_raw[TRUTH_RAWS];
	uint64_t written_raw[TRUTH_RAWS];	/* load-latency records, by what they say */
	uint64_t cell[VP_CODES][TRUTH_BUCKETS];	/* by source and latency */
	uint64_t latency[VP_CODES];	/* sums */
	uint64_t memory[VP_CODES];	/* the memory's part of these */
	uint64_t by_memory[TRUTH_BUCKETS];
	uint64_t fate[VP_FATES];
	uint64_t load_records;	/* of those written */
	uint64_t store_records;
	uint64_t store_counted;
	uint64_t store_l1_hit;	/* of these */
	uint64_t store_by_code[VP_CODES];	/* where a store's record has a source */
	uint64_t store_memory[VP_CODES];	/* sums of latency, the memory's part */
	uint64_t written_store_raw[TRUTH_RAWS];
	uint64_t counted_by[2];	/* loads, by kernel and user */
	uint64_t qualified_by[2];
	uint64_t unkept;	/* events whose line or instruction had no room */
	uint64_t pmis_sent;
	uint64_t pmis_masked;
	bool places;		/* lines and instructions are kept, too */
	struct place_table lines;
	struct place_table ips;
};

void account_init(struct account *account, uint32_t max_lines, uint32_t max_ips);
void account_destroy(struct account *account);
void account_clear(struct account *account);
void account_add(struct account *to, const struct account *from);
uint64_t account_counted(const struct account *account);
void line_add(struct line_place *to, const struct line_place *from);

/*
 * All accesses, one count per kind. Written by the CPU's own thread alone,
 * so it needs no lock, but never reset: brackets subtract.
 */
struct tally {
	_Atomic uint64_t loads[VP_CODES];
	_Atomic uint64_t user_loads;
	_Atomic uint64_t stores;
	_Atomic uint64_t user_stores;
	_Atomic uint64_t locked;
	_Atomic uint64_t prefetches[VP_PREFETCHERS];
};

struct tally_copy {
	uint64_t loads[VP_CODES];
	uint64_t user_loads;
	uint64_t stores;
	uint64_t user_stores;
	uint64_t locked;
	uint64_t prefetches[VP_PREFETCHERS];
};

/* The counts of one CPU at some time. */
struct counts_copy {
	uint64_t by[2][VP_COUNTS];
	uint64_t counted[VP_COUNTS];
};

struct shard {
	const struct vp_core *core;
	unsigned int kind;		/* of the model */
	uint8_t seen[VP_CODES];		/* a code as its core's word tells it */
	_Alignas(128) struct tally tally;
	_Alignas(128) struct vp_lock lock;	/* guards what follows */
	bool open;			/* a bracket is */
	struct account bracket;
	struct account outside;		/* all else, earlier brackets too */
};

struct violation {
	char kind[TRUTH_KIND];
	char detail[TRUTH_DETAIL];
	unsigned int cpu;
	uint64_t ip;
	uint64_t count;
};

struct vp_truth {
	struct vp_topology topology;
	const struct vp_model *model;
	struct shard *shard;
	struct vp_counts *counts;	/* by CPU; NULL: the machine has no clock */
	const struct vp_lives *lives;	/* NULL: not followed */
	_Atomic uint32_t qualify;	/* latency above which a load qualifies; 0: nobody asks */

	pthread_mutex_t mutex;		/* guards what follows; taken before shard locks */
	unsigned int bracket;
	bool open;
	struct tally_copy before;	/* tallies when the bracket began */
	struct tally_copy after;	/* and when it ended */
	struct counts_copy *counts_before;	/* by CPU: the same of counts */
	struct counts_copy *counts_after;
	struct violation *violation;	/* in the order in which they came */
	unsigned int violations;
	uint64_t violations_more;	/* events that found the list full */
	uint64_t instructions;		/* of the whole run, known at its end */
	bool has_cost;
	unsigned int cost_lost;
	struct vp_cost_figures cost[VP_MAX_CPUS];
};

/* Sum of all CPUs' tallies now. */
void truth_tally(struct vp_truth *truth, struct tally_copy *sum);

/* truth_counts.c; the mutex is held */
struct json;
void truth_counts_note(struct vp_truth *truth, struct counts_copy *to);
void truth_counts_put(struct json *out, struct vp_truth *truth, bool run);
void truth_counts_free(struct vp_truth *truth);

/* Upper edges, inclusive; the last row has none. */
extern const uint32_t truth_bucket_edge[TRUTH_BUCKETS - 1];

#endif
