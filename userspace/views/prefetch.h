/* SPDX-License-Identifier: GPL-2.0 */
/* Show the state of the hardware prefetchers. */
#ifndef MEMLAT_VIEW_PREFETCH_H
#define MEMLAT_VIEW_PREFETCH_H

#include <stdio.h>

#include "../host/prefetch.h"
#include "report.h"

void prefetch_print(FILE *out, enum report_format format, const struct prefetch_state *state);

#endif
