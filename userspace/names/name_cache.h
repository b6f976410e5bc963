/* SPDX-License-Identifier: GPL-2.0 */
/* Keep answers by their keys. */
#ifndef MEMLAT_NAME_CACHE_H
#define MEMLAT_NAME_CACHE_H

#include <stddef.h>

#include <linux/types.h>

struct name_cache_key {
	__u64 address;
	__u32 space, gen, tid;
};

struct name_cache_entry;

struct name_cache {
	struct name_cache_entry *entries;
	size_t used, room;	/* room: 0 or a power of two */
};

/* The answer to a key; NULL: none is kept. */
const void *name_cache_find(const struct name_cache *memo, struct name_cache_key key);
/* Keep an answer, which is not NULL, in place of an earlier one. */
void name_cache_keep(struct name_cache *memo, struct name_cache_key key, const void *answer);
/* Make room for so many answers at once, if their number is known. */
void name_cache_reserve(struct name_cache *memo, size_t nr);
void name_cache_free(struct name_cache *memo);

#endif
