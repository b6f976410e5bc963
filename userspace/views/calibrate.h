/* SPDX-License-Identifier: GPL-2.0 */
/* Show measured latencies, and the edges that follow from them. */
#ifndef MEMLAT_VIEW_CALIBRATE_H
#define MEMLAT_VIEW_CALIBRATE_H

#include <stdio.h>

#include "../calibrate/calibrate.h"
#include "report.h"

/* stored: the file that was written; NULL: none. */
void calibrate_print(FILE *out, const struct calibration *calibration, const char *stored);
void calibrate_csv(FILE *out, const struct calibration *calibration);

/* The JSON document, which is also the content of the file, but for the view's own members. */
struct json_object *calibrate_json(const struct calibration *calibration, const char *stored);
struct json_object *calibrate_file_json(const struct calibration *calibration);

#endif
