/* SPDX-License-Identifier: GPL-2.0 */
/* Text of any bytes in a profile's JSON, so that it comes back as it was. */
#ifndef MEMLAT_TEXT_JSON_H
#define MEMLAT_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/* A string where it is valid UTF-8, else { "hex": "..." }; NULL: null. */
void text_json_put(struct json_object *object, const char *key, const char *bytes);

/*
 * The other way: *bytes is newly allocated, or NULL where there is null or no such
 * member. 0 or -EBADMSG.
 */
int text_json_get(struct json_object *object, const char *key, char **bytes);

#endif
