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
/* The same for people: "counters[{0,1}].hits". */
char *story_label(const struct story *story);
/* How that is known, as data_how_name() has it; of two the less sure. */
const char *story_how(const struct story *story);

/*
 * Two to tell of a line with parties: who writes most, and who suffers most of the others,
 * elsewhere in the line where that is what it is about; *other NULL: there is one.
 */
void story_parties(const struct verdict_line *verdict, const struct verdict_party **writer,
		   const struct verdict_party **other);

/*
 * "remote memory": where loads that took so many cycles by source were served from that
 * took most; NULL: there are none. xsnp_fwd: of them, forwarded by a sibling core.
 */
const char *story_source(const __u64 latency[MEMLAT_SRC_NR], const __u64 source[MEMLAT_SRC_NR],
			 __u64 xsnp_fwd, __u64 xsnp_fwd_latency);

#endif
