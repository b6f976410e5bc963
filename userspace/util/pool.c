// SPDX-License-Identifier: GPL-2.0
#include "pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

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
		xneed(NULL);
	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!chunk || chunk->room - chunk->used < bytes) {
		room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		chunk = xcalloc(1, sizeof(*chunk) + room);
		chunk->room = room;
		chunk->next = pool->chunks;
		pool->chunks = chunk;
		pool->bytes += room;
	}
	taken = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return taken;
}

char *pool_text(struct pool *pool, const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(pool_take(pool, bytes), text, bytes);
}

char *pool_format(struct pool *pool, const char *format, ...)
{
	char *text, *kept;
	va_list args;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	kept = pool_text(pool, text);
	free(text);
	return kept;
}

void pool_free(struct pool *pool)
{
	struct pool_chunk *chunk, *next;

	for (chunk = pool->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*pool = (struct pool){ 0 };
}
