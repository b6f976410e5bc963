/* SPDX-License-Identifier: GPL-2.0 */
/* The report of a selftest, which a user can send to others. */
#ifndef MEMLAT_VIEW_SELFTEST_H
#define MEMLAT_VIEW_SELFTEST_H

#include <stdio.h>

#include "../selftest/judge.h"
#include "report.h"

/* Print the report. It contains no names of hosts, people or processes, and no addresses. */
void selftest_print(FILE *out, enum report_format format, const struct selftest *test,
		    const struct selftest_check *checks, size_t nr);

#endif
