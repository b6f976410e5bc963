/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The answer on one screen: is memory the problem, from which sources, where, and what to do next.
 */
#ifndef MEMLAT_VIEW_SUMMARY_H
#define MEMLAT_VIEW_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "../analysis/verdict.h"
#include "../analysis/waits.h"
#include "row.h"

#define SUMMARY_LINES	25	/* most lines of text, if there are 72 columns or more */

void summary_print(FILE *out, const struct rows_view *view);
void summary_csv(FILE *out, const struct rows_view *view);
struct json_object *summary_json(const struct rows_view *view);

/* The contents of a summary: where latency comes from, and the costliest things. */

#define SUMMARY_WORST	3

/* Code that takes part in a thing; code NULL: none. */
struct summary_code {
	const struct code_name *code;
	__u64 ip;
	__u32 pid, tid;
};

/* A line that is fought over, or a source line whose loads wait for another reason. */
struct summary_thing {
	bool fight;
	__u64 cost;			/* a cost that no other thing includes */
	__u64 loads;			/* samples that have this cost */
	struct share_interval share;	/* the part of all cost; the list is sorted by its low end */
	struct summary_code who[2];	/* the two sides of a fight; otherwise only the first */
	char *data;			/* the data; NULL: not known */
	char *label;			/* the same data in a form for people */
	/* Only for a fight. */
	enum verdict verdict;
	const char *before;		/* as story_before(); the namer's or a literal */
	unsigned int sure;
	char *beside;			/* a second word that is fought over in the line; NULL: none */
	size_t index;			/* number of the line for memlat-ctl c2c --line */
	__u64 addr;
	/* For other things than fights: see story_source(). */
	const char *source;
	double of_source;		/* the part of its loads' latency that is of that source */
	const char *behind;		/* what served most misses of the lines that it loads; NULL: not known */
	__u64 data_cost;		/* the part of the cost that the data takes */
};

struct summary {
	const struct rows_view *view;
	__u64 cost;			/* of all samples */
	__u64 kernel, loader;		/* the cost of their code, as far as it is known */
	double effective;		/* how many equally heavy loads would be as exact */
	size_t undecided;		/* costly lines of several threads without a verdict */
	struct waits waits;		/* the share of busy cycles in which loads wait */
	__u64 by_source[MEMLAT_SRC_NR];	/* shares of cost by weight, which are an estimate */
	size_t nr_worst;
	struct summary_thing worst[SUMMARY_WORST];
};

void summary_find(struct summary *summary, const struct rows_view *view);
void summary_free(struct summary *summary);
/* As summary_json(), of what was found. */
struct json_object *summary_document(const struct summary *summary);

/* "72.6% ± 22 of sampled latency (8 samples)" */
void summary_put_share(FILE *out, const struct summary *summary, const struct summary_thing *thing);
/* "loads from L3", "loads, 60% of their latency from L3" */
void summary_put_source(FILE *out, const struct summary_thing *thing);
/* Why nothing is listed, as a sentence. */
void summary_put_nothing(FILE *out, const struct summary *summary);

/* A command that shows more, and what it shows. */
struct summary_next {
	char *command;
	const char *why;
};

#define SUMMARY_NEXT	6

/* Returns how many there are. */
size_t summary_next(const struct summary *summary, struct summary_next next[SUMMARY_NEXT]);
void summary_next_free(struct summary_next *next, size_t nr);

/* Print the share of the time that loads wait, as a sentence. */
void summary_put_waiting(FILE *out, const struct summary *summary);
/* The advice for a fight, newly allocated. */
char *summary_advice(const struct summary_thing *thing);
/* Sort the sources by cost, highest first. Returns how many cost anything. */
size_t summary_rank_sources(const __u64 by_source[MEMLAT_SRC_NR], unsigned int rank[MEMLAT_SRC_NR]);

/* Tell the summary in words. The session must have samples. */
void summary_tell(FILE *out, const struct summary *summary);

/* A profile as one HTML file, which loads nothing: the page of page/, and the JSON that it draws. */

/* sources: folders of source files, colon-separated; NULL: none. */
void html_print(FILE *out, const struct rows_view *view, const char *sources);

#endif
