// SPDX-License-Identifier: GPL-2.0
#include "kernel_word.h"

bool kernel_number(const struct kernel_core *core, __u64 structure, struct btf_place place,
		   __u64 *value)
{
	*value = 0;
	if (place.size > sizeof(*value) ||
	    !kernel_core_get(core, structure + place.offset, value, place.size))
		return false;
	if (place.bits && place.bits < 64)
		*value = *value >> place.shift & ((1ULL << place.bits) - 1);
	return true;
}

bool kernel_word(const struct kernel_core *core, __u64 address, __u64 *value)
{
	return kernel_number(core, address, (struct btf_place){ .size = 8 }, value);
}
