/* SPDX-License-Identifier: GPL-2.0 */
/* Read a seed from the command line. */
#ifndef JUDGE_SEED_H
#define JUDGE_SEED_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan.h"

/* Returns 0 and a message if it is none, or if it is one of those that are kept for later. */
static inline uint64_t seed_read(const char *program, const char *text, bool beyond)
{
	unsigned long long seed;
	char *end;

	errno = 0;
	seed = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text == '-' || !seed || seed > INT64_MAX) {
		fprintf(stderr, "%s: '%s' is no seed: it must be a number from 1 on\n", program, text);
		return 0;
	}
	if (seed > PLAN_SEED_JUDGING && !beyond) {
		fprintf(stderr, "%s: seeds from %llu on are kept for others to judge by; --beyond runs one\n",
			program, PLAN_SEED_JUDGING + 1);
		return 0;
	}
	return seed;
}

#endif
