/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that is there, or the program ends: "memlat-ctl: no memory", FAILED. So callers
 * have no error path for it. A size that a file or another program asks for has to be
 * bounded before: a damaged profile is refused for what is wrong with it.
 */
#ifndef MEMLAT_XALLOC_H
#define MEMLAT_XALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Of no bytes they are not NULL either; and a product that wraps is too much. */
void *xcalloc(size_t nr, size_t size);
void *xmallocarray(size_t nr, size_t size);
void *xreallocarray(void *memory, size_t nr, size_t size);
void *xmalloc(size_t size);
char *xstrdup(const char *text);
__attribute__((format(printf, 1, 2)))
char *xasprintf(const char *format, ...);
__attribute__((format(printf, 1, 0)))
char *xvasprintf(const char *format, va_list args);
/* What a library allocated: the same, unless it is NULL for want of memory. */
void *xneed(void *memory);

/* As open_memstream(); the text is there, and the caller's, after xmemstream_end(). */
FILE *xmemstream(char **text, size_t *size);
void xmemstream_end(FILE *stream);

void *xgrow(void *array, size_t nr, size_t *room, size_t size);

/*
 * Room for nr elements in an array that has some for room (a size_t; 0: NULL) of them. It
 * doubles at least, so that adding one at a time takes linear time.
 */
#define ARRAY_GROW(array, nr, room) \
	((array) = xgrow(array, nr, &(room), sizeof(*(array))))

#endif
