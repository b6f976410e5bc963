// SPDX-License-Identifier: GPL-2.0
#include "bytes.h"

#include <string.h>

#include "xalloc.h"

static unsigned char *bytes_more(struct bytes *bytes, size_t size)
{
	unsigned char *at;

	ARRAY_GROW(bytes->data, bytes->used + size, bytes->room);
	at = bytes->data + bytes->used;
	bytes->used += size;
	return at;
}

void bytes_put(struct bytes *bytes, __u64 number, size_t width)
{
	unsigned char *at = bytes_more(bytes, width);
	size_t i;

	for (i = 0; i < width; i++)
		at[i] = (unsigned char)(number >> 8 * i);
}

void bytes_put_raw(struct bytes *bytes, const void *data, size_t size)
{
	if (size)
		memcpy(bytes_more(bytes, size), data, size);
}

void bytes_take(struct bytes *bytes, void **data, size_t *size)
{
	*data = bytes->data;
	*size = bytes->used;
	memset(bytes, 0, sizeof(*bytes));
}
