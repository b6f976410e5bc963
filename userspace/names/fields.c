// SPDX-License-Identifier: GPL-2.0
/* Name the field that lies at an offset of an object. */
#include <dwarf.h>
#include <string.h>

#include "type_text.h"

#define DEPTH		32
#define DIMENSIONS	16
#define STEPS		4096	/* of one walk; in a damaged file a type may contain itself */

/* What a walk to an offset found, from worse to better. */
enum found {
	FOUND_NONE,		/* no part, and nothing was added to the text */
	FOUND_PADDING,
	FOUND_PART
};

/* The best that was found at an offset, where a union or bit-fields may have several members. */
struct offers {
	struct type_text offer[4];	/* alternatives that are spelled out */
	unsigned int nr;
	bool more;			/* there are more than these */
	enum found best;
};

static void offers_take(struct offers *offers, enum found found, const struct type_text *text)
{
	if (found == FOUND_NONE || found < offers->best ||
	    (offers->nr && found == FOUND_PADDING))
		return;
	if (found > offers->best)
		offers->nr = 0;
	offers->best = found;
	if (offers->nr < sizeof(offers->offer) / sizeof(offers->offer[0]))
		offers->offer[offers->nr++] = *text;
	else
		offers->more = true;
}

/* Add the path that was found, or several as ".{a|b}". */
static void offers_add(struct type_text *text, const struct offers *offers)
{
	unsigned int i;

	if (offers->nr == 1) {
		type_text_add(text, "%s", offers->offer[0].text);
		return;
	}
	type_text_add(text, ".{");
	for (i = 0; i < offers->nr; i++)
		type_text_add(text, "%s%s", i ? "|" : "",
			      offers->offer[i].text + (offers->offer[i].text[0] == '.'));
	type_text_add(text, offers->more ? "|...}" : "}");
}

static enum found walk(struct type_text *text, Dwarf_Die *type, __u64 offset,
		       unsigned int depth, unsigned int *steps);

/* The offset of a member or base; false: only the running program knows it (virtual bases). */
static bool member_offset(Dwarf_Die *member, __u64 *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	Dwarf_Op *expression;
	size_t length;

	*offset = 0;
	if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute))
		return true;
	if (!dwarf_formudata(&attribute, &value)) {
		*offset = value;
		return true;
	}
	if (dwarf_getlocation(&attribute, &expression, &length) || length != 1 ||
	    expression->atom != DW_OP_plus_uconst)
		return false;
	*offset = expression->number;
	return true;
}

bool type_bits(Dwarf_Die *member, __u64 *first, __u64 *bits)
{
	__u64 offset, at, size;
	Dwarf_Die type;

	if (!die_number(member, DW_AT_bit_size, bits))
		return false;
	if (die_number(member, DW_AT_data_bit_offset, first))
		return true;
	if (!member_offset(member, &offset))
		return false;
	*first = 8 * offset;
	if (!die_number(member, DW_AT_bit_offset, &at))
		return true;
	/* This older form counts from the high end of a unit of storage. */
	if (!die_number(member, DW_AT_byte_size, &size))
		size = type_of(member, &type) ? type_size(&type) : 0;
	if (size > 16 || at > 8 * size || *bits > 8 * size - at)
		return false;
	*first += 8 * size - at - *bits;
	return true;
}

bool type_extent_holds(const struct type_extent *extent, __u64 offset, __u64 *rest)
{
	*rest = extent->bits ? 0 : offset - extent->start;
	return extent->start <= offset && offset <= extent->last;
}

/* Is it a standard atomic type? The library's members in it mean nothing to the user. */
static bool is_opaque(Dwarf_Die *type)
{
	struct type_text scope = { 0 };
	const char *name = dwarf_diename(type);

	if (!name || (strncmp(name, "atomic<", 7) && strcmp(name, "atomic_flag") &&
		      strncmp(name, "Atomic", 6)))
		return false;
	type_scope(&scope, type);
	return !strncmp(scope.text, *name == 'A' ? "core::sync::atomic" : "std::",
			*name == 'A' ? 18 : 5);
}

