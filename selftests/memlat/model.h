/* SPDX-License-Identifier: GPL-2.0 */
/* What the two halves of test_model share: a measurement, and checks. */
#ifndef MEMLAT_TEST_MODEL_H
#define MEMLAT_TEST_MODEL_H

#include "rig.h"

#define WRITES		1500000		/* of each thread of false_sharing */

/* The measurement that is checked. */
struct model {
	struct measured m;
	struct json_object *sharing;	/* what false_sharing answered */
	unsigned long period;		/* of loads */
	int last_cpu;
};

extern struct model model;

/* The names of the truth's by_source, by enum memlat_source. */
extern const char *const source_names[MEMLAT_SRC_NR];

const struct memlat_status *status(void);

/* Records that the hardware lost. */
double lost(void);

/* Run false_sharing on the first and the last CPU, which on hybrid parts are of two kinds. */
struct json_object *share_a_line(int writes);

/* Free the measurement. */
void forget(void);

/* Can a kind of core distinguish local HITM from a clean forward? */
bool some_tell_hitm(void);

/* One result. min: the fewest loads that each kind of core must have. */
void check_words(const char *what, uint64_t min);

/* One result, from the return value of stats_table(). */
void report_table(const char *name, int compared);

/* stores: this CPU samples stores; turns: loads and stores take turns. */
void check_stores(bool stores, bool turns);
#define STORE_RESULTS	(CONSERVED_RESULTS + 1 + 2 + 1 + 1 + 1 + 1 + 1)
#define NO_STORE_RESULTS 1

#endif
