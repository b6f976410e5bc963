// SPDX-License-Identifier: GPL-2.0
#include "operand_type.h"

#include <dwarf.h>
#include <stdlib.h>

#include "../util/xalloc.h"
#include "type_text.h"

#define ARRAYS	16	/* arrays of arrays of ... */
#define LOOKED	512	/* bytes of an object in which the widest number is looked for */

void operand_types_free(struct operand_types *types)
{
	while (types->nr)
		free(types->rows[--types->nr]);
	free(types->rows);
	name_cache_free(&types->by_die);
	name_cache_free(&types->by_name);
	name_cache_free(&types->loaded);
	name_cache_free(&types->parts);
	type_shapes_free(&types->shapes);
	*types = (struct operand_types){ 0 };
}

const struct operand_type *operand_type_at(const struct operand_types *types, __u32 number)
{
	return number && number <= types->nr ? types->rows[number - 1] : NULL;
}

/* Raise *context to the size of the widest number in an object. */
static bool widest(void *context, const struct type_leaf *leaf)
{
	__u32 *align = context;
	__u64 size = leaf->size;

	if (!leaf->offset && size && size <= 8 && !(size & (size - 1)) && size > *align)
		*align = (__u32)size;
	return true;
}

static __u32 align_of(struct type_shape *shape, Dwarf_Die *die, __u64 size)
{
	__u32 align = 1;
	__u64 said, at;

	if (die_number(die, DW_AT_alignment, &said) && said && said <= 4096 &&
	    !(said & (said - 1)))
		return (__u32)said;
	for (at = 0; align < 8 && at < size && at < LOOKED; at += 8)
		type_shape_leaves(shape, at, widest, &align);
	/* A packed structure has a size that does not fit the alignment of its members. */
	while (align > 1 && size % align)
		align /= 2;
	return align;
}

/* Answers as pointers that are never NULL. */
static const void *as_known(__u32 answer)
{
	return (const void *)((uintptr_t)answer + 1);
}

static bool known(const struct name_cache *memo, struct name_cache_key key, __u32 *answer)
{
	const void *found = name_cache_find(memo, key);

	if (found)
		*answer = (__u32)((uintptr_t)found - 1);
	return found;
}

static __u32 number_of(struct operand_types *types, Dwarf_Die *bare)
{
	struct name_cache_key die = { .address = (__u64)(uintptr_t)bare->addr };
	struct operand_type row = { .die = *bare };
	struct name_cache_key name;
	__u32 number;

	if (known(&types->by_die, die, &number))
		return number;
	row.size = type_size(bare);
	row.shape = row.size ? type_shape(&types->shapes, bare) : NULL;
	if (!row.shape)
		return 0;
	row.compound = die_is_compound(bare);
	row.identity = type_shape_identity(row.shape);
	name = (struct name_cache_key){ .address = row.identity };
	if (!known(&types->by_name, name, &number)) {
		row.align = align_of(row.shape, bare, row.size);
		ARRAY_GROW(types->rows, types->nr + 1, types->room);
		types->rows[types->nr] = xmalloc(sizeof(row));
		*types->rows[types->nr++] = row;
		number = (__u32)types->nr;
		name_cache_keep(&types->by_name, name, as_known(number));
	}
	name_cache_keep(&types->by_die, die, as_known(number));
	return number;
}

__u32 operand_type_number(struct operand_types *types, Dwarf_Die *type)
{
	unsigned int depth;
	Dwarf_Die bare;

	if (!type_bare(type, &bare))
		return 0;
	for (depth = 0; dwarf_tag(&bare) == DW_TAG_array_type; depth++)
		if (depth == ARRAYS || !type_of(&bare, &bare) || !type_bare(&bare, &bare))
			return 0;
	return dwarf_tag(&bare) == DW_TAG_subroutine_type ? 0 : number_of(types, &bare);
}

__u32 operand_type_pointee(struct operand_types *types, Dwarf_Die *type)
{
	Dwarf_Die bare, inner;

	return type_bare(type, &bare) && die_is_pointer(&bare) && type_of(&bare, &inner) ?
	       operand_type_number(types, &inner) : 0;
}

/* The pointers and other members that a union has at one place. */
struct union_pointers {
	struct operand_types *types;
	__u32 number;
	bool several;
};

