/* SPDX-License-Identifier: GPL-2.0 */
/* A line's verdict told in words: who does what to what, what to do, how sure. */
#ifndef MEMLAT_C2C_STORY_H
#define MEMLAT_C2C_STORY_H

#include <stdbool.h>
#include <stdio.h>

#include "../analysis/verdict.h"
#include "../names/namer.h"
#include "../profile/profile.h"

struct story {
	const struct profile *profile;
	struct namer *namer;
	struct verdicts *verdicts;
	const struct memlat_rec_line *line;
	size_t number;		/* as the table above calls it: "Line 1" */
	__u64 cost;		/* of everything, that the line's is a share of */
	bool utf8;		/* for JSON: one line; else for this terminal */
	size_t width;		/* columns to fill; 0: the terminal's */
};

/* A paragraph of sentences, and the end of its last line. */
void story_write(FILE *out, const struct story *story);

/*
 * What the line holds, by the parties that fight over it, or by whom it costs most:
 * "counters[0].hits, counters[1].hits". Newly allocated, not escaped; NULL: not known.
 */
char *story_data(const struct story *story);

#endif
