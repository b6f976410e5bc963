/* SPDX-License-Identifier: GPL-2.0 */
/* The forms of views: text, CSV and JSON, for the commands. */
#ifndef MEMLAT_VIEWS_H
#define MEMLAT_VIEWS_H

#include <stdio.h>

#include "../analysis/bus.h"
#include "../analysis/doctor.h"
#include "../analysis/line.h"
#include "../analysis/share.h"
#include "../measure/calibrate.h"
#include "../host/prefetch.h"
#include "../profile/snapshot.h"
#include "../measure/judge.h"
#include "../util/json.h"
#include "report.h"
#include "row.h"

/*
 * Each view prints itself; for JSON it returns the document instead.
 */

/* Cache lines, those that are fought over most first. */

struct json_object *lines_show(FILE *out, enum report_format format, const struct rows_view *view);

/* Instructions, those that wait the longest first. */

struct json_object *sites_show(FILE *out, enum report_format format, const struct rows_view *view);

/* Which threads wait, or which groups of threads. */

struct json_object *threads_show(FILE *out, enum report_format format, const struct rows_view *view);

/* What loads wait for, by data: variable, field, heap site, region. */

struct json_object *data_show(FILE *out, enum report_format format, const struct rows_view *view);

/* Cache misses of loads by load module, function, source line and instruction. */

struct json_object *dcache_show(FILE *out, enum report_format format, const struct rows_view *view);

/* Which instructions walk memory in large strides, and the data that they walk. */

struct json_object *stride_show(FILE *out, enum report_format format, const struct rows_view *view);

/* Loads by latency and source. */

/*
 * Print the table of /sys/kernel/memlat/buckets. weighted: show the loads that samples stand for
 * instead of the samples.
 */
void buckets_print(FILE *out, const struct snapshot *snap, bool weighted);
/* Print both samples and the loads that they stand for, row by row. */
void buckets_csv(FILE *out, const struct snapshot *snap);
struct json_object *buckets_json(const struct snapshot *snap);

/* Loads by the source word that hardware wrote, and the word's meaning. */

/* Sort by kind of core, then by frequency, highest first, then by word. */
void words_sort(struct snapshot *snap);
/* Print the words in so many columns. */
void words_print(FILE *out, const struct snapshot *snap, size_t width);
void words_csv(FILE *out, const struct snapshot *snap);
struct json_object *words_json(const struct snapshot *snap);

/* What prevents memlat from working here: one line for each condition. */

void doctor_print(FILE *out, enum report_format format, const struct doctor_check *checks,
		  size_t nr);

/* The report of a selftest, which a user can send to others. */

/* Print the report. It contains no names of hosts, people or processes, and no addresses. */
void selftest_print(FILE *out, enum report_format format, const struct selftest *test,
		    const struct selftest_check *checks, size_t nr);

/* Show the state of the hardware prefetchers. */

void prefetch_print(FILE *out, enum report_format format, const struct prefetch_state *state);

/* Show measured latencies, and the edges that follow from them. */

/* stored: the file that was written; NULL: none. */
void calibrate_print(FILE *out, const struct calibration *calibration, const char *stored);
void calibrate_csv(FILE *out, const struct calibration *calibration);

/* The JSON document, which is also the content of the file, but for the view's own members. */
struct json_object *calibrate_json(const struct calibration *calibration, const char *stored);
struct json_object *calibrate_file_json(const struct calibration *calibration);

/* memlat-ctl bus: outstanding reads, in figures and in words. */

/* What is shown. */
struct bus_view {
	const struct snapshot *snap;	/* of a session that counted */
	/* the command of the session; NULL: it counted what ran already */
	const char *command;
	bool prefetch_off;		/* the prefetchers were off during the session */
	/* the same work with the prefetchers off; NULL: not measured */
	const struct snapshot *without;
};

void bus_print(FILE *out, const struct bus_view *view);
void bus_csv(FILE *out, const struct bus_view *view);
struct json_object *bus_json(const struct bus_view *view);

#define BUS_WORDS	400

/* The reading of the figures, as in Intel's manual: one or two sentences. */
char *bus_words(char text[BUS_WORDS], const struct bus *bus);

/* What changes with the prefetchers off. */
char *bus_words_without(char text[BUS_WORDS], const struct bus *bus, const struct bus *without);

/* The effect of a remedy: pairs of runs with and without it. */

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
