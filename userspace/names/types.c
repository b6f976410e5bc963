// SPDX-License-Identifier: GPL-2.0
/* Write types as a source spells them. */
#include "types.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "type_text.h"

#define LANG_C17	0x2c	/* elfutils before 0.191 has no word for it */
#define DEPTH	32	/* of pointers to arrays of pointers...: no source has more */

void type_text_add(struct type_text *text, const char *format, ...)
{
	size_t room = sizeof(text->text) - text->used;
	va_list list;
	int length;

	if (text->cut)
		return;
	va_start(list, format);
	length = vsnprintf(text->text + text->used, room, format, list);
	va_end(list);
	if (length < 0 || (size_t)length >= room) {
		text->cut = true;
		strcpy(text->text + sizeof(text->text) - sizeof("..."), "...");
		return;
	}
	text->used += (size_t)length;
}

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type);
}

/* With -fdebug-types-section, a declaration refers to the type, which is in a unit of its own. */
static void find_in_own_unit(Dwarf_Die *type)
{
	Dwarf_Attribute signature;

	if (dwarf_attr(type, DW_AT_signature, &signature))
		dwarf_formref_die(&signature, type);
}

/* The type behind typedefs and qualifiers, which has a layout. */
bool type_bare(Dwarf_Die *type, Dwarf_Die *bare)
{
	unsigned int depth;

	*bare = *type;
	for (depth = 0; depth < DEPTH; depth++) {
		switch (dwarf_tag(bare)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_immutable_type:
			if (!type_of(bare, bare))
				return false;
			break;
		default:
			find_in_own_unit(bare);
			return true;
		}
	}
	return false;
}

static __u64 size_of(Dwarf_Die *type, unsigned int depth)
{
	Dwarf_Die bare, element, range;
	Dwarf_Word size;
	__u64 nr, all;

	if (depth > DEPTH || !type_bare(type, &bare))
		return 0;
	if (!dwarf_aggregate_size(&bare, &size))
		return size;
	/*
	 * libdw wants the language that says where an array begins. The units in which dwz puts
	 * what several units have in common tell none.
	 */
	if (dwarf_tag(&bare) != DW_TAG_array_type || !type_of(&bare, &element) ||
	    dwarf_child(&bare, &range))
		return 0;
	all = size_of(&element, depth + 1);
	do {
		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		nr = type_dimension(&range);
		if (nr == ~0ULL || __builtin_mul_overflow(all, nr, &all))
			return 0;
	} while (!dwarf_siblingof(&range, &range));
	return all;
}

__u64 type_size(Dwarf_Die *type)
{
	return size_of(type, 0);
}

/* The units that dwz makes have no language. Those of C have no namespaces and classes. */
static bool has_namespaces(Dwarf_Die *unit)
{
	Dwarf_Die child;

	DIE_EACH(child, unit)
		switch (dwarf_tag(&child)) {
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
			return true;
		}
	return false;
}

bool type_has_scopes(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case LANG_C17:
		return false;
	case -1:
		return has_namespaces(&unit);
	default:
		return true;
	}
}

Dwarf_Die type_origin(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin = *die, next;
	unsigned int depth;

	/* A copy refers to its original, which may refer to the declaration in its class. */
	for (depth = 0; depth < DEPTH; depth++) {
		if ((!dwarf_attr(&origin, DW_AT_specification, &attribute) &&
		     !dwarf_attr(&origin, DW_AT_abstract_origin, &attribute)) ||
		    !dwarf_formref_die(&attribute, &next))
			break;
		origin = next;
	}
	return origin;
}

/*
 * Find the DIEs around a DIE, outermost first. Returns their number, at most room. DIEs are in the
 * order of their offsets, so at each level the last one that begins before the DIE holds it.
 */
static unsigned int scopes_of(Dwarf_Die *die, Dwarf_Die *scopes, unsigned int room)
{
	Dwarf_Off wanted = dwarf_dieoffset(die);
	Dwarf_Die at, next;
	unsigned int nr = 0;

	if (!dwarf_diecu(die, &at, NULL, NULL))
		return 0;
	while (nr < room && !dwarf_child(&at, &next)) {
		do
			at = next;
		while (!dwarf_siblingof(&at, &next) && dwarf_dieoffset(&next) <= wanted);
		if (dwarf_dieoffset(&at) >= wanted)
			break;
		scopes[nr++] = at;
	}
	return nr;
}

void type_scope(struct type_text *text, Dwarf_Die *die)
{
	Dwarf_Die scopes[DEPTH], origin = type_origin(die);
	unsigned int nr = scopes_of(&origin, scopes, DEPTH), i;
	const size_t before = text->used;
	const char *name;

	for (i = 0; i < nr; i++) {
		find_in_own_unit(&scopes[i]);
		name = dwarf_diename(&scopes[i]);
		switch (dwarf_tag(&scopes[i])) {
		case DW_TAG_namespace:
		case DW_TAG_module:
			type_text_add(text, "%s::", name ? name : "(anonymous namespace)");
			break;
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_subprogram:
			if (name)
				type_text_add(text, "%s::", name);
			break;
		case DW_TAG_common_block:
			/* Fortran's variables that functions share: each function has it. */
			if (!name || text->cut)
				break;
			text->used = before;
			type_text_add(text, "%s::", name);
			break;
		default:
			break;
		}
	}
}

static void add_tagged(struct type_text *text, Dwarf_Die *told, const char *tag)
{
	Dwarf_Die own = *told, *type = &own;
	const char *name;

	find_in_own_unit(type);
	name = dwarf_diename(type);
	if (!type_has_scopes(type)) {
		type_text_add(text, "%s%s%s", tag, name ? " " : " {...}", name ? name : "");
		return;
	}
	type_scope(text, type);
	if (name)
		type_text_add(text, "%s", name);
	else
		type_text_add(text, "%s {...}", tag);
}

