/* SPDX-License-Identifier: GPL-2.0 */
/* The effect of a remedy: pairs of runs with and without it. */
#ifndef MEMLAT_TRY_VIEW_H
#define MEMLAT_TRY_VIEW_H

#include <stdio.h>

#include "../analysis/paired.h"
#include "../profile/snapshot.h"
#include "../util/json.h"

/* If two runs differ by more than this in instructions, they did not do the same work. */
#define TRY_WORK_MAX	0.02

enum try_figure { TRY_CYCLES, TRY_TIME, TRY_INSTRUCTIONS, TRY_STALLS, TRY_FIGURES };

struct try_view {
	const char *what;		/* the remedy; NULL: two commands */
	const char *first, *second;	/* first words of the two commands */
	size_t pairs;
	/* By pair: cycles of all CPUs, ns, and event counts. [0] is without the remedy. */
	double runs[2][TRY_FIGURES][PAIRED_MAX];
	bool has_stalls;
	/* The relative changes, set by try_conclude(). */
	struct paired change[TRY_FIGURES];
	bool known[TRY_FIGURES];
	bool same_work;
};

/* Take the counts of one run. False: nothing was counted. */
bool try_take(struct try_view *view, bool second, size_t pair, const struct snapshot *snap);
void try_conclude(struct try_view *view);
void try_print(FILE *out, const struct try_view *view);
struct json_object *try_json(const struct try_view *view);

#endif
