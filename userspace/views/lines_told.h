/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of lines beyond their counts: verdicts and data. */
#ifndef MEMLAT_LINES_TOLD_H
#define MEMLAT_LINES_TOLD_H

#include "../analysis/lineset.h"
#include "../analysis/verdict.h"
#include "c2c_story.h"
#include "lines.h"

struct lines_told {
	const struct lines_view *view;
	struct lineset *set;
	struct verdicts *verdicts;
	__u64 cost;			/* cost of all samples */
};

void lines_told_init(struct lines_told *told, const struct lines_view *view);
void lines_told_free(struct lines_told *told);

/* The story of a row for a terminal. */
struct story lines_story(const struct lines_told *told, size_t row);

#endif
