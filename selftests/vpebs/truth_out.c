// SPDX-License-Identifier: GPL-2.0
/* JSON, written into a buffer that may be too small. */
#include <inttypes.h>
#include <stdio.h>

#include "truth_out.h"

static void add(struct json *out, char c)
{
	if (out->length + 1 < out->size)
		out->buf[out->length] = c;
	out->length++;
}

void json_raw(struct json *out, const char *text)
{
	while (*text)
		add(out, *text++);
}

static void add_string(struct json *out, const char *text)
{
	add(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		char escape[8];

		if (c == '"' || c == '\\') {
			add(out, '\\');
			add(out, (char)c);
		} else if (c < 0x20 || c >= 0x7f) {
			/* Bytes that are not ASCII are read as Latin-1, so all give valid JSON. */
			snprintf(escape, sizeof(escape), "\\u%04x", c);
			json_raw(out, escape);
		} else {
			add(out, (char)c);
		}
	}
	add(out, '"');
}

/* Begin an item with its comma, and with its key unless it is in an array. */
void json_item(struct json *out, const char *key)
{
	if (out->comma)
		add(out, ',');
	if (key) {
		add_string(out, key);
		add(out, ':');
	}
	out->comma = true;
}

void json_open(struct json *out, const char *key, char bracket)
{
	json_item(out, key);
	add(out, bracket);
	out->comma = false;
}

void json_close(struct json *out, char bracket)
{
	add(out, bracket);
	out->comma = true;
}

void json_number(struct json *out, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	json_item(out, key);
	json_raw(out, text);
}

void json_address(struct json *out, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "\"0x%" PRIx64 "\"", value);
	json_item(out, key);
	json_raw(out, text);
}

void json_text(struct json *out, const char *key, const char *value)
{
	json_item(out, key);
	add_string(out, value);
}

void json_array(struct json *out, const char *key, const uint64_t *value, unsigned int n)
{
	unsigned int i;

	json_open(out, key, '[');
	for (i = 0; i < n; i++)
		json_number(out, NULL, value[i]);
	json_close(out, ']');
}
