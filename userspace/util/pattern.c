// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <stddef.h>
#include <string.h>

/* The character behind, which has several bytes in UTF-8. */
static const char *next(const char *at)
{
	for (at++; (*at & 0xc0) == 0x80; at++)
		continue;
	return at;
}

static bool fits(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			from = name;
		} else if (*pattern == '?') {
			pattern++;
			name = next(name);
		} else if (pattern[*pattern == '\\' && pattern[1]] == *name) {
			pattern += 1 + (*pattern == '\\' && pattern[1]);
			name++;
		} else if (star) {
			/* The last * stands for one character more. */
			pattern = star;
			from = next(from);
			name = from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool pattern_matches(const char *pattern, const char *name)
{
	return !strcmp(pattern, name) || fits(pattern, name);
}
