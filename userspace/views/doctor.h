/* SPDX-License-Identifier: GPL-2.0 */
/* What prevents memlat from working here: one line for each condition. */
#ifndef MEMLAT_VIEW_DOCTOR_H
#define MEMLAT_VIEW_DOCTOR_H

#include <stdio.h>

#include "../analysis/doctor.h"
#include "report.h"

void doctor_print(FILE *out, enum report_format format, const struct doctor_check *checks,
		  size_t nr);

#endif
