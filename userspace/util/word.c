// SPDX-License-Identifier: GPL-2.0
#include "word.h"


#include "order.h"

static int compare(const void *pa, const void *pb)
{
	const struct memlat_rec_source *a = pa, *b = pb;

	return order(a->core, b->core) ?: order(b->samples, a->samples) ?:
	       order(a->word, b->word);
}

void word_sort(struct memlat_rec_source *words, size_t nr)
{
	SORT(words, nr, compare);
}

bool word_flag_at(unsigned int place, struct word_flag *flag)
{
	static const struct word_flag flags[] = {
		{ MEMLAT_WORD_STLB_MISS, "stlb_miss", "TLB miss" },
		{ MEMLAT_WORD_LOCKED, "locked", "locked" },
		{ MEMLAT_WORD_BLOCKED_DATA, "blocked_data", "blk data" },
		{ MEMLAT_WORD_BLOCKED_ADDR, "blocked_addr", "blk addr" },
	};

	if (place >= sizeof(flags) / sizeof(flags[0]))
		return false;
	*flag = flags[place];
	return true;
}
