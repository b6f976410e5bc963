// SPDX-License-Identifier: GPL-2.0
#include "record_place.h"

#include "../util/number.h"

static __u32 larger(__u32 a, __u32 b)
{
	return a > b ? a : b;
}

/* A bit-field takes the next bits, unless it would cross the unit of its type there. */
static __u64 place_bits(const struct record_part *part, __u64 next)
{
	const __u64 unit = 8 * part->size;

	if (part->said)
		next = number_round_up(next, 8ULL * part->said);
	if (next / unit != (next + part->bits - 1) / unit)
		next = number_round_up(next, 8ULL * part->align);
	return next;
}

__u64 record_end(const struct record_part *part)
{
	return part->bits ? (part->bit + part->bits + 7) / 8 : part->bit / 8 + part->size;
}

__u64 record_place(struct record_part *parts, size_t nr, bool is_union, __u32 least)
{
	__u64 next = 0, size = 0;	/* next: in bits */
	__u32 whole = larger(least, 1);
	size_t i;

	for (i = 0; i < nr; i++) {
		struct record_part *part = &parts[i];
		const __u32 align = larger(larger(part->align, part->said), 1);

		if (is_union)
			next = 0;
		if (part->nameless && part->said)
			part->size = number_round_up(part->size, part->said);
		part->bit = part->bits && part->size ? place_bits(part, next) :
						       number_round_up(next, 8ULL * align);
		next = part->bit + (part->bits ? part->bits : 8 * part->size);
		whole = larger(whole, align);
		if (record_end(part) > size)
			size = record_end(part);
	}
	return number_round_up(size, whole);
}
