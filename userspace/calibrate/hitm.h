/* SPDX-License-Identifier: GPL-2.0 */
/* The latency of a load of a line that another CPU has just modified. */
#ifndef MEMLAT_CALIBRATE_HITM_H
#define MEMLAT_CALIBRATE_HITM_H

#include "clock.h"

#define HITM_BYTES	(16 * 1024)	/* of lines, which stay in the writer's L1 */

/*
 * The calling thread, which is bound to its CPU, walks lines that a thread on the CPU writer
 * modifies before each run. Stores the cycles and ns of a load for each run. 0 or -errno.
 */
int hitm_measure(const struct clock *clock, int writer, unsigned int runs, double *cycles,
		 double *ns);

#endif
