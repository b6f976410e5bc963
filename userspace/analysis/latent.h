/* SPDX-License-Identifier: GPL-2.0 */
/*
 * False sharing that another address of the object would bring: two threads store to bytes of one
 * object that are less than a line apart, and are on two lines only because of where the object
 * begins.
 */
#ifndef MEMLAT_LATENT_H
#define MEMLAT_LATENT_H

#include <stddef.h>

#include <linux/types.h>

#define LATENT_STEP	16	/* bytes: what malloc() aligns to */
/* Each of the two uses needs this many sampled stores, and this part of the object's stores. */
#define LATENT_LEAST	20
#define LATENT_PART	5	/* percent; with less, sharing would cost nothing either */

/* What one thread stores to in an object. */
struct latent_use {
	__u64 offset;
	__u64 stores;		/* sampled */
	__u32 tid;
};

struct latent_pair {
	size_t first, second;	/* uses */
	unsigned int shares, of;	/* places that put both on one line, of all */
};

/*
 * Count the places where an object may begin, and those of them that put two bytes of it on one
 * line.
 */
void latent_chances(__u64 a, __u64 b, struct latent_pair *pair);
/*
 * Find the two uses, of different threads, that are on two lines where the object begins today
 * and are most likely to be on one line elsewhere. uses: by offset, one for each thread at an
 * offset. false: there are no such two.
 */
_Bool latent_find(struct latent_pair *pair, __u64 start, const struct latent_use *uses, size_t nr);

#endif
