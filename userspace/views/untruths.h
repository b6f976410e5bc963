/* SPDX-License-Identifier: GPL-2.0 */
/* Known untruths in words, beneath the figures they touch. */
#ifndef MEMLAT_VIEW_UNTRUTHS_H
#define MEMLAT_VIEW_UNTRUTHS_H

#include <stdio.h>

#include "../analysis/untruth.h"
#include "../util/json.h"

/*
 * A line for each of these that touches one of the figures: begin, the words, the errata.
 * Returns how many.
 */
unsigned int untruths_print(FILE *out, const char *begin, __u32 untruths, __u32 figures);

/* The same as objects; what they touch is left to the words. */
struct json_object *untruths_json(__u32 untruths, __u32 figures);

#endif
