/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that is freed all at once, such as a namer's texts and answers. */
#ifndef MEMLAT_POOL_H
#define MEMLAT_POOL_H

#include <stddef.h>

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
