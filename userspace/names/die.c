// SPDX-License-Identifier: GPL-2.0
#include "die.h"

#include <dwarf.h>

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
