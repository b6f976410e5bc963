// SPDX-License-Identifier: GPL-2.0
#include "members.h"

#include <dwarf.h>
#include <string.h>

#include "../util/number.h"
#include "type_text.h"

#define DEPTH		32
#define STEPS_MAX	(1U << 18)	/* types that are looked at for the members' alignments */
#define MEMBERS_MAX	4096
#define ALIGN_MAX	(1U << 20)
#define SIZE_MAX_BITS	40	/* bits of a count of bytes; a file with a larger one is damaged */

static __u32 align_of(Dwarf_Die *type, unsigned int depth, unsigned int *steps);

/* An alignment that the source asks for; 0: none. */
static __u32 said_align(Dwarf_Die *die)
{
	__u64 said;

	if (!die_number(die, DW_AT_alignment, &said) || said > ALIGN_MAX || said & (said - 1))
		return 0;
	return (__u32)said;
}

/* The largest alignment of the members and base classes; 0: not known, or the type is packed. */
static __u32 align_of_parts(Dwarf_Die *bare, unsigned int depth, unsigned int *steps)
{
	__u32 align = 1, part;
	Dwarf_Die child, type;
	__u64 offset;

	DIE_EACH(child, bare) {
		if (!die_is_part(&child) || !type_of(&child, &type))
			continue;
		part = align_of(&type, depth + 1, steps);
		if (said_align(&child) > part && part)
			part = said_align(&child);
		if (!part)
			return 0;
		/* A member at a place that does not fit its alignment shows a packed type. */
		if (!dwarf_hasattr_integrate(&child, DW_AT_bit_size) &&
		    die_number(&child, DW_AT_data_member_location, &offset) && offset % part)
			return 0;
		if (part > align)
			align = part;
	}
	return type_size(bare) % align ? 0 : align;
}

static __u32 align_of_number(Dwarf_Die *bare)
{
	__u64 size = type_size(bare), encoding = 0;

	die_number(bare, DW_AT_encoding, &encoding);
	if (encoding == DW_ATE_complex_float)
		size /= 2;
	return size && size <= 16 && !(size & (size - 1)) ? (__u32)size : 0;
}

static __u32 align_of(Dwarf_Die *type, unsigned int depth, unsigned int *steps)
{
	const __u32 said = said_align(type);
	Dwarf_Die inner;
	__u64 size;

	if (depth > DEPTH || ++*steps > STEPS_MAX)
		return 0;
	if (said)
		return said;
	switch (dwarf_tag(type)) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
		return type_of(type, &inner) ? align_of(&inner, depth + 1, steps) : 0;
	case DW_TAG_atomic_type:
		/* Atomic types of up to 16 bytes are aligned to their size. */
		size = type_size(type);
		return size && size <= 16 && !(size & (size - 1)) ? (__u32)size : 0;
	case DW_TAG_array_type:
		if (dwarf_hasattr_integrate(type, DW_AT_GNU_vector)) {
			size = type_size(type);
			return size && size <= 64 && !(size & (size - 1)) ? (__u32)size : 0;
		}
		return type_of(type, &inner) ? align_of(&inner, depth + 1, steps) : 0;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return dwarf_hasattr(type, DW_AT_declaration) ? 0 :
			align_of_parts(type, depth, steps);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return 8;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		return align_of_number(type);
	default:
		return 0;
	}
}

bool members_of_c(Dwarf_Die *type)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(type, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a:	/* C++17 and C++20: elfutils before 0.191 has no constants for them */
	case 0x2b:
	case -1:	/* dwz moved it away from its unit; its members' places are checked */
		return true;
	default:
		return !type_has_scopes(type);
	}
}

/* A part's place in bits; false: DWARF has it in a form that today's compilers do not write. */
static bool part_offset(Dwarf_Die *die, struct record_part *part)
{
	__u64 offset = 0, bits;

	if (part->bits)
		return type_bits(die, &part->bit, &bits);
	if (dwarf_hasattr_integrate(die, DW_AT_data_member_location) &&
	    !die_number(die, DW_AT_data_member_location, &offset))
		return false;
	part->bit = 8 * offset;
	return !(offset >> SIZE_MAX_BITS);
}

