// SPDX-License-Identifier: GPL-2.0
#include "btf.h"

#include <linux/btf.h>
#include <string.h>

#define DEPTH		8

static bool is_compound(const struct btf_type *type)
{
	return BTF_KIND_OF(type) == BTF_KIND_STRUCT || BTF_KIND_OF(type) == BTF_KIND_UNION;
}

__u64 btf_struct_size(const struct btf *btf, const char *name)
{
	const struct btf_type *type = btf_named(btf, BTF_KIND_STRUCT, name);

	return type ? type->size : 0;
}

static bool find_member(const struct btf *btf, const struct btf_type *type, const char *wanted,
			__u64 before, unsigned int depth, struct btf_place *place)
{
	const struct btf_member *member = (const void *)(type + 1);
	__u32 i;

	for (i = 0; i < BTF_NUMBER_IN(type); i++, member++) {
		const char *name = btf_text(btf, member->name_off);
		const struct btf_type *inner = btf_type(btf, member->type);
		__u32 bit = member->offset, bits = 0;

		if (BTF_INFO_KFLAG(type->info)) {
			bit = BTF_MEMBER_BIT_OFFSET(member->offset);
			bits = BTF_MEMBER_BITFIELD_SIZE(member->offset);
		}
		if (!*name && inner && is_compound(inner) && depth < DEPTH &&
		    find_member(btf, inner, wanted, before + bit / 8, depth + 1, place))
			return true;
		if (strcmp(name, wanted))
			continue;
		*place = (struct btf_place){
			before + bit / 8,
			bits ? (bit % 8 + bits + 7) / 8 : btf_size(btf, member->type),
			bit % 8, bits,
		};
		return place->size;
	}
	return false;
}

bool btf_member(const struct btf *btf, const char *structure, const char *member,
		struct btf_place *place)
{
	const struct btf_type *type = btf_named(btf, BTF_KIND_STRUCT, structure);

	return type && find_member(btf, type, member, 0, 0, place);
}

bool btf_constant(const struct btf *btf, const char *name, __u32 *value)
{
	__u32 id, i;

	for (id = 1; id < btf_end(btf); id++) {
		const struct btf_type *type = btf_type(btf, id);
		const struct btf_enum *row;

		if (!type || BTF_KIND_OF(type) != BTF_KIND_ENUM)
			continue;
		row = (const void *)(type + 1);
		for (i = 0; i < BTF_NUMBER_IN(type); i++)
			if (!strcmp(btf_text(btf, row[i].name_off), name)) {
				*value = (__u32)row[i].val;
				return true;
			}
	}
	return false;
}

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
