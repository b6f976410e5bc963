/* SPDX-License-Identifier: GPL-2.0 */
/* What who comes from perf types, and what does it here. */
#ifndef MEMLAT_PERF_WORDS_H
#define MEMLAT_PERF_WORDS_H

#include <stdbool.h>

/* "perf's annotate is ..." for a command of perf's that memlat-ctl has not; else NULL. */
const char *perf_command(const char *name);

/*
 * The same for an option, as it was typed: with its dashes, perhaps with "=VALUE". samples:
 * of a command that samples, to which another option of perf's may be of use than to a view.
 */
const char *perf_option(const char *typed, bool samples);

#endif
