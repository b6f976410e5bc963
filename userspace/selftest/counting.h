/* SPDX-License-Identifier: GPL-2.0 */
/* perf's own use of a counter, to see whether it gets the PMU and counts right. */
#ifndef MEMLAT_SELFTEST_COUNTING_H
#define MEMLAT_SELFTEST_COUNTING_H

#include "judge.h"

/* Count the instructions of a loop of known length. */
void counting_try(struct counting *counting);

#endif
