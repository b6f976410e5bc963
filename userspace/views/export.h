/* SPDX-License-Identifier: GPL-2.0 */
/* A profile's figures by code, in the formats of other tools. */
#ifndef MEMLAT_EXPORT_H
#define MEMLAT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "row.h"

enum export_value {
	EXPORT_CYCLES,		/* estimated cycles of waiting */
	EXPORT_LOADS,		/* samples, as are the next two */
	EXPORT_HITM,
	EXPORT_STORES,
	EXPORT_VALUES
};

/* The sums of one instruction in one process with one call chain. */
struct export_row {
	struct sums sum;
	/* name of the process; NULL: the row of evicted samples, which completes the totals */
	const char *process;
	unsigned int nr_frames;
	const struct code_name *frame[MEMLAT_STACK_FRAMES];	/* innermost first */
	const struct memlat_rec_access *access;
};

struct export {
	const struct profile *profile;
	struct export_row *rows;
	size_t nr;
	struct sums total;		/* of the whole profile */
};

__u64 export_value(const struct sums *sums, enum export_value value);
void export_begin(struct export *export, const struct profile *profile, struct namer *namer);
void export_end(struct export *export);

/* Write a line for each row: the call chain, separated by ';', and one value, for flamegraph.pl. */
void export_folded(FILE *out, const struct export *export, enum export_value value);
/* For callgrind_annotate and KCachegrind: each line's own cost, without what it calls. */
void export_callgrind(FILE *out, const struct export *export);
/* Google's profile.proto, uncompressed: for pprof. */
void export_pprof(FILE *out, const struct export *export);
/*
 * For Prometheus, in OpenMetrics' format or in Prometheus' older one, which node_exporter reads
 * from files. Labels have few values: sources, and the verdict, process and data of at most five
 * lines. ended_folder: where "start --keep" has written how often sessions ended (host/session_end.h).
 */
void export_metrics(FILE *out, const struct profile *profile, struct namer *namer,
		    bool openmetrics, const char *ended_folder);

/*
 * The name of the function, or else of the module. export_put() replaces bytes that have a meaning
 * in the format.
 */
const char *export_function(const struct code_name *code);
void export_put(FILE *out, const char *text, char instead_of);

#endif
