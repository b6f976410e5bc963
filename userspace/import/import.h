/* SPDX-License-Identifier: GPL-2.0 */
/* Convert a perf.data file to a profile. */
#ifndef MEMLAT_IMPORT_H
#define MEMLAT_IMPORT_H

#include "../profile/profile.h"
#include "perf_file.h"

#define IMPORT_MEMORY	(1ULL << 30)	/* most bytes of the tables */

/*
 * Read a file of 'perf mem record' or 'perf c2c record'. Returns 0 or -errno; with -EBADMSG, why
 * says what is wrong and what would be right. *profile is overwritten; on failure it is empty.
 */
int import_perf(struct profile *profile, const char *path, __u64 memory,
		char why[PERF_FILE_ERROR_MAX]);

#endif
