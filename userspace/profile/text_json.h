/* SPDX-License-Identifier: GPL-2.0 */
/* Text of any bytes in a profile's JSON, which is read back unchanged. */
#ifndef MEMLAT_TEXT_JSON_H
#define MEMLAT_TEXT_JSON_H

struct json_object;

/* Put a string if it is valid UTF-8, otherwise { "hex": "..." }; NULL: null. */
void text_json_put(struct json_object *object, const char *key, const char *bytes);

/*
 * Read a text back: *bytes is newly allocated, or NULL if the member is null or missing. Returns 0
 * or -EBADMSG.
 */
int text_json_get(struct json_object *object, const char *key, char **bytes);

#endif
