/* SPDX-License-Identifier: GPL-2.0 */
/* What the halves of test_model share: one measurement, and checks that both make. */
#ifndef MEMLAT_TEST_MODEL_H
#define MEMLAT_TEST_MODEL_H

#include "rig.h"

#define WRITES		1500000		/* of each thread of false_sharing */

/* The measurement that is looked at. */
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

/* False_sharing on the first CPU and the last: on hybrid parts they are of two kinds. */
struct json_object *share_a_line(int writes);

/* Free the measurement. */
void forget(void);

/* Is there a kind of core that tells local HITM from a clean forward? */
bool some_tell_hitm(void);

/* One result; min: so many loads of each kind of core at least. */
void check_words(const char *what, uint64_t min);

/* One result, by what stats_table() said. */
void report_table(const char *name, int compared);

/* Whether this CPU samples stores, and whether loads and stores take turns. */
void check_stores(bool stores, bool turns);
#define STORE_RESULTS	(CONSERVED_RESULTS + 1 + 2 + 1 + 1 + 1 + 1 + 1)
#define NO_STORE_RESULTS 1

#endif
