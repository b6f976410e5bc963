// SPDX-License-Identifier: GPL-2.0
#include "btf_member.h"

#include <linux/btf.h>
#include <string.h>

#define DEPTH		8
#define KIND_OF(info)	((info) >> 24 & 0x7f)
#define NUMBER_IN(info)	((info) & 0xffffff)

static bool is_compound(const struct btf_type *type)
{
	return KIND_OF(type->info) == BTF_KIND_STRUCT || KIND_OF(type->info) == BTF_KIND_UNION;
}

__u64 btf_struct_size(const struct btf *btf, const char *name)
{
	const struct btf_type *type = btf_named(btf, BTF_KIND_STRUCT, name);

	return type ? type->size : 0;
}

/* Of a member's type, as far as members are looked for: numbers, pointers, and arrays of them. */
static __u64 size_of(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf_type(btf, id);
	const struct btf_array *array;
	__u64 nr = 1;
	unsigned int depth;

	for (depth = 0; type && depth < DEPTH; depth++) {
		switch (KIND_OF(type->info)) {
		case BTF_KIND_PTR:
			return 8 * nr;
		case BTF_KIND_INT:
		case BTF_KIND_ENUM:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			return type->size * nr;
		case BTF_KIND_ARRAY:
			array = (const void *)(type + 1);
			if (depth)	/* of an array: what is damaged may go on so */
				return 0;
			nr = array->nelems;
			type = btf_type(btf, array->type);
			break;
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_TYPE_TAG:
			type = btf_type(btf, type->type);
			break;
		default:
			return 0;
		}
	}
	return 0;
}

static bool find(const struct btf *btf, const struct btf_type *type, const char *wanted,
		 __u64 before, unsigned int depth, struct btf_place *place)
{
	const struct btf_member *member = (const void *)(type + 1);
	__u32 i;

	for (i = 0; i < NUMBER_IN(type->info); i++, member++) {
		const char *name = btf_text(btf, member->name_off);
		const struct btf_type *inner = btf_type(btf, member->type);
		__u32 bit = member->offset, bits = 0;

		if (BTF_INFO_KFLAG(type->info)) {
			bit = BTF_MEMBER_BIT_OFFSET(member->offset);
			bits = BTF_MEMBER_BITFIELD_SIZE(member->offset);
		}
		if (!*name && inner && is_compound(inner) && depth < DEPTH &&
		    find(btf, inner, wanted, before + bit / 8, depth + 1, place))
			return true;
		if (strcmp(name, wanted))
			continue;
		*place = (struct btf_place){
			before + bit / 8,
			bits ? (bit % 8 + bits + 7) / 8 : size_of(btf, member->type),
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

	return type && find(btf, type, member, 0, 0, place);
}

bool btf_constant(const struct btf *btf, const char *name, __u32 *value)
{
	__u32 id, i;

	for (id = 1; id < btf_end(btf); id++) {
		const struct btf_type *type = btf_type(btf, id);
		const struct btf_enum *row;

		if (!type || KIND_OF(type->info) != BTF_KIND_ENUM)
			continue;
		row = (const void *)(type + 1);
		for (i = 0; i < NUMBER_IN(type->info); i++)
			if (!strcmp(btf_text(btf, row[i].name_off), name)) {
				*value = (__u32)row[i].val;
				return true;
			}
	}
	return false;
}
