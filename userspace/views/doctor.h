/* SPDX-License-Identifier: GPL-2.0 */
/* What stands in the way of memlat here, one line per condition. */
#ifndef MEMLAT_VIEW_DOCTOR_H
#define MEMLAT_VIEW_DOCTOR_H

#include <stdio.h>

#include "../analysis/doctor.h"
#include "report.h"

void doctor_print(FILE *out, enum report_format format, const struct doctor_check *checks,
		  size_t nr);

#endif
