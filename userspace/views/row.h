/* SPDX-License-Identifier: GPL-2.0 */
/* Cells and members that rows of several views share. */
#ifndef MEMLAT_ROW_H
#define MEMLAT_ROW_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../analysis/share.h"
#include "../names/name_cache.h"
#include "../names/namer.h"
#include "../profile/machine.h"
#include "../profile/profile.h"
#include "../profile/snapshot.h"
#include "../util/json.h"
#include "../util/source.h"
#include "../util/text.h"
#include "report.h"

/* What a view of a table's rows is made from. */
struct rows_view {
	const struct profile *profile;	/* its lines or sites sorted by the order */
	struct namer *namer;
	unsigned int word;		/* enum line_order, site_order or threads_by; or, as bits, */
					/* the tables that are wanted, by enum dcache_by or data_by */
	size_t show;			/* at most so many rows of a table; 0: all */
	size_t width;			/* columns of the terminal */
};

static inline const struct snapshot *rows_snap(const struct rows_view *view)
{
	return &view->profile->snap;
}

/* "chase:71", "kernel" for space 0, "chase:71 and others" */
struct cell row_process_cell(struct cell_room *room, const char comm[MEMLAT_COMM_BYTES],
			     __u32 space, __u32 others);
/*
 * "rmt HITM 93%, L3 4%": the sources of loads, the largest share first; "-" for none. part: of these
 * loads, by enum memlat_part. Newly allocated.
 */
char *row_sources(const __u64 source[MEMLAT_SRC_NR], const __u64 part[MEMLAT_PART_NR]);

/* What is added up of samples. */
struct sums {
	__u64 nr;		/* how many records */
	__u64 samples, stores, store_l1_hit, hitm, hitm_remote, fwd;	/* hitm: local and remote */
	__u64 latency_sum, latency_max, weight, cost, cpus, nodes;
	__u64 cost_before;	/* of the rows above */
};

struct sums sums_of_thread(const struct memlat_rec_thread *thread);
struct sums sums_of_line(const struct memlat_rec_line *line);
struct sums sums_of_site(const struct memlat_rec_site *site);
struct sums sums_of_access(const struct memlat_rec_access *access);
void sums_add(struct sums *to, const struct sums *from);
static inline __u64 sums_loads(const struct sums *sums)
{
	return sums->samples - sums->stores;
}
/* HITM loads of this socket. */
static inline __u64 sums_local(const struct sums *sums)
{
	return sums->hitm - sums->hitm_remote;
}
/* Compare what two rows cost at least, the higher first; then by samples. */
int sums_order(const struct sums *a, const struct sums *b);

/*
 * Rows in which things of one key are added up: accesses, threads, rows of several profiles. Large
 * programs have millions of accesses and few names, so a row is found by the hash of its key, not by
 * sorting. Rows of one hash are one row: of a million rows, two have the same one by chance once in
 * forty million tables.
 */
struct pivot {
	size_t row;		/* bytes of a row, which begins with its struct sums */
	char *rows;
	size_t nr, room;
	struct name_cache known;
};

#define PIVOT(type)	{ .row = sizeof(type) }

/* The row of a key, which is valid until the next call. A new one is zero: its sum.nr says so. */
void *pivot_row(struct pivot *pivot, __u64 key);
/* Returns the rows, to be freed, sorted if compare is not NULL. */
void *pivot_end(struct pivot *pivot, int (*compare)(const void *a, const void *b), size_t *nr);
/* Make a key of numbers, and of texts or NULL. */
void key_number(__u64 *key, __u64 number);
void key_text(__u64 *key, const char *text);

#define ROW_FEW		100	/* loads: with fewer, a share is shown with its error */

/* All that was sampled, for the intervals of its rows' shares. */
struct row_whole {
	struct share cost;	/* of loads */
	struct share samples;	/* of loads and stores, each as heavy as another */
};

