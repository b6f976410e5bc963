/* SPDX-License-Identifier: GPL-2.0 */
/* Print what a start did, and what to do next. */
#ifndef MEMLAT_STARTED_H
#define MEMLAT_STARTED_H

#include <stdio.h>

#include <linux/memlat.h>

/* status: of the session just started; NULL if it could not be read. */
void started_print(FILE *out, const struct memlat_config *config,
		   const struct memlat_query *query,
		   const struct memlat_status *status);

#endif
