// SPDX-License-Identifier: GPL-2.0
#include "latent.h"

#include <stdbool.h>

#include "../profile/snapshot.h"

#define LINE	MEMLAT_LINE_BYTES

void latent_chances(__u64 a, __u64 b, struct latent_pair *pair)
{
	__u64 begin;

	pair->shares = pair->of = 0;
	for (begin = 0; begin < LINE; begin += LATENT_STEP) {
		pair->of++;
		pair->shares += (begin + a) / LINE == (begin + b) / LINE;
	}
}

/*
 * Does one thread store to these bytes, and often enough? Bytes that several threads store to are
 * fought over wherever the object begins.
 */
static bool is_own(const struct latent_use *uses, size_t at, size_t nr, __u64 all)
{
	if ((at && uses[at - 1].offset == uses[at].offset) ||
	    (at + 1 < nr && uses[at + 1].offset == uses[at].offset))
		return false;
	return uses[at].stores >= LATENT_LEAST && uses[at].stores * 100 >= all * LATENT_PART;
}

_Bool latent_find(struct latent_pair *pair, __u64 start, const struct latent_use *uses, size_t nr)
{
	struct latent_pair tried;
	__u64 all = 0;
	size_t i, k;

	pair->shares = 0;
	for (i = 0; i < nr; i++)
		all += uses[i].stores;
	/* The object may have been aligned to a line on purpose. */
	if (!(start % LINE) || start % LATENT_STEP)
		return false;
	for (i = 0; i < nr; i++) {
		for (k = i + 1; k < nr && uses[k].offset - uses[i].offset < LINE; k++) {
			if (uses[i].tid == uses[k].tid || !is_own(uses, i, nr, all) ||
			    !is_own(uses, k, nr, all) ||
			    (start + uses[i].offset) / LINE == (start + uses[k].offset) / LINE)
				continue;
			latent_chances(uses[i].offset, uses[k].offset, &tried);
			if (tried.shares <= pair->shares)
				continue;
			*pair = tried;
			pair->first = i;
			pair->second = k;
		}
	}
	return pair->shares > 0;
}
