// SPDX-License-Identifier: GPL-2.0
#include "text_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/json.h"
#include "../util/text.h"
#include "../util/xalloc.h"

static bool valid_utf8(const char *bytes)
{
	size_t room = 4 * strlen(bytes) + 1;
	char *escaped = xmalloc(room);
	bool same = !strcmp(text_escape_utf8(escaped, room, bytes), bytes);

	free(escaped);
	return same;
}

void text_json_put(struct json_object *object, const char *key, const char *bytes)
{
	struct json_object *hex;
	char *digits;
	size_t i, length;

	if (!bytes) {
		json_put_null(object, key);
		return;
	}
	if (valid_utf8(bytes)) {
		json_put_text(object, key, bytes);
		return;
	}
	length = strlen(bytes);
	digits = xmalloc(2 * length + 1);
	for (i = 0; i < length; i++)
		sprintf(digits + 2 * i, "%02x", (unsigned char)bytes[i]);
	hex = json_new();
	json_put_text(hex, "hex", digits);
	json_put(object, key, hex);
	free(digits);
}

static int from_hex(struct json_object *value, char **bytes)
{
	const char *digits = json_object_get_string(value);
	size_t i, length = (size_t)json_object_get_string_len(value);

	if (length % 2)
		return -EBADMSG;
	*bytes = xcalloc(1, length / 2 + 1);
	for (i = 0; i < length / 2; i++) {
		int high = text_digit(digits[2 * i]), low = text_digit(digits[2 * i + 1]);

		if (high < 0 || low < 0 || !(high | low)) {
			free(*bytes);
			*bytes = NULL;
			return -EBADMSG;
		}
		(*bytes)[i] = (char)(high << 4 | low);
	}
	return 0;
}

int text_json_get(struct json_object *object, const char *key, char **bytes)
{
	struct json_object *value, *hex;

	*bytes = NULL;
	if (!json_object_object_get_ex(object, key, &value) || !value)
		return 0;
	if (json_object_is_type(value, json_type_object) &&
	    json_object_object_get_ex(value, "hex", &hex) &&
	    json_object_is_type(hex, json_type_string))
		return from_hex(hex, bytes);
	if (!json_object_is_type(value, json_type_string))
		return -EBADMSG;
	/* A zero byte within the string would truncate the text. */
	if (strlen(json_object_get_string(value)) !=
	    (size_t)json_object_get_string_len(value))
		return -EBADMSG;
	*bytes = xstrdup(json_object_get_string(value));
	return 0;
}
