/* SPDX-License-Identifier: GPL-2.0 */
/* The quality line: how good the figures beside it are. */
#ifndef MEMLAT_QUALITY_H
#define MEMLAT_QUALITY_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/memlat.h>

#include "../analysis/floor.h"
#include "../profile/snapshot.h"
#include "../util/json.h"

#define QUALITY_PERIOD_MAX	160

/* "period 1,009..2,003 (stores 10,007)": what was used since start or reset. */
char *quality_period(char text[QUALITY_PERIOD_MAX],
		     const struct memlat_status *status);

#define QUALITY_TURNS_MAX	120

/*
 * "loads had 49.3%, stores 50.7% of the time; ...": false where they do not take
 * turns, or have not yet.
 */
bool quality_turns(char text[QUALITY_TURNS_MAX],
		   const struct memlat_status *status);

/* "12.3 s | 48,211 samples, period 1,009, 0 lost | 4 of 4 CPUs | ..." */
void quality_print_line(FILE *out, const struct memlat_status *status);
/* That line, and below it the turns where there are any. */
void quality_print(FILE *out, const struct memlat_status *status);
/* A new document of this view, which says whose samples it is of, and has "quality". */
struct json_object *quality_document(const char *view, const struct snapshot *snap);
/* That line's figures as the object "quality", with "accounts_hold". */
void quality_put(struct json_object *document, const struct snapshot *snap);

/* What to try when there are no samples; a whole sentence or two. */
void quality_print_hint(FILE *out, const struct memlat_status *status);
/* How a view begins: with that line, if there was a session. No samples: with that hint, false. */
bool quality_print_begin(FILE *out, const struct memlat_status *status);

/*
 * What follows a table of which so many rows of total are shown, and whose
 * store evicted samples: notes in parentheses.
 */
struct quality_table {
	const char *what;	/* "lines" */
	const char *order;
	size_t shown;
	size_t total;
	__u64 evicted;		/* samples */
	__u64 error;		/* most samples that a missing row may have had */
};

/*
 * Below a table: rows that have no line of their own. what: "site"; of: "samples", which
 * they have too few of; cost: of everything.
 */
void quality_print_fold(FILE *out, const char *what, const char *of,
			const struct floor_fold *fold, __u64 cost);

void quality_print_table(FILE *out, const struct memlat_status *status,
			 const struct quality_table *table);
/* The members "evicted" and "error_bound" of a table's document. */
void quality_put_table(struct json_object *document,
		       const struct memlat_status *status,
		       const struct quality_table *table);

#endif
