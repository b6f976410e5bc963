/* SPDX-License-Identifier: GPL-2.0 */
/* JSON, written into a buffer that may be too small. */
#ifndef VPEBS_TRUTH_OUT_H
#define VPEBS_TRUTH_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts all characters, keeps those that fit. */
struct json {
	char *buf;
	size_t size;
	size_t length;
	bool comma;		/* the next item needs one before it */
};

/* As it is. */
void json_raw(struct json *out, const char *text);
/* Begin an item: the comma, and the key unless it is in an array (NULL). */
void json_item(struct json *out, const char *key);
void json_open(struct json *out, const char *key, char bracket);
void json_close(struct json *out, char bracket);
void json_number(struct json *out, const char *key, uint64_t value);
void json_address(struct json *out, const char *key, uint64_t value);
void json_text(struct json *out, const char *key, const char *value);
void json_array(struct json *out, const char *key, const uint64_t *value, unsigned int n);

#endif
