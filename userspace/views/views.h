/* SPDX-License-Identifier: GPL-2.0 */
/* The forms of views: text, CSV and JSON, for the commands. */
#ifndef MEMLAT_VIEWS_H
#define MEMLAT_VIEWS_H

#include <stdio.h>

#include "../analysis/doctor.h"
#include "../analysis/line.h"
#include "../analysis/site.h"
#include "../calibrate/calibrate.h"
#include "../host/prefetch.h"
#include "../profile/snapshot.h"
#include "../selftest/judge.h"
#include "../util/json.h"
#include "report.h"
#include "row.h"

/* Cache lines, those that are fought over most first. */

void lines_print(FILE *out, const struct rows_view *view);
void lines_csv(FILE *out, const struct rows_view *view);
struct json_object *lines_json(const struct rows_view *view);

/* Instructions, those that wait the longest first. */

void sites_print(FILE *out, const struct rows_view *view);
void sites_csv(FILE *out, const struct rows_view *view);
struct json_object *sites_json(const struct rows_view *view);

/* Which instructions walk memory in large strides, and the data that they walk. */

void stride_print(FILE *out, const struct rows_view *view);
void stride_csv(FILE *out, const struct rows_view *view);
struct json_object *stride_json(const struct rows_view *view);

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

#endif
