/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value of the register that turns prefetchers off. The bits that memlat has set are its own;
 * all other bits belong to others and stay as they are.
 */
#ifndef MEMLAT_CORE_PREFETCH_H
#define MEMLAT_CORE_PREFETCH_H

#include "types.h"

/**
 * memlat_prefetch_apply - compute the new value of a core's register
 * @value: its present value
 * @want: bits that are to be set
 * @held: bits that memlat has set, having found them clear; updated
 * @lost: set to the bits of @held that someone else has cleared meanwhile
 *
 * A bit that was set before is never held, and so memlat never clears it. A bit that is lost
 * belongs to the one that cleared it, and memlat sets it again only if it is still wanted.
 *
 * Return: the value to write.
 */
static inline u64 memlat_prefetch_apply(u64 value, u8 want, u8 *held, u8 *lost)
{
	const u8 is_set = (u8)value;
	const u8 release = *held & is_set & (u8)~want;
	const u8 take = want & (u8)~is_set;

	*lost = *held & (u8)~is_set;
	*held = (*held & is_set & want) | take;
	return (value & ~(u64)release) | take;
}

#endif /* MEMLAT_CORE_PREFETCH_H */
