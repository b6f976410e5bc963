/* SPDX-License-Identifier: GPL-2.0 */
/* What all JSON views share, based on json-c. */
#ifndef MEMLAT_JSON_H
#define MEMLAT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <json-c/json.h>

#include <linux/memlat.h>

/* Six significant digits. More would be noise of the conversion. */
#define JSON_REAL	"%.6g"

/*
 * Incremented when a key is removed or changes its meaning, which Documentation/schema/README then
 * lists. A new key does not change it.
 */
#define JSON_FORMAT	3

struct json_object *json_new(void);
/* A new document for a view. It begins with the view's name and the format. */
struct json_object *json_view(const char *name);
struct json_object *json_list(void);
/* value: NULL is null. */
void json_put(struct json_object *object, const char *key,
	      struct json_object *value);
void json_append(struct json_object *list, struct json_object *value);
/* Any bytes, made valid UTF-8 first. */
void json_append_text(struct json_object *list, const char *bytes);

void json_put_count(struct json_object *object, const char *key, __u64 count);
void json_put_real(struct json_object *object, const char *key, double value);
void json_put_bool(struct json_object *object, const char *key, int truth);
void json_put_null(struct json_object *object, const char *key);
/* A share or an average; null if whole is 0. */
void json_put_ratio(struct json_object *object, const char *key, __u64 part, __u64 whole);
/* A count, or a real, or null if it is not known. */
void json_put_known(struct json_object *object, const char *key, bool known, __u64 count);
void json_put_known_real(struct json_object *object, const char *key, bool known, double value);
/* Any bytes, made valid UTF-8 first; NULL is null. */
void json_put_text(struct json_object *object, const char *key,
		   const char *bytes);
/* "0x55d0c0a04080": a string, because some readers of JSON cannot hold 64-bit numbers. */
void json_put_hex(struct json_object *object, const char *key, __u64 value);
void json_put_counts(struct json_object *object, const char *key,
		     const __u64 *counts, unsigned int nr);
/* All sources by name, including those that are zero, so that the keys are always the same. */
void json_put_sources(struct json_object *object, const char *key,
		      const __u64 count[MEMLAT_SRC_NR]);
/* [0, 2, 5] from a mask, and from one of several words */
void json_put_bits(struct json_object *object, const char *key, __u64 mask);
void json_put_wide_bits(struct json_object *object, const char *key,
			const __u64 *mask, unsigned int words);

/* The document as text, valid as long as the document; flags: JSON_C_TO_STRING_*. */
const char *json_text(struct json_object *object, int flags);
/* Print the document and a newline, and free it. */
void json_print(FILE *out, struct json_object *object);
/*
 * The same on one line for a <script> of HTML. A parser of HTML ends the script, or begins a comment
 * in it, only at '<', which JSON has in strings alone, and can write in another way.
 */
void json_print_script(FILE *out, struct json_object *object);

#endif
