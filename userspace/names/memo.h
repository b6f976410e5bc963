/* SPDX-License-Identifier: GPL-2.0 */
/* Keep answers by their keys. */
#ifndef MEMLAT_MEMO_H
#define MEMLAT_MEMO_H

#include <stddef.h>

#include <linux/types.h>

struct memo_key {
	__u64 address;
	__u32 space, gen, tid;
};

struct memo_entry;

struct memo {
	struct memo_entry *entries;
	size_t used, room;	/* room: 0 or a power of two */
};

/* The answer to a key; NULL: none is kept. */
const void *memo_find(const struct memo *memo, struct memo_key key);
/* Keep an answer, which is not NULL, in place of an earlier one. */
void memo_keep(struct memo *memo, struct memo_key key, const void *answer);
/* Make room for so many answers at once, if their number is known. */
void memo_reserve(struct memo *memo, size_t nr);
void memo_free(struct memo *memo);

#endif
