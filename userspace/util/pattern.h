/* SPDX-License-Identifier: GPL-2.0 */
/* Names with wildcards, as people type them. */
#ifndef MEMLAT_PATTERN_H
#define MEMLAT_PATTERN_H

#include <stdbool.h>

/*
 * Does a name match a pattern, or equal it? In the pattern, * stands for any text and ? for one
 * character; \ before a character makes it stand for itself. Unlike in a shell, [ stands for
 * itself: names of data are full of it, as "counts[3].hits" and "[stack] of chase:71" are.
 */
bool pattern_matches(const char *pattern, const char *name);

#endif