static bool look_loaded(void *context, const struct type_leaf *leaf)
{
	struct union_pointers *loaded = context;
	Dwarf_Die type = leaf->type;
	__u32 number;

	if (leaf->offset || leaf->bits || !die_is_pointer(&type))
		return true;
	number = operand_type_pointee(loaded->types, &type);
	if (loaded->number && number != loaded->number)
		loaded->several = true;
	/* In a union, "void *" beside another pointer may be any type. */
	if (!number)
		loaded->several = true;
	loaded->number = number;
	return !loaded->several;
}

__u32 operand_type_loaded(struct operand_types *types, __u32 number, __u64 offset)
{
	const struct name_cache_key key = { .address = offset, .space = number };
	struct union_pointers loaded = { .types = types };
	__u32 answer;

	if (!number || number > types->nr)
		return 0;
	if (known(&types->loaded, key, &answer))
		return answer;
	type_shape_leaves(types->rows[number - 1]->shape, offset, look_loaded, &loaded);
	answer = loaded.several ? 0 : loaded.number;
	name_cache_keep(&types->loaded, key, as_known(answer));
	return answer;
}

/* The parts at a place, which the access has to fit. */
struct parts {
	__u64 width, step;
	bool any;		/* something but padding */
	bool holds;		/* one holds all bytes */
	bool stepped;		/* that one is in an array that the steps walk through */
};

static bool look_parts(void *context, const struct type_leaf *leaf)
{
	struct parts *parts = context;
	bool inside = leaf->bits || !leaf->size || leaf->offset + parts->width <= leaf->size;
	bool stepped = leaf->stride && !(parts->step % leaf->stride);

	parts->any = true;
	parts->holds |= inside;
	parts->stepped |= stepped;
	return true;
}

/* Without steps, the answer for a type, offset and width is always the same, so keep it. */
static void find_parts(struct operand_types *types, __u32 number, __u64 within,
		       struct parts *parts)
{
	const struct name_cache_key key = {
		.address = within, .space = number, .gen = (__u32)parts->width,
	};
	__u32 answer;

	if (parts->step || !known(&types->parts, key, &answer)) {
		type_shape_leaves(types->rows[number - 1]->shape, within, look_parts, parts);
		answer = parts->any | parts->holds << 1;
		if (!parts->step)
			name_cache_keep(&types->parts, key, as_known(answer));
	}
	parts->any = answer & 1;
	parts->holds = answer >> 1;
}

static __s64 modulo(__s64 offset, __u64 by)
{
	__s64 rest = offset % (__s64)by;

	return rest < 0 ? rest + (__s64)by : rest;
}

enum operand_fit operand_type_fits(struct operand_types *types, __u32 number, __s64 *offset,
				   __u64 step, unsigned int width, enum operand_place *place)
{
	const struct operand_type *type = operand_type_at(types, number);
	struct parts parts = { .width = width, .step = step };
	__u64 within;

	*place = PLACE_EXACT;
	if (!type || !type->size || type->size > 1ULL << 40)
		return FIT_NONE;
	if (step && !(step % type->size)) {
		*offset = modulo(*offset, type->size);
		parts.step = step = 0;
	}
	if (*offset < 0)
		return FIT_NONE;
	within = (__u64)*offset;
	/* A plain number may be one of an array of numbers anywhere, which says nothing. */
	if (!type->compound)
		return !step && within + width <= type->size ? FIT_MEMBER : FIT_NONE;
	find_parts(types, number, within, &parts);
	if (!parts.any)
		return FIT_NONE;
	if (step) {
		if (!parts.stepped)
			return FIT_NONE;
		*place = PLACE_WITHIN;
		return parts.holds ? FIT_MEMBER : FIT_TYPE;
	}
	/* Past the end there can only be a flexible array. */
	if (within + width > type->size && within < type->size)
		return FIT_NONE;
	return parts.holds ? FIT_MEMBER : FIT_TYPE;
}

bool operand_type_holds(const struct operand_type *outer, __u64 offset,
			const struct operand_type *inner)
{
	return outer->size >= inner->size &&
	       type_shape_holds(outer->shape, offset, inner->identity);
}
