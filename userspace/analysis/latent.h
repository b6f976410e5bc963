/* SPDX-License-Identifier: GPL-2.0 */
/*
 * False sharing that is not there today: bytes of two threads in one object, less than a line apart,
 * on two lines only because of where the object begins.
 */
#ifndef MEMLAT_LATENT_H
#define MEMLAT_LATENT_H

#include <stddef.h>

#include <linux/types.h>

#define LATENT_STEP	16	/* bytes: what malloc() aligns to */
#define LATENT_LEAST	20	/* samples of stores of each, */
#define LATENT_PART	5	/* and percent of all to the object: else it would cost nothing either */

/* What one thread stores to in an object. */
struct latent_use {
	__u64 offset;
	__u64 stores;		/* sampled */
	__u32 tid;
};

struct latent_pair {
	size_t first, second;	/* uses */
	unsigned int shares, of;	/* begins in so many of so many places a line with both */
};

/* At how many of the places that an object may begin at two bytes of it are on one line. */
void latent_chances(__u64 a, __u64 b, struct latent_pair *pair);
/*
 * Of the uses of an object that begins there, by offset, one for each thread at each: the two of different threads that are apart and most
 * likely would not be elsewhere. false: none.
 */
_Bool latent_find(struct latent_pair *pair, __u64 start, const struct latent_use *uses, size_t nr);

#endif
