/* SPDX-License-Identifier: GPL-2.0 */
/* Use a counter through perf, to check that perf gets the PMU and counts correctly. */
#ifndef MEMLAT_SELFTEST_COUNTING_H
#define MEMLAT_SELFTEST_COUNTING_H

#include "judge.h"

/* Count the instructions of a loop of known length. */
void counting_try(struct counting *counting);

#endif