/* What the standard library of Rust wraps things in, and the member that has them. */
static const struct wrapper {
	const char *type, *scope, *member;
	bool counts;		/* references, so people have only its inside */
} wrappers[] = {
	{ "UnsafeCell<", "core::cell::", "value", false },
	{ "Cell<", "core::cell::", "value", false },
	{ "ArcInner<", "alloc::sync::", "data", true },
	{ "RcInner<", "alloc::rc::", "value", true },
	{ "RcBox<", "alloc::rc::", "value", true },	/* its older name */
};

static const struct wrapper *wrapper_of(Dwarf_Die *type)
{
	struct type_text scope = { 0 };
	const char *name = dwarf_diename(type);
	size_t i;

	for (i = 0; name && i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		if (strncmp(name, wrappers[i].type, strlen(wrappers[i].type)))
			continue;
		type_scope(&scope, type);
		return strcmp(scope.text, wrappers[i].scope) ? NULL : &wrappers[i];
	}
	return NULL;
}

/*
 * Is it the member of std::array that holds the elements, in libstdc++ or libc++, or what a type of
 * Rust's wraps? It is left out of the path, because people name the array itself.
 */
static bool is_inside(const char *name, Dwarf_Die *whole)
{
	const struct wrapper *wrapper;

	if (!strcmp(name, "_M_elems") || !strcmp(name, "__elems_"))
		return true;
	if (strcmp(name, "value") && strcmp(name, "data"))
		return false;
	wrapper = wrapper_of(whole);
	return wrapper && !strcmp(name, wrapper->member);
}

/* Write the path of a member, and of what lies within it at the offset rest. */
static enum found walk_member(struct type_text *text, Dwarf_Die *whole, Dwarf_Die *member,
			      Dwarf_Die *type, __u64 rest, unsigned int depth,
			      unsigned int *steps)
{
	bool base = dwarf_tag(member) == DW_TAG_inheritance;
	const char *name = base ? dwarf_diename(type) : dwarf_diename(member);
	enum found found;
	size_t before;
	Dwarf_Die bare;

	if (base) {
		/* Write "obj.Base::field", as C++ itself names a base's member. */
		struct type_text inner = { 0 };
		const bool known = type_bare(type, &bare);

		found = known ? walk(&inner, &bare, rest, depth + 1, steps) : FOUND_NONE;
		if (!name && known)
			name = dwarf_diename(&bare);
		if (found == FOUND_NONE)
			type_text_add(text, ".%s", name ? name : "(base)");
		else
			type_text_add(text, ".%s::%s", name ? name : "(base)",
				      inner.text + (inner.text[0] == '.'));
		return found == FOUND_NONE ? FOUND_PART : found;
	}
	before = text->used;
	if (name && !is_inside(name, whole))
		type_text_add(text, ".%s", name);
	found = walk(text, type, rest, depth + 1, steps);
	/* A member without name and parts, such as padding by hand, gives no path. */
	if (found == FOUND_NONE && !name) {
		text->used = before;
		text->text[before] = '\0';
		return FOUND_NONE;
	}
	return found == FOUND_NONE ? FOUND_PART : found;
}

static bool has_parts(Dwarf_Die *type)
{
	Dwarf_Die bare, child;

	if (!type_bare(type, &bare))
		return false;
	DIE_EACH(child, &bare)
		if (die_is_part(&child))
			return true;
	return false;
}

/* A plain member, as most are: it has a type and a constant offset, and is no bit-field. */
struct plain {
	Dwarf_Attribute type;
	Dwarf_Word start;
	bool is_one, has_type;
};

