// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE	/* vasprintf(), reallocarray() */
#include "xalloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

#define ROOM_LEAST	16

void *xneed(void *memory)
{
	if (!memory) {
		/* Not out_complain(), because that allocates. */
		fflush(stdout);
		fputs("memlat-ctl: no memory\n", stderr);
		exit(FAILED);
	}
	return memory;
}

void *xcalloc(size_t nr, size_t size)
{
	return xneed(calloc(nr ? nr : 1, size));
}

void *xreallocarray(void *memory, size_t nr, size_t size)
{
	/* Ask for at least one byte, because realloc() to none frees and returns NULL. */
	return xneed(reallocarray(memory, nr ? nr : 1, size));
}

void *xmallocarray(size_t nr, size_t size)
{
	return xreallocarray(NULL, nr, size);
}

void *xmalloc(size_t size)
{
	return xreallocarray(NULL, size, 1);
}

char *xstrdup(const char *text)
{
	return xneed(strdup(text));
}

char *xvasprintf(const char *format, va_list args)
{
	char *text;

	return vasprintf(&text, format, args) < 0 ? xneed(NULL) : text;
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return text;
}

FILE *xmemstream(char **text, size_t *size)
{
	return xneed(open_memstream(text, size));
}

void xmemstream_end(FILE *stream)
{
	int bad = ferror(stream);

	if (fclose(stream) || bad)
		xneed(NULL);
}

void *xgrow(void *array, size_t nr, size_t *room, size_t size)
{
	if (nr <= *room)
		return array;
	*room = *room ? 2 * *room : ROOM_LEAST;
	if (*room < nr)
		*room = nr;
	return xreallocarray(array, *room, size);
}

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
