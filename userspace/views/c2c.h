/* SPDX-License-Identifier: GPL-2.0 */
/* Cache lines that several threads use: perf c2c's tables, from memlat's figures. */
#ifndef MEMLAT_VIEW_C2C_H
#define MEMLAT_VIEW_C2C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../analysis/lineset.h"
#include "../analysis/verdict.h"
#include "../names/namer.h"
#include "../profile/profile.h"
#include "c2c_story.h"
#include "report.h"
#include "row.h"

/* The figure by which lines are ranked. A line without it is not shown. */
enum c2c_display {
	C2C_COST,	/* cycles that loads of the line took, which perf does not have */
	C2C_TOT,	/* HITM loads, local and remote */
	C2C_LCL,
	C2C_RMT,
	C2C_DISPLAYS
};

/* What keeps accesses to one byte in separate rows. */
#define C2C_TID		(1U << 0)
#define C2C_PID		(1U << 1)
#define C2C_IADDR	(1U << 2)
#define C2C_DSO		(1U << 3)

struct c2c_options {
	enum c2c_display display;
	unsigned int coalesce;		/* C2C_* */
	unsigned int node_info;		/* 0, 1, 2: the form of the Node column */
	bool double_cl, show_all, stats, full_symbols, no_source, call_graph;
	bool unnamed;			/* c2c_name() names the lines that are needed */
	bool fold;			/* leave out lines that hardly anything was sampled of */
	size_t index;			/* show only this line, from 1; 0: all */
	__u64 addr;			/* or the one at this address */
	size_t show;			/* number of lines; 0: all */
};

/* A shared line. */
struct c2c_line {
	const struct lineset_line *line;
	const struct memlat_rec_line *rec;	/* its sums */
	/* number of physical pages at which it was seen; 0: not known */
	__u64 pages;
	const struct memlat_rec_line *half;	/* the 64 bytes that the verdict is about, of a shown line */
	char *data;			/* the data in the line; NULL: not known, or not named */
	char *label;			/* the same data in a form for people */
	const char *how;		/* how the data is known, as data_how_name() */
	/* memory of the kernel's own work, in the report of a program */
	bool housekeeping;
};

/* The sums over the shared lines. */
struct c2c_totals {
	struct sums sum;
	__u64 locked, blocked;
	__u64 source[MEMLAT_SRC_NR];
};

struct c2c {
	const struct profile *profile;
	struct namer *namer;
	struct c2c_options options;
	struct lineset *set;		/* lines, or pairs of lines */
	struct lineset *halves;		/* single lines; equal to set if that has no pairs */
	struct verdicts *verdicts;	/* of the lines in halves */
	struct c2c_totals shared;
	struct c2c_line *lines;		/* in the order of their rank */
	size_t nr_lines;		/* number of lines that pass the limit */
	size_t first, nr_shown;		/* the range of them that is shown */
	struct row_fold fold;		/* lines that were left out for that */
	__u64 cost;			/* cost of all samples */
	struct row_whole whole;		/* the same, for intervals */
};

/* 0, or -ENOENT: there is no line as the options ask for. */
int c2c_take(struct c2c *c2c, const struct profile *profile, struct namer *namer,
	     const struct c2c_options *options);
/* Set the data, label and how of a line that is shown, once. */
void c2c_name(const struct c2c *c2c, size_t row);
void c2c_free(struct c2c *c2c);

/* The figure that is displayed: the cost, or HITM loads, all or a part of them. */
__u64 c2c_figure(enum c2c_display display, __u64 cost, const struct sums *sums);
/* Does the verdict say, or leave open, that threads slow each other down? */
bool c2c_is_fight(enum verdict verdict);
extern const char *const c2c_display_names[C2C_DISPLAYS];

void c2c_print(FILE *out, const struct c2c *c2c, size_t width);
void c2c_csv(FILE *out, const struct c2c *c2c);
struct json_object *c2c_json(const struct c2c *c2c);

/* c2c_rows.c: the number of physical pages that accesses were seen at; 0: not known. */
__u64 c2c_pages(const struct memlat_rec_access *const *accesses, size_t nr);

/*
 * c2c_print.c: does a column of HITM loads or forwards, by enum figure_id, tell anything, while
 * another one does? True for all other columns.
 */
bool c2c_tells(const struct c2c *c2c, unsigned int figure);

/* c2c_stats.c: the first three tables, figures of all samples and of the shared lines. */

/* A line of one of these tables. */
struct c2c_fact {
	const char *key;	/* in JSON and CSV */
	const char *title;	/* perf's words, or memlat's for a figure that perf does not have */
	struct cell value;
};

#define C2C_FACTS_MAX	48

/* Fill in the facts. Returns how many there are. */
size_t c2c_trace_facts(const struct c2c *c2c, struct c2c_fact facts[C2C_FACTS_MAX]);
size_t c2c_shared_facts(const struct c2c *c2c, struct c2c_fact facts[C2C_FACTS_MAX]);

void c2c_stats_print(FILE *out, const struct c2c *c2c);
/* Facts as rows, for CSV. */
struct report c2c_facts_report(const char *key, const struct c2c_fact *facts, size_t nr);
void c2c_stats_put(struct json_object *document, const struct c2c *c2c);

/* Print a heading in perf's form. */
void c2c_heading(FILE *out, const char *title);

/* The story of one shown line. */
struct story c2c_story(const struct c2c *c2c, size_t row);

#endif
