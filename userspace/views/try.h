/* SPDX-License-Identifier: GPL-2.0 */
/* What a remedy brought: runs with and without it, in pairs. */
#ifndef MEMLAT_TRY_VIEW_H
#define MEMLAT_TRY_VIEW_H

#include <stdio.h>

#include "../analysis/paired.h"
#include "../profile/snapshot.h"
#include "../util/json.h"

/* Two runs with instructions further apart than this have not done the same work. */
#define TRY_WORK_MAX	0.02

enum try_figure { TRY_CYCLES, TRY_TIME, TRY_INSTRUCTIONS, TRY_STALLS, TRY_FIGURES };

struct try_view {
	const char *what;		/* the remedy; NULL: two commands */
	const char *first, *second;	/* the commands' first words */
	size_t pairs;
	/* By pair; cycles of CPUs, ns, numbers. [0] is without the remedy. */
	double runs[2][TRY_FIGURES][PAIRED_MAX];
	bool has_stalls;
	/* What they come to, by try_conclude(). */
	struct paired change[TRY_FIGURES];
	bool known[TRY_FIGURES];
	bool same_work;
};

/* One run's counts. False: nothing was counted in it. */
bool try_take(struct try_view *view, bool second, size_t pair, const struct snapshot *snap);
void try_conclude(struct try_view *view);
void try_print(FILE *out, const struct try_view *view);
struct json_object *try_json(const struct try_view *view);

#endif