void row_whole_take(struct row_whole *whole, const struct snapshot *snap);
/* "72.7% ±27": a share of the cost with its interval, which text shows if it has few loads. */
struct cell row_cost_cell(const struct row_whole *whole, __u64 cost, __u64 loads);
/* The same for a part of which more is known than its number of loads. */
struct cell row_part_cell(const struct share *whole, const struct share *part);
/* The text of such a cell; to be freed. */
char *row_cost_text(const struct row_whole *whole, __u64 cost, __u64 loads);
/* Put that share and the ends of its interval. */
void row_put_cost(struct json_object *object, const struct row_whole *whole, __u64 cost,
		  __u64 loads);

/*
 * Does the row have less than 1 % of the cost, and few samples, or perhaps next to none of the cost
 * and of the samples? few: its samples are too few for what the view is about, whatever their share is.
 */
bool row_is_little(const struct row_whole *whole, const struct sums *sums, bool few);
/* Of a line: with few samples it has no verdict. */
bool row_line_is_little(const struct row_whole *whole, const struct memlat_rec_line *line);

/* Such rows that are not shown: how many, and what they cost together. */
struct row_fold {
	__u64 rows, cost;
	bool all;	/* there are no others, so the first ones are shown */
};

/*
 * What to bear in mind of CPU numbers, on a machine that has higher ones than a mask in the tables
 * has bits; NULL on others. Newly allocated.
 */
char *row_cpus_remark(const struct profile *profile);
void row_print_cpus(FILE *out, const struct profile *profile);

/* Cells that describe the code of a row, for several views. */

/* What makes a function's name a call: "()", or "" if the name has its parameters, as in C++. */
const char *where_call(const char *function);

/* The function that the code was compiled into, if that is another one; NULL: it is not. */
const char *where_inlined(const struct code_name *name);

/* "add [inlined in main]"; "(no symbol)" if only the file is known; otherwise "(unknown)" */
struct cell where_function(struct cell_room *room, const struct code_name *name);
/* "w1+0x14", or "libc.so.6+0x2a041" with the offset in the module if no symbol is known */
struct cell where_offset(struct cell_room *room, const struct code_name *name);
/* "chase.c:41" */
struct cell where_line(struct cell_room *room, const char *file, unsigned int line);

/*
 * Where data is declared, "chase.c:41", or allocated, with the function; to be freed. NULL: not
 * known.
 */
char *where_data(const struct data_name *data);

/*
 * Latency buckets under the names of the levels that usually answer within them: the rows of the
 * latency table, joined by the machine's edges.
 */

#define LEVELS_MAX	MEMLAT_BUCKETS
#define LEVEL_NAME_MAX	64

struct level {
	char name[LEVEL_NAME_MAX];	/* "L3", "DRAM/rmt cache"; "" if none is known */
	__u64 above, to;	/* cycles: (above, to]; to 0: open-ended */
	unsigned int first, last;	/* rows of the latency table */
	char title[32];		/* "<=90" */
	char key[32];		/* "misses_to_90", "misses_above_1024" */
};

struct levels {
	unsigned int nr;
	struct level level[LEVELS_MAX];
	bool known;		/* the machine's edges are known */
	bool measured;
};

void levels_find(struct levels *levels, const struct machine *machine,
		 const struct snapshot *snap);

/*
 * The rows of a latency table without loads that hit L1. The table does not tell these apart, but
 * their average latency shows in which row they are.
 */
void levels_misses(const struct snapshot *snap, const __u64 bucket[MEMLAT_BUCKETS],
		   __u64 hits, __u64 hits_latency, __u64 misses[MEMLAT_BUCKETS]);

/* The sum of the rows that belong to the level. */
__u64 level_sum(const struct level *level, const __u64 row[MEMLAT_BUCKETS]);

/* A source's heading: "L1", "rmt HITM"; and that of a column of several. */
const char *level_source_name(enum memlat_source source);
const char *level_column_name(enum source_column column);

#endif