/* The number of an array's first element, which is 1 in some languages if DWARF says nothing. */
__s64 type_first(Dwarf_Die *range)
{
	Dwarf_Die unit;
	Dwarf_Sword first;
	__u64 low;

	if (die_number(range, DW_AT_lower_bound, &low))
		return (__s64)low;
	return dwarf_diecu(range, &unit, NULL, NULL) &&
	       !dwarf_default_lower_bound(dwarf_srclang(&unit), &first) ? first : 0;
}

/* The number of elements of one dimension; ~0: not given, as for a flexible array. */
__u64 type_dimension(Dwarf_Die *range)
{
	__u64 number, low;

	if (die_number(range, DW_AT_count, &number))
		return number;
	if (!die_number(range, DW_AT_upper_bound, &number) ||
	    (dwarf_hasattr_integrate(range, DW_AT_lower_bound) &&
	     !die_number(range, DW_AT_lower_bound, &low)))
		return ~0ULL;
	number -= (__u64)type_first(range);
	/* An upper bound of -1, in any width, means that no number is given. */
	return number < ~0U ? number + 1 : ~0ULL;
}

static void add_dimensions(struct type_text *text, Dwarf_Die *array)
{
	Dwarf_Die range;

	if (dwarf_child(array, &range)) {
		type_text_add(text, "[]");
		return;
	}
	do {
		__u64 nr;

		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		nr = type_dimension(&range);
		if (nr == ~0ULL)
			type_text_add(text, "[]");
		else
			type_text_add(text, "[%llu]", nr);
	} while (!dwarf_siblingof(&range, &range));
}

/* type NULL: void. */
static void add_type(struct type_text *text, Dwarf_Die *type, unsigned int depth);

/* An array whose elements are arrays has their lengths behind its own. */
static void add_array(struct type_text *text, Dwarf_Die *array, unsigned int depth)
{
	Dwarf_Die at = *array, element;
	unsigned int inner = depth;
	bool known;

	while ((known = type_of(&at, &element)) && dwarf_tag(&element) == DW_TAG_array_type &&
	       inner < DEPTH) {
		at = element;
		inner++;
	}
	if (known)
		add_type(text, &element, inner + 1);
	at = *array;
	do
		add_dimensions(text, &at);
	while (depth++ < inner && type_of(&at, &at));
}

static void add_type(struct type_text *text, Dwarf_Die *type, unsigned int depth)
{
	const char *name, *after;
	Dwarf_Die inner;
	bool known;

	if (!type) {
		type_text_add(text, "void");
		return;
	}
	if (depth > DEPTH) {
		type_text_add(text, "...");
		return;
	}
	known = type_of(type, &inner);
	/* Skip "restrict", which is not written, so that the type behind it decides what is. */
	while (known && dwarf_tag(&inner) == DW_TAG_restrict_type && depth++ <= DEPTH)
		known = type_of(&inner, &inner);
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
		add_tagged(text, type, "struct");
		return;
	case DW_TAG_class_type:
		add_tagged(text, type, "class");
		return;
	case DW_TAG_union_type:
		add_tagged(text, type, "union");
		return;
	case DW_TAG_enumeration_type:
		add_tagged(text, type, "enum");
		return;
	case DW_TAG_array_type:
		add_array(text, type, depth);
		return;
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_atomic_type:
		after = dwarf_tag(type) == DW_TAG_const_type ? "const" :
			dwarf_tag(type) == DW_TAG_volatile_type ? "volatile" : "_Atomic";
		/* "int *const", "const int" */
		if (known && dwarf_tag(&inner) == DW_TAG_array_type)
			break;	/* its elements have the qualifier, too */
		if (known && dwarf_tag(&inner) == DW_TAG_pointer_type) {
			add_type(text, &inner, depth + 1);
			type_text_add(text, "%s", after);
			return;
		}
		type_text_add(text, "%s ", after);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		after = dwarf_tag(type) == DW_TAG_pointer_type ? "*" :
			dwarf_tag(type) == DW_TAG_reference_type ? "&" : "&&";
		if (known && dwarf_tag(&inner) == DW_TAG_subroutine_type) {
			Dwarf_Die result;

			known = type_of(&inner, &result);
			add_type(text, known ? &result : NULL, depth + 1);
			type_text_add(text, " (%s)()", after);
			return;
		}
		add_type(text, known ? &inner : NULL, depth + 1);
		if (text->used && !strchr("*&", text->text[text->used - 1]))
			type_text_add(text, " ");
		type_text_add(text, "%s", after);
		return;
	case DW_TAG_restrict_type:
		break;
	case DW_TAG_subroutine_type:
		type_text_add(text, "function");
		return;
	default:
		name = dwarf_diename(type);
		if (name && type_has_scopes(type) && dwarf_tag(type) == DW_TAG_typedef)
			type_scope(text, type);
		type_text_add(text, "%s", name ? name : "?");
		return;
	}
	add_type(text, known ? &inner : NULL, depth + 1);
}

const char *type_name(struct pool *pool, Dwarf_Die *type)
{
	struct type_text text = { 0 };

	add_type(&text, type, 0);
	return pool_text(pool, text.text);
}

bool die_number(Dwarf_Die *die, unsigned int name, __u64 *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &value))
		return false;
	*number = value;
	return true;
}

bool die_is_part(Dwarf_Die *child)
{
	return dwarf_tag(child) == DW_TAG_inheritance ||
	       (dwarf_tag(child) == DW_TAG_member &&
		!dwarf_hasattr_integrate(child, DW_AT_external) &&
		!dwarf_hasattr_integrate(child, DW_AT_const_value));
}

bool die_is_compound(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

bool die_is_pointer(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}
