/* SPDX-License-Identifier: GPL-2.0 */
/* Write numbers and bytes in sequence, and read them back with bounds checks. */
#ifndef MEMLAT_BYTES_H
#define MEMLAT_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/types.h>

struct bytes {
	unsigned char *data;
	size_t used, room;
};

/* The low width bytes of a number, little-endian. */
void bytes_put(struct bytes *bytes, __u64 number, size_t width);
void bytes_put_raw(struct bytes *bytes, const void *data, size_t size);
/* Hand over all bytes, for the caller to free(). */
void bytes_take(struct bytes *bytes, void **data, size_t *size);

struct bytes_reader {
	const unsigned char *at;
	size_t left;
	bool failed;		/* something was read beyond the end */
};

/* NULL if there are not enough bytes. */
static inline const void *bytes_get_raw(struct bytes_reader *reader, size_t size)
{
	const unsigned char *at = reader->at;

	if (reader->failed || size > reader->left) {
		reader->failed = true;
		return NULL;
	}
	reader->at += size;
	reader->left -= size;
	return at;
}

/* A number of at most 8 bytes; 0 if there are not enough. Inline, as histories have many numbers. */
static inline __u64 bytes_get(struct bytes_reader *reader, size_t width)
{
	const void *at = bytes_get_raw(reader, width);
	__u64 number = 0;

	if (at)
		memcpy(&number, at, width);
	return le64toh(number);
}

static inline size_t bytes_left(const struct bytes_reader *reader)
{
	return reader->failed ? 0 : reader->left;
}

#endif