/* Fill in a member. Returns NULL, or why the structure's layout can't be predicted. */
static const char *take_member(struct pool *pool, struct member *member, Dwarf_Die *die,
			       unsigned int *steps)
{
	const char *name = dwarf_diename(die);
	__u64 bits = 0;

	member->die = *die;
	if (dwarf_hasattr_integrate(die, DW_AT_artificial))
		return "it has virtual functions";
	if (!type_of(die, &member->type))
		return "a member's type is not known";
	member->name = name ? pool_text(pool, name) : NULL;
	member->part.size = type_size(&member->type);
	member->part.nameless = !name;
	member->part.align = align_of(&member->type, 0, steps);
	member->part.said = said_align(die);
	if (member->part.size >> SIZE_MAX_BITS)
		return "a member is larger than memory";
	if (!member->part.align)
		return "a member's type is packed, or its alignment is not known";
	if (die_number(die, DW_AT_bit_size, &bits)) {
		if (!bits || !member->part.size || bits > 8 * member->part.size)
			return "a bit-field is not as C has them";
		member->part.bits = (__u32)bits;
	}
	return part_offset(die, &member->part) ? NULL :
		"its debug information has bit-fields in an old form (-gdwarf-5 has the new one)";
}

/* Returns NULL if each member is where the rules of C put it, or else why not. */
static const char *check_places(struct pool *pool, struct members *members)
{
	struct record_part *parts = pool_take(pool, (members->nr + 1) * sizeof(*parts));
	bool same = true;
	__u64 size;
	size_t i;

	for (i = 0; i < members->nr; i++)
		parts[i] = members->member[i].part;
	size = record_place(parts, members->nr, members->is_union, members->said);
	for (i = 0; i < members->nr; i++)
		same &= parts[i].bit == members->member[i].part.bit;
	/* In C++ an empty class has a size of one byte. */
	if (members->cxx && !members->nr)
		size = 1;
	same &= size == members->size;
	return same ? NULL : "its members are not where a compiler would put them: it is packed, or has bit-fields without a name";
}

bool members_take(struct pool *pool, struct members *members, Dwarf_Die *type)
{
	unsigned int steps = 0;
	const char *name;
	Dwarf_Die child;
	size_t room = 0;

	memset(members, 0, sizeof(*members));
	if (!type_bare(type, &members->type) || !die_is_compound(&members->type))
		return false;
	members->is_union = dwarf_tag(&members->type) == DW_TAG_union_type;
	name = dwarf_diename(&members->type);
	members->name = name ? pool_text(pool, name) : NULL;
	members->size = type_size(&members->type);
	members->said = said_align(&members->type);
	members->cxx = type_has_scopes(&members->type);
	if (!members_of_c(&members->type))
		members->why = MEMBERS_NOT_OF_C;
	else if (dwarf_hasattr(&members->type, DW_AT_declaration) || members->size >> SIZE_MAX_BITS)
		members->why = "it is only declared here";
	else if (name && strchr(name, '<'))
		members->why = "it is an instance of a template";
	if (members->why || dwarf_child(&members->type, &child))
		return true;
	DIE_EACH(child, &members->type)
		room += die_is_part(&child);
	if (room > MEMBERS_MAX) {
		members->why = "it has too many members";
		return true;
	}
	members->member = pool_take(pool, (room + 1) * sizeof(*members->member));
	DIE_EACH(child, &members->type) {
		members->methods |= dwarf_tag(&child) == DW_TAG_subprogram &&
				    !dwarf_hasattr_integrate(&child, DW_AT_artificial);
		if (members->why || !die_is_part(&child))
			continue;
		if (dwarf_tag(&child) == DW_TAG_inheritance)
			members->why = "it inherits from another class, whose members come first";
		else
			members->why = take_member(pool, &members->member[members->nr++], &child,
						   &steps);
	}
	if (!members->why)
		members->why = check_places(pool, members);
	return true;
}

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
