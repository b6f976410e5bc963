// SPDX-License-Identifier: GPL-2.0
#include "operand_type.h"

#include <dwarf.h>
#include <string.h>
#include <xxhash.h>

#include "type_text.h"

#define DEPTH	32
#define NESTED	16	/* structures in structures, and arrays of arrays */
#define STEPS	4096	/* of one walk; in a damaged file a type may contain itself */

enum kind {
	KIND_OTHER,
	KIND_COMPOUND,
	KIND_ARRAY
};

struct part {
	struct type_extent extent;
	Dwarf_Die type;
	struct type_shape *shape;	/* NULL: not looked up yet, or the type has none */
};

struct type_shape {
	struct type_shapes *all;
	Dwarf_Die die;		/* without typedefs and qualifiers */
	enum kind kind;
	__u64 size;		/* 0: not known */
	__u64 identity;		/* 0: not computed yet */
	bool listed;		/* parts have been read */
	struct part *parts;	/* members and bases; for an array, its element */
	size_t nr;
};

void type_shapes_free(struct type_shapes *shapes)
{
	name_cache_free(&shapes->by_die);
	pool_free(&shapes->pool);
	*shapes = (struct type_shapes){ 0 };
}

static enum kind kind_of(Dwarf_Die *bare)
{
	if (die_is_compound(bare))
		return KIND_COMPOUND;
	return dwarf_tag(bare) == DW_TAG_array_type ? KIND_ARRAY : KIND_OTHER;
}

struct type_shape *type_shape(struct type_shapes *shapes, Dwarf_Die *type)
{
	struct type_shape *shape;
	struct name_cache_key key;
	Dwarf_Die bare;

	if (!type_bare(type, &bare))
		return NULL;
	key = (struct name_cache_key){ .address = (__u64)(uintptr_t)bare.addr };
	shape = (struct type_shape *)name_cache_find(&shapes->by_die, key);
	if (shape)
		return shape;
	shape = pool_take(&shapes->pool, sizeof(*shape));
	*shape = (struct type_shape){
		.all = shapes, .die = bare, .kind = kind_of(&bare), .size = type_size(&bare),
	};
	name_cache_keep(&shapes->by_die, key, shape);
	return shape;
}

static void list_members(struct type_shape *shape)
{
	struct type_extent extent;
	Dwarf_Die child, type;
	size_t room = 0;

	DIE_EACH(child, &shape->die)
		room++;
	shape->parts = pool_take(&shape->all->pool, room * sizeof(*shape->parts));
	DIE_EACH(child, &shape->die)
		if (type_extent(&child, &type, &extent))
			shape->parts[shape->nr++] = (struct part){ .extent = extent, .type = type };
}

static void list_element(struct type_shape *shape)
{
	Dwarf_Die type;

	if (!type_of(&shape->die, &type))
		return;
	shape->parts = pool_take(&shape->all->pool, sizeof(*shape->parts));
	shape->parts[shape->nr++] = (struct part){ .type = type };
}

static void list_parts(struct type_shape *shape)
{
	if (shape->listed)
		return;
	shape->listed = true;
	if (shape->kind == KIND_COMPOUND)
		list_members(shape);
	else if (shape->kind == KIND_ARRAY)
		list_element(shape);
}

static struct type_shape *shape_of(struct type_shape *shape, struct part *part)
{
	if (!part->shape)
		part->shape = type_shape(shape->all, &part->type);
	return part->shape;
}

/* The shape of an array's element; NULL: its size is not known. */
static struct type_shape *element_of(struct type_shape *array)
{
	struct type_shape *element;

	list_parts(array);
	element = array->nr ? shape_of(array, &array->parts[0]) : NULL;
	return element && element->size ? element : NULL;
}

struct leaves {
	bool (*look)(void *context, const struct type_leaf *leaf);
	void *context;
	unsigned int steps;
};

/* Returns false if look wants no more. */
static bool each_leaf(struct leaves *leaves, struct type_shape *shape, struct type_leaf leaf,
		      unsigned int depth)
{
	struct type_shape *element;
	size_t i;

	if (depth > DEPTH || ++leaves->steps > STEPS || !shape)
		return true;
	switch (shape->kind) {
	case KIND_COMPOUND:
		list_parts(shape);
		for (i = 0; i < shape->nr; i++) {
			struct part *part = &shape->parts[i];
			struct type_leaf next = leaf;

			if (!type_extent_holds(&part->extent, leaf.offset, &next.offset))
				continue;
			next.bits = part->extent.bits;
			if (!each_leaf(leaves, shape_of(shape, part), next, depth + 1))
				return false;
		}
		return true;
	case KIND_ARRAY:
		element = element_of(shape);
		if (!element)
			return true;
		leaf.offset %= element->size;
		leaf.stride = element->size;
		return each_leaf(leaves, element, leaf, depth + 1);
	default:
		leaf.type = shape->die;
		leaf.size = shape->size;
		return leaves->look(leaves->context, &leaf);
	}
}

void type_shape_leaves(struct type_shape *shape, __u64 offset,
		       bool (*look)(void *context, const struct type_leaf *leaf), void *context)
{
	struct leaves leaves = { .look = look, .context = context };

	each_leaf(&leaves, shape, (struct type_leaf){ .offset = offset }, 0);
}

/* The names of members, because two files may each have a structure of the same name. */
static __u64 hash_of_members(Dwarf_Die *die, __u64 hash)
{
	Dwarf_Die child;
	const char *name;

	DIE_EACH(child, die) {
		name = die_is_part(&child) ? dwarf_diename(&child) : NULL;
		if (name)
			hash = XXH3_64bits_withSeed(name, strlen(name), hash);
	}
	return hash;
}

__u64 type_shape_identity(struct type_shape *shape)
{
	const char *name = dwarf_diename(&shape->die);
	__u64 hash = (unsigned int)dwarf_tag(&shape->die);
	struct type_text text = { 0 };
	int line = 0;

	if (shape->identity)
		return shape->identity;
	if (!name) {
		shape->identity = (__u64)(uintptr_t)shape->die.addr;
		return shape->identity;
	}
	if (type_has_scopes(&shape->die))
		type_scope(&text, &shape->die);
	dwarf_decl_line(&shape->die, &line);
	type_text_add(&text, "%s %llu %d", name, shape->size, line);
	hash = hash_of_members(&shape->die, hash);
	shape->identity = XXH3_64bits_withSeed(text.text, text.used, hash);
	return shape->identity;
}

/* Does a structure with this identity begin at the offset, at any depth? */
static bool held_at(struct type_shape *shape, __u64 offset, __u64 identity, unsigned int depth,
		    unsigned int *steps)
{
	struct type_shape *element;
	__u64 rest;
	size_t i;

	if (depth > NESTED || ++*steps > STEPS || !shape || !shape->size)
		return false;
	switch (shape->kind) {
	case KIND_ARRAY:
		element = element_of(shape);
		return element &&
		       held_at(element, offset % element->size, identity, depth + 1, steps);
	case KIND_COMPOUND:
		if (!offset && type_shape_identity(shape) == identity)
			return true;
		list_parts(shape);
		for (i = 0; i < shape->nr; i++)
			if (type_extent_holds(&shape->parts[i].extent, offset, &rest) &&
			    held_at(shape_of(shape, &shape->parts[i]), rest, identity, depth + 1,
				    steps))
				return true;
		return false;
	default:
		return false;
	}
}

bool type_shape_holds(struct type_shape *shape, __u64 offset, __u64 identity)
{
	unsigned int steps = 0;

	return held_at(shape, offset, identity, 0, &steps);
}
