// SPDX-License-Identifier: GPL-2.0
#include "pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES	(64 * 1024)
#define ALIGN		16

struct pool_chunk {
	struct pool_chunk *next;
	size_t used, room;
	_Alignas(ALIGN) unsigned char bytes[];
};

void *pool_take(struct pool *pool, size_t bytes)
{
	struct pool_chunk *chunk = pool->chunks;
	size_t room;
	void *taken;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!chunk || chunk->room - chunk->used < bytes) {
		room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->room = room;
		chunk->next = pool->chunks;
		pool->chunks = chunk;
	}
	taken = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return taken;
}

char *pool_text(struct pool *pool, const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = pool_take(pool, bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

char *pool_format(struct pool *pool, const char *format, ...)
{
	va_list list;
	char *text;
	int length;

	va_start(list, format);
	length = vsnprintf(NULL, 0, format, list);
	va_end(list);
	if (length < 0)
		return NULL;
	text = pool_take(pool, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(list, format);
	vsnprintf(text, (size_t)length + 1, format, list);
	va_end(list);
	return text;
}

void pool_free(struct pool *pool)
{
	struct pool_chunk *chunk, *next;

	for (chunk = pool->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	pool->chunks = NULL;
}
