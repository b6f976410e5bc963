/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocate memory, or end the program with "memlat-ctl: no memory" and FAILED. So callers have no
 * error path. A size that comes from a file or another program has to be bounded before, so that a
 * damaged profile is refused for what is wrong with it.
 */
#ifndef MEMLAT_XALLOC_H
#define MEMLAT_XALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* The result is not NULL for no bytes either. A product that overflows counts as too much. */
void *xcalloc(size_t nr, size_t size);
void *xmallocarray(size_t nr, size_t size);
void *xreallocarray(void *memory, size_t nr, size_t size);
void *xmalloc(size_t size);
char *xstrdup(const char *text);
__attribute__((format(printf, 1, 2)))
char *xasprintf(const char *format, ...);
__attribute__((format(printf, 1, 0)))
char *xvasprintf(const char *format, va_list args);
/* Check what a library allocated: end the program if it is NULL. */
void *xneed(void *memory);

/* As open_memstream(). The text is there after xmemstream_end(), and belongs to the caller. */
FILE *xmemstream(char **text, size_t *size);
void xmemstream_end(FILE *stream);

/* What a call prints to a stream of this name, to free(): XPRINTED(out, story_write(out, story)). */
#define XPRINTED(stream, call) ({			\
	char *text_;					\
	size_t size_;					\
	FILE *stream = xmemstream(&text_, &size_);	\
							\
	call;						\
	xmemstream_end(stream);				\
	text_;						\
})

void *xgrow(void *array, size_t nr, size_t *room, size_t size);

/*
 * Make room for nr elements in an array that has room for room of them (a size_t; 0: the array is
 * NULL). The room at least doubles, so that adding elements one by one takes linear time.
 */
#define ARRAY_GROW(array, nr, room) \
	((array) = xgrow(array, nr, &(room), sizeof(*(array))))

/* Memory that is freed all at once, such as a namer's texts and answers. */

struct pool_chunk;

struct pool {
	struct pool_chunk *chunks;
	size_t bytes;		/* of all chunks */
};

/* The bytes are zero. */
void *pool_take(struct pool *pool, size_t bytes);
char *pool_text(struct pool *pool, const char *text);
__attribute__((format(printf, 2, 3)))
char *pool_format(struct pool *pool, const char *format, ...);
void pool_free(struct pool *pool);

#endif
