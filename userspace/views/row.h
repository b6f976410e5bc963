/* SPDX-License-Identifier: GPL-2.0 */
/* Cells and members that rows of several views share. */
#ifndef MEMLAT_ROW_H
#define MEMLAT_ROW_H

#include <linux/memlat.h>

#include "../analysis/share.h"
#include "../analysis/trait.h"
#include "../names/namer.h"
#include "../profile/imported.h"
#include "../profile/profile.h"
#include "../util/json.h"
#include "../util/text.h"
#include "report.h"

/* What a view of a table's rows is made from. */
struct rows_view {
	const struct profile *profile;	/* its lines or sites sorted by the order */
	struct namer *namer;
	unsigned int word;		/* enum line_order, site_order or threads_by */
	size_t show;			/* at most so many rows; 0: all */
	size_t width;			/* columns of the terminal */
};

static inline const struct snapshot *rows_snap(const struct rows_view *view)
{
	return &view->profile->snap;
}

/* How many of nr rows are shown. */
static inline size_t rows_shown(const struct rows_view *view, size_t nr)
{
	return report_limit(view->show, nr);
}

/* "chase:71", "kernel" for space 0, "chase:71 and others" */
struct cell row_process_cell(struct cell_room *room, const char comm[MEMLAT_COMM_BYTES],
			     __u32 space, __u32 others);
/*
 * "rmt HITM 93%, L3 4%": the sources of loads, the largest share first; "-" for none. part: of these
 * loads, by enum memlat_part. Newly allocated.
 */
char *row_sources(const __u64 source[MEMLAT_SRC_NR], const __u64 part[MEMLAT_PART_NR]);

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

struct row_figures {
	__u64 cost, loads, samples;
	bool few;	/* samples: too few for what the view is about, whatever their share is */
};

/*
 * Does the row have less than 1 % of the cost, and few samples, or perhaps next to none of the cost
 * and of the samples?
 */
bool row_is_little(const struct row_whole *whole, struct row_figures row);

/* Those of a line: with few samples it has no verdict. */
struct row_figures row_line_figures(const struct memlat_rec_line *line);

/* Such rows that are not shown: how many, and what they cost together. */
struct row_fold {
	__u64 rows, cost;
};

/*
 * Leave out such rows at the end of the first rows, unless there are no others. show: as asked for,
 * 0: all. Returns how many to show.
 */
size_t row_fold(struct row_fold *fold, const struct row_whole *whole, size_t show, const void *rows,
		size_t nr, struct row_figures (*figures)(const void *rows, size_t at));

/*
 * What to bear in mind of CPU numbers, on a machine that has higher ones than a mask in the tables
 * has bits; NULL on others. Newly allocated.
 */
char *row_cpus_remark(const struct profile *profile);
void row_print_cpus(FILE *out, const struct profile *profile);

/* JSON members. */
/* The process of a line or an instruction; space and gen as in the module's tables. */
void row_put_owner(struct json_object *object, __u32 space, __u32 gen,
		   const char comm[MEMLAT_COMM_BYTES]);
void row_put_hitm(struct json_object *object, const __u64 source[MEMLAT_SRC_NR]);

/*
 * Put the figures that lines and sites both have, from members of the same name: of struct
 * memlat_rec_line or memlat_rec_site. whole: all that was sampled.
 */
#define ROW_PUT_FIGURES(object, row, snap, whole) do {						\
	const struct memlat_status *status_ = &(snap)->head.status;				\
	bool tlb_ = trait_here(status_, MEMLAT_TRAIT_TLB);					\
	bool tell_ = trait_here(status_, MEMLAT_TRAIT_STORE_SOURCE);				\
	__u64 loads_ = (row)->samples - (row)->stores;						\
												\
	json_put_count(object, "samples", (row)->samples);					\
	json_put_count(object, "loads", loads_);						\
	json_put_count(object, "stores", (row)->stores);					\
	json_put_count(object, "store_l1_hit", (row)->store_l1_hit);				\
	json_put_known(object, "store_hitm", tell_, (row)->store_hitm);				\
	json_put_known(object, "store_xsnp_fwd", tell_, (row)->store_xsnp_fwd);			\
	json_put_ratio(object, "store_latency_avg", (row)->store_latency_sum,			\
		       tell_ ? (row)->stores : 0);						\
	json_put_count(object, "error", (row)->error);						\
	json_put_count(object, "weight", (row)->weight);					\
	row_put_cost(object, whole, (row)->cost, loads_);					\
	json_put_count(object, "cost_cycles", (row)->cost);					\
	json_put_count(object, "latency_sum", (row)->latency_sum);				\
	json_put_ratio(object, "latency_avg", (row)->latency_sum,				\
		       imported_timed(status_, loads_));					\
	json_put_count(object, "latency_max", (row)->latency_max);				\
	row_put_hitm(object, (row)->source);							\
	json_put_known(object, "xsnp_fwd", trait_here(status_, MEMLAT_TRAIT_XSNP_FWD),		\
		       (row)->xsnp_fwd);							\
	json_put_known(object, "not_memory", trait_memory(snap), (row)->not_memory);		\
	json_put_known(object, "locked", tlb_, (row)->locked);					\
	json_put_known(object, "stlb_miss", tlb_, (row)->stlb_miss);				\
	json_put_sources(object, "sources", (row)->source);					\
	json_put_sources(object, "latency", (row)->latency);					\
} while (0)

#endif
