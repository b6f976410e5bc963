/* SPDX-License-Identifier: GPL-2.0 */
/* Loads by the source word that hardware wrote, and the word's meaning. */
#ifndef MEMLAT_VIEW_WORDS_H
#define MEMLAT_VIEW_WORDS_H

#include <stdio.h>

#include "../profile/snapshot.h"
#include "../util/json.h"

/* Sort by kind of core, then by frequency, highest first, then by word. */
void words_sort(struct snapshot *snap);
/* Print the words in so many columns. */
void words_print(FILE *out, const struct snapshot *snap, size_t width);
void words_csv(FILE *out, const struct snapshot *snap);
struct json_object *words_json(const struct snapshot *snap);

#endif
