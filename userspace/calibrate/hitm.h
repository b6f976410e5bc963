/* SPDX-License-Identifier: GPL-2.0 */
/* Lines that another CPU has just modified: how long a load of one takes. */
#ifndef MEMLAT_CALIBRATE_HITM_H
#define MEMLAT_CALIBRATE_HITM_H

#include "clock.h"

#define HITM_BYTES	(16 * 1024)	/* of lines: they stay in the writer's L1 */

/*
 * The calling thread, which is on its CPU, walks lines that a thread on the CPU writer
 * has modified before each of so many runs: cycles and ns of a load in each. 0 or -errno.
 */
int hitm_measure(const struct clock *clock, int writer, unsigned int runs, double *cycles,
		 double *ns);

#endif
