// SPDX-License-Identifier: GPL-2.0
#include "prefetch.h"

/**
 * memlat_prefetch_apply - what a core's register is to hold
 * @value: what it holds
 * @want: bits that are to be set
 * @held: bits that memlat has set, and what found clear; becomes those of the result
 * @lost: set to those of @held that someone else has cleared meanwhile
 *
 * Bits that were set when memlat came are nobody's business: never held, and so
 * never cleared. One that is lost belongs to who cleared it, unless it is wanted
 * still.
 *
 * Return: the value to write.
 */
u64 memlat_prefetch_apply(u64 value, u8 want, u8 *held, u8 *lost)
{
	const u8 is_set = (u8)value;
	const u8 release = *held & is_set & (u8)~want;
	const u8 take = want & (u8)~is_set;

	*lost = *held & (u8)~is_set;
	*held = (*held & is_set & want) | take;
	return (value & ~(u64)release) | take;
}