static int look_attribute(Dwarf_Attribute *attribute, void *context)
{
	struct plain *plain = context;

	switch (dwarf_whatattr(attribute)) {
	case DW_AT_type:
		plain->type = *attribute;
		plain->has_type = true;
		break;
	case DW_AT_data_member_location:
		plain->is_one &= !dwarf_formudata(attribute, &plain->start);
		break;
	case DW_AT_external:
	case DW_AT_const_value:
	case DW_AT_bit_size:
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		plain->is_one = false;
		break;
	default:
		break;
	}
	return plain->is_one ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/*
 * Read a plain member in one walk over its attributes, because libdw walks over them once or three
 * times to look up a single one. False: the member is not plain.
 */
static bool take_plain(Dwarf_Die *child, struct plain *plain)
{
	*plain = (struct plain){ .is_one = dwarf_tag(child) == DW_TAG_member };
	if (!plain->is_one)
		return false;
	dwarf_getattrs(child, look_attribute, plain, 0);
	return plain->is_one && plain->has_type;
}

/* Does no part with a size follow? */
static bool is_last(Dwarf_Die *member)
{
	Dwarf_Die next = *member, type;

	while (!dwarf_siblingof(&next, &next))
		if (die_is_part(&next) && type_of(&next, &type) && type_size(&type))
			return false;
	return true;
}

/* The bytes that a member of a type takes at start; false: none, or they are not known. */
static bool extent_from(Dwarf_Die *member, Dwarf_Die *type, __u64 start,
			struct type_extent *extent)
{
	__u64 size = type_size(type);
	Dwarf_Die bare;

	/* Between others, an array without a size only marks a place, as in the kernel. */
	if (!size && (!type_bare(type, &bare) || dwarf_tag(&bare) != DW_TAG_array_type ||
		      !is_last(member)))
		return false;
	*extent = (struct type_extent){ start, ~0ULL, false };
	if (size && start + size > start)
		extent->last = start + size - 1;
	return true;
}

/* The bytes of a member. A flexible array has no size, and holds all that follows its start. */
static bool find_extent(Dwarf_Die *member, Dwarf_Die *type, struct type_extent *extent)
{
	__u64 start, first, bits;

	if (type_bits(member, &first, &bits)) {
		*extent = (struct type_extent){ first / 8, (first + bits - 1) / 8, true };
		return bits;
	}
	return member_offset(member, &start) && extent_from(member, type, start, extent);
}

static bool extent_of_rare(Dwarf_Die *child, Dwarf_Die *type, struct type_extent *extent)
{
	return die_is_part(child) && type_of(child, type) && find_extent(child, type, extent) &&
	       (dwarf_tag(child) != DW_TAG_inheritance || has_parts(type));
}

bool type_extent(Dwarf_Die *child, Dwarf_Die *type, struct type_extent *extent)
{
	struct plain plain;

	if (!take_plain(child, &plain))
		return extent_of_rare(child, type, extent);
	return dwarf_formref_die(&plain.type, type) &&
	       extent_from(child, type, plain.start, extent);
}

static bool part_at(Dwarf_Die *child, Dwarf_Die *type, __u64 offset, __u64 *rest)
{
	struct type_extent extent;
	struct plain plain;

	if (!take_plain(child, &plain))
		return extent_of_rare(child, type, &extent) &&
		       type_extent_holds(&extent, offset, rest);
	/* Check the start first: in a large structure most members begin further on. */
	return plain.start <= offset && dwarf_formref_die(&plain.type, type) &&
	       extent_from(child, type, plain.start, &extent) &&
	       type_extent_holds(&extent, offset, rest);
}

/*
 * May this part hold the offset although its extent is not known? That is so if only the running
 * program knows its place, or if this unit only declares its type.
 */
static bool may_hold(Dwarf_Die *child, __u64 offset)
{
	Dwarf_Die type, bare;
	__u64 start;

	if (dwarf_tag(child) == DW_TAG_variant_part)
		return true;
	if (!die_is_part(child) || dwarf_hasattr_integrate(child, DW_AT_bit_size))
		return false;
	if (!member_offset(child, &start))
		return true;
	return offset >= start && type_of(child, &type) && type_bare(&type, &bare) &&
	       dwarf_hasattr(&bare, DW_AT_declaration);
}

/*
 * Name all members that hold the offset. Several may, in a union or as bit-fields. What is padding
 * in one member of a union may be a field of another one.
 */
static enum found walk_struct(struct type_text *text, Dwarf_Die *type, __u64 offset,
			      unsigned int depth, unsigned int *steps)
{
	struct offers offers;
	struct type_text next;
	Dwarf_Die child, inner;
	enum found found;
	__u64 rest;

	if (dwarf_child(type, &child))
		return FOUND_NONE;
	/* Cheaper than zeroing all: offer[] is only read up to nr. */
	offers.nr = 0;
	offers.more = false;
	offers.best = FOUND_NONE;
	do {
		if (!part_at(&child, &inner, offset, &rest))
			continue;
		next = (struct type_text){ 0 };
		found = walk_member(&next, type, &child, &inner, rest, depth, steps);
		offers_take(&offers, found, &next);
	} while (!dwarf_siblingof(&child, &child));
	if (offers.nr) {
		offers_add(text, &offers);
		return offers.best;
	}
	DIE_EACH(child, type)
		if (may_hold(&child, offset))
			return FOUND_NONE;
	type_text_add(text, ".(padding)");
	return FOUND_PADDING;
}

static enum found walk_array(struct type_text *text, Dwarf_Die *array, __u64 offset,
			     unsigned int depth, unsigned int *steps)
{
	__u64 dimension[DIMENSIONS], at[DIMENSIONS], size, index, ordering = DW_ORD_row_major;
	__s64 first[DIMENSIONS];
	unsigned int nr = 0, i, place;
	Dwarf_Die element, range;
	enum found found;

	/* In Fortran, an allocatable array: what is here says where the elements are. */
	if (!type_of(array, &element) || dwarf_hasattr(array, DW_AT_data_location))
		return FOUND_NONE;
	if (!die_number(array, DW_AT_byte_stride, &size))
		size = type_size(&element);
	if (!size)
		return FOUND_NONE;
	DIE_EACH(range, array) {
		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		if (nr == DIMENSIONS)
			return FOUND_NONE;
		first[nr] = type_first(&range);
		dimension[nr++] = type_dimension(&range);
	}
	if (!nr)
		return FOUND_NONE;
	die_number(array, DW_AT_ordering, &ordering);
	index = offset / size;
	/* From the dimension whose elements are neighbours on. Only the last one may be open. */
	for (i = 0; i < nr; i++) {
		place = ordering == DW_ORD_col_major ? i : nr - 1 - i;
		at[place] = index;
		if (i + 1 == nr)
			break;
		if (!dimension[place] || dimension[place] == ~0ULL)
			return FOUND_NONE;
		at[place] = index % dimension[place];
		index /= dimension[place];
	}
	for (i = 0; i < nr; i++)
		type_text_add(text, "[%lld]", first[i] + (__s64)at[i]);
	found = walk(text, &element, offset % size, depth + 1, steps);
	return found == FOUND_NONE ? FOUND_PART : found;
}

static enum found walk(struct type_text *text, Dwarf_Die *type, __u64 offset,
		       unsigned int depth, unsigned int *steps)
{
	Dwarf_Die bare;

	if (depth > DEPTH || ++*steps > STEPS || !type_bare(type, &bare))
		return FOUND_NONE;
	if (dwarf_tag(&bare) == DW_TAG_array_type)
		return walk_array(text, &bare, offset, depth, steps);
	if (!die_is_compound(&bare) || is_opaque(&bare))
		return FOUND_NONE;
	return walk_struct(text, &bare, offset, depth, steps);
}

const char *type_field(struct pool *pool, Dwarf_Die *type, __u64 offset)
{
	struct type_text text = { 0 };
	unsigned int steps = 0;

	return walk(&text, type, offset, 0, &steps) == FOUND_NONE || !text.used ? NULL :
	       pool_text(pool, text.text);
}

void type_unwrap(Dwarf_Die *type, __u64 *offset)
{
	const struct wrapper *wrapper;
	Dwarf_Die bare, child, inner;
	__u64 rest;

	if (!type_bare(type, &bare) || !die_is_compound(&bare))
		return;
	wrapper = wrapper_of(&bare);
	if (!wrapper || !wrapper->counts)
		return;
	DIE_EACH(child, &bare) {
		const char *name = dwarf_diename(&child);

		if (!name || strcmp(name, wrapper->member) ||
		    !part_at(&child, &inner, *offset, &rest))
			continue;
		*type = inner;
		*offset = rest;
		return;
	}
}
