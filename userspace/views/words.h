/* SPDX-License-Identifier: GPL-2.0 */
/* Loads by the source word as hardware wrote it, and what it is taken for. */
#ifndef MEMLAT_VIEW_WORDS_H
#define MEMLAT_VIEW_WORDS_H

#include <stdio.h>

#include "../profile/snapshot.h"
#include "../util/json.h"

/* Of words in the order of word_sort(), for so many columns. */
void words_print(FILE *out, const struct snapshot *snap, size_t width);
void words_csv(FILE *out, const struct snapshot *snap);
struct json_object *words_json(const struct snapshot *snap);

#endif
