/* SPDX-License-Identifier: GPL-2.0 */
/* Latencies that were measured, and the edges that they make. */
#ifndef MEMLAT_VIEW_CALIBRATE_H
#define MEMLAT_VIEW_CALIBRATE_H

#include <stdio.h>

#include "../calibrate/calibrate.h"
#include "report.h"

/* stored: the file that they went to; NULL: none. */
void calibrate_print(FILE *out, const struct calibration *calibration, const char *stored);
void calibrate_csv(FILE *out, const struct calibration *calibration);

/* The document, and what is put into the file: the same but for the view's own members. */
struct json_object *calibrate_json(const struct calibration *calibration, const char *stored);
struct json_object *calibrate_file_json(const struct calibration *calibration);

#endif
