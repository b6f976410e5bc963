/* SPDX-License-Identifier: GPL-2.0 */
/* Print known untruths of the hardware in words, below the figures that they affect. */
#ifndef MEMLAT_VIEW_UNTRUTHS_H
#define MEMLAT_VIEW_UNTRUTHS_H

#include <stdio.h>

#include "../analysis/untruth.h"
#include "../util/json.h"

/*
 * Print each of the untruths that affects one of the figures, with its errata, wrapped to the
 * terminal's width. All lines begin with begin; if that is "", all but the first with a space.
 */
void untruths_print(FILE *out, const char *begin, __u32 untruths, __u32 figures);

/* The same as JSON objects. Only the words tell what is affected. */
struct json_object *untruths_json(__u32 untruths, __u32 figures);

#endif
