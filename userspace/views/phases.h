/* SPDX-License-Identifier: GPL-2.0 */
/* When it was waited for memory: the intervals of a session, as far as these were kept. */
#ifndef MEMLAT_VIEW_PHASES_H
#define MEMLAT_VIEW_PHASES_H

#include <stdio.h>

#include "../profile/profile.h"
#include "../util/json.h"

/* In words, a line or two; nothing where there are none. */
void phases_print(FILE *out, const struct profile *profile, size_t width);
/* A list with an object for each. */
struct json_object *phases_json(const struct profile *profile);

#endif
