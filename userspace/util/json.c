// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"
#include "text.h"
#include "xalloc.h"

struct json_object *json_new(void)
{
	return xneed(json_object_new_object());
}

struct json_object *json_view(const char *name)
{
	struct json_object *document = json_new();

	json_put_text(document, "view", name);
	json_put_count(document, "format", JSON_FORMAT);
	return document;
}

struct json_object *json_list(void)
{
	return xneed(json_object_new_array());
}

void json_put(struct json_object *object, const char *key,
	      struct json_object *value)
{
	if (json_object_object_add(object, key, value))
		xneed(NULL);
}

void json_append(struct json_object *list, struct json_object *value)
{
	if (json_object_array_add(list, value))
		xneed(NULL);
}

/* Bytes that are not UTF-8 become escapes. */
static struct json_object *text_of(const char *bytes)
{
	const size_t room = 4 * strlen(bytes) + 1;
	char *valid = xmalloc(room);
	struct json_object *text;

	text_escape_utf8(valid, room, bytes);
	text = xneed(json_object_new_string(valid));
	free(valid);
	return text;
}

void json_append_text(struct json_object *list, const char *bytes)
{
	json_append(list, text_of(bytes));
}

void json_put_count(struct json_object *object, const char *key, __u64 count)
{
	json_put(object, key, xneed(json_object_new_uint64(count)));
}

void json_put_real(struct json_object *object, const char *key, double value)
{
	char digits[64];

	snprintf(digits, sizeof(digits), JSON_REAL, value);
	json_put(object, key, xneed(json_object_new_double_s(value, digits)));
}

void json_put_bool(struct json_object *object, const char *key, int truth)
{
	json_put(object, key, xneed(json_object_new_boolean(truth)));
}

void json_put_null(struct json_object *object, const char *key)
{
	json_put(object, key, NULL);
}

void json_put_known_real(struct json_object *object, const char *key, bool known, double value)
{
	if (known)
		json_put_real(object, key, value);
	else
		json_put_null(object, key);
}

void json_put_ratio(struct json_object *object, const char *key, __u64 part, __u64 whole)
{
	json_put_known_real(object, key, whole, whole ? (double)part / (double)whole : 0);
}

void json_put_known(struct json_object *object, const char *key, bool known, __u64 count)
{
	if (known)
		json_put_count(object, key, count);
	else
		json_put_null(object, key);
}

void json_put_text(struct json_object *object, const char *key,
		   const char *bytes)
{
	if (bytes)
		json_put(object, key, text_of(bytes));
	else
		json_put_null(object, key);
}

void json_put_hex(struct json_object *object, const char *key, __u64 value)
{
	char digits[20];

	snprintf(digits, sizeof(digits), "0x%llx", value);
	json_put_text(object, key, digits);
}

void json_put_counts(struct json_object *object, const char *key,
		     const __u64 *counts, unsigned int nr)
{
	struct json_object *list = json_list();
	unsigned int i;

	for (i = 0; i < nr; i++)
		json_append(list, xneed(json_object_new_uint64(counts[i])));
	json_put(object, key, list);
}

void json_put_sources(struct json_object *object, const char *key,
		      const __u64 count[MEMLAT_SRC_NR])
{
	struct json_object *sources = json_new();
	unsigned int i;

	for (i = 0; i < MEMLAT_SRC_NR; i++)
		json_put_count(sources, source_name(i), count[i]);
	json_put(object, key, sources);
}

void json_put_wide_bits(struct json_object *object, const char *key,
			const __u64 *mask, unsigned int words)
{
	struct json_object *list = json_list();
	unsigned int bit;

	for (bit = 0; bit < 64 * words; bit++)
		if (mask[bit / 64] >> bit % 64 & 1)
			json_append(list, xneed(json_object_new_uint64(bit)));
	json_put(object, key, list);
}

void json_put_bits(struct json_object *object, const char *key, __u64 mask)
{
	json_put_wide_bits(object, key, &mask, 1);
}

/*
 * json-c leaves DEL and the two-byte control characters as they are. JSON allows that, but a
 * terminal obeys them. Escape them; they occur only in strings.
 */
static void print_safely(FILE *out, const char *text, unsigned char escaped)
{
	const unsigned char *at = (const unsigned char *)text;

	for (; *at; at++)
		if (*at == 0x7f || *at == escaped)
			fprintf(out, "\\u00%02x", *at);
		else if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
			fprintf(out, "\\u00%02x", *++at);
		else
			putc_unlocked(*at, out);
	putc_unlocked('\n', out);
}

const char *json_text(struct json_object *object, int flags)
{
	flags |= JSON_C_TO_STRING_NOSLASHESCAPE;
	return xneed((void *)(uintptr_t)json_object_to_json_string_ext(object, flags));
}

void json_print(FILE *out, struct json_object *object)
{
	print_safely(out, json_text(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED), '\0');
	json_object_put(object);
}

void json_print_script(FILE *out, struct json_object *object)
{
	print_safely(out, json_text(object, JSON_C_TO_STRING_PLAIN), '<');
	json_object_put(object);
}
