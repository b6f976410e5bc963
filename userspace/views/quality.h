/* SPDX-License-Identifier: GPL-2.0 */
/* The quality line: how trustworthy the figures of a view are. */
#ifndef MEMLAT_QUALITY_H
#define MEMLAT_QUALITY_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/memlat.h>

#include "../analysis/core_traits.h"
#include "../profile/snapshot.h"
#include "../util/json.h"

#define QUALITY_PERIOD_MAX	160

/* "period 1,009..2,003 (stores 10,007)": the periods used since start or status --reset. */
char *quality_period(char text[QUALITY_PERIOD_MAX],
		     const struct memlat_status *status);

#define QUALITY_TURNS_MAX	120

/*
 * "loads had 49.3%, stores 50.7% of the time; ...": false if they do not take turns, or have not
 * done so yet.
 */
bool quality_turns(char text[QUALITY_TURNS_MAX],
		   const struct memlat_status *status);

/* "12.3 s | 48,211 samples, period 1,009, 0 lost | 4 of 4 CPUs | ...", without a newline. */
void quality_print_line(FILE *out, const struct memlat_status *status);
/* Print what narrows an imported file, a line each: filters, and what its cores do not report. */
void quality_print_narrowed(FILE *out, const struct memlat_status *status, size_t width);
/* Print that line, and below it the turns, if there are any. */
void quality_print(FILE *out, const struct memlat_status *status);
/* A new document of this view, which says what its session samples and has "quality". */
struct json_object *quality_document(const char *view, const struct snapshot *snap);
/* Put the figures of the quality line as the object "quality", with "accounts_hold". */
void quality_put(struct json_object *document, const struct snapshot *snap);

/* Print what to try if there are no samples: a whole sentence or two. */
void quality_print_hint(FILE *out, const struct memlat_status *status);
/*
 * Begin a view: print the quality line, if there was a session. False: there are no samples, and
 * the hint was printed.
 */
bool quality_print_begin(FILE *out, const struct memlat_status *status);

/*
 * For the notes in parentheses below a table: how many rows are shown of how many there are, and
 * how many samples the store evicted.
 */
struct quality_table {
	const char *what;	/* "lines" */
	const char *order;
	size_t shown;
	size_t total;
	enum snapshot_table table;	/* from which its rows may have been evicted */
};

/*
 * Print, below a table, the rows that were left out (row_fold()) as one line. what: "site"; cost: of
 * all samples.
 */
struct row_fold;
void quality_print_fold(FILE *out, const char *what, const struct row_fold *fold, __u64 cost);
/* Say where to look if none of the lines that a view shows is fought over. */
void quality_print_elsewhere(FILE *out);

void quality_print_table(FILE *out, const struct memlat_status *status,
			 const struct quality_table *table);
/* Put the members "evicted" and "error_bound" of a table. */
void quality_put_table(struct json_object *document,
		       const struct memlat_status *status,
		       const struct quality_table *table);

/* Print known errata of the hardware in words, below the figures that they affect. */

/*
 * Print each of the errata that affects one of the figures, with its errata, wrapped to the
 * terminal's width. All lines begin with begin; if that is "", all but the first with a space.
 */
void errata_print(FILE *out, const char *begin, __u32 errata, __u32 figures);

/* The same as JSON objects. Only the words tell what is affected. */
struct json_object *errata_json(__u32 errata, __u32 figures);

#endif
