/* SPDX-License-Identifier: GPL-2.0 */
/* The quality line: how good the figures beside it are. */
#ifndef MEMLAT_QUALITY_H
#define MEMLAT_QUALITY_H

#include <stdio.h>

#include <linux/memlat.h>

#include "json.h"

/* "user and kernel" */
const char *quality_privilege(__u32 flags);

/* "12.3 s | 48,211 samples, period 1,009, 0 lost | 4 of 4 CPUs | ..." */
void quality_print(FILE *out, const struct memlat_status *status);
/* The same as members of the document, beside what they belong to. */
void quality_put(struct json_object *document,
		 const struct memlat_status *status);

/* What to try when there are no samples; a whole sentence or two. */
void quality_print_hint(FILE *out, const struct memlat_status *status);

#endif
