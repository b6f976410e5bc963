// SPDX-License-Identifier: GPL-2.0
#include "declare.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../util/xalloc.h"
#include "instance.h"
#include "naming.h"
#include "type_text.h"
#include "units.h"

#define DEPTH		32
#define WITHIN_MAX	64	/* types with names that are written out within a structure */

struct declare {
	struct pool *pool;
	Dwarf_Die within;
	bool cxx, kernel, place_known;
	__u64 line, column, file;	/* where the structure is declared */
	const void *written[WITHIN_MAX];
	size_t nr_written;
	unsigned int depth;
	__u64 last_line;		/* line of the structure's last member */
	bool not_last;			/* more members follow, so an open array is written [0] */
};

struct declare *declare_new(struct pool *pool, const struct members *within)
{
	struct declare *declare = xcalloc(1, sizeof(*declare));
	Dwarf_Die last;

	declare->pool = pool;
	if (!within)
		return declare;
	declare->within = within->type;
	declare->cxx = within->cxx;
	if (!within->nr)
		return declare;
	last = within->member[within->nr - 1].die;
	declare->place_known = die_number(&declare->within, DW_AT_decl_file, &declare->file) &&
			       die_number(&declare->within, DW_AT_decl_line, &declare->line) &&
			       die_number(&last, DW_AT_decl_line, &declare->last_line);
	/* clang tells no column. */
	die_number(&declare->within, DW_AT_decl_column, &declare->column);
	return declare;
}

void declare_free(struct declare *declare)
{
	free(declare);
}

static const char *tag_of(const struct members *members)
{
	Dwarf_Die type = members->type;

	if (members->is_union)
		return "union";
	return dwarf_tag(&type) == DW_TAG_class_type ? "class" : "struct";
}

/*
 * Does the source define this type inside the structure's braces? In C++ it is a child of the
 * structure. In C it is not, so go by its place in the source.
 */
static bool is_within(const struct declare *declare, Dwarf_Die *type)
{
	__u64 file, line, column = 0;
	Dwarf_Die child, outer = declare->within;

	if (type->addr == outer.addr)
		return false;
	if (declare->cxx) {
		DIE_EACH(child, &outer)
			if (child.addr == type->addr)
				return true;
		return false;
	}
	if (!declare->place_known || !die_number(type, DW_AT_decl_file, &file) ||
	    file != declare->file || !die_number(type, DW_AT_decl_line, &line))
		return false;
	die_number(type, DW_AT_decl_column, &column);
	if (line < declare->line || (line == declare->line && column <= declare->column))
		return false;
	return line <= declare->last_line;
}

/* Is the type written out here, and not as its name? A type with a name is written out once. */
static bool write_out(struct declare *declare, Dwarf_Die *type)
{
	size_t i;

	if (!dwarf_diename(type))
		return true;
	if (dwarf_hasattr(type, DW_AT_declaration) || !is_within(declare, type))
		return false;
	for (i = 0; i < declare->nr_written; i++)
		if (declare->written[i] == type->addr)
			return false;
	if (declare->nr_written == WITHIN_MAX)
		return false;
	declare->written[declare->nr_written++] = type->addr;
	return true;
}

static const char *indentation(unsigned int indent)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t";
	const unsigned int most = sizeof(tabs) - 1;

	return tabs + most - (indent < most ? indent : most);
}

/* Only a negative value has a form with a sign: the others are without one, however short. */
static const char *value_text(struct pool *pool, Dwarf_Attribute *value)
{
	const unsigned int form = dwarf_whatform(value);
	Dwarf_Word number;

	if (dwarf_formudata(value, &number))
		return NULL;
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const)
		return pool_format(pool, "%lld", (long long)number);
	return pool_format(pool, "%llu%s", (unsigned long long)number, number >> 63 ? "U" : "");
}

/* "enum { A, B = 7 }" */
static const char *enum_text(struct declare *declare, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type), *text;
	Dwarf_Die child;
	bool first = true;

	text = pool_format(declare->pool, "enum%s%s {", name ? " " : "", name ? name : "");
	if (dwarf_hasattr_integrate(type, DW_AT_enum_class) || dwarf_child(type, &child))
		return NULL;
	do {
		Dwarf_Attribute value;
		const char *number;

		if (dwarf_tag(&child) != DW_TAG_enumerator || !dwarf_diename(&child))
			continue;
		number = dwarf_attr(&child, DW_AT_const_value, &value) ?
			 value_text(declare->pool, &value) : NULL;
		if (!number)
			return NULL;
		text = pool_format(declare->pool, "%s%s %s = %s", text, first ? "" : ",",
				   dwarf_diename(&child), number);
		first = false;
	} while (!dwarf_siblingof(&child, &child));
	return pool_format(declare->pool, "%s }", text);
}

static const char *access_of(const struct members *members, const struct member *member)
{
	Dwarf_Die die = member->die, type = members->type;
	__u64 access = dwarf_tag(&type) == DW_TAG_class_type ? DW_ACCESS_private : DW_ACCESS_public;

	die_number(&die, DW_AT_accessibility, &access);
	return access == DW_ACCESS_private ? "private" :
	       access == DW_ACCESS_protected ? "protected" : "public";
}

/* "private:" before a member whose access differs from that of the member before it. */
static const char *add_access(struct declare *declare, const struct members *members,
			      const struct member *member, const char **last, unsigned int indent)
{
	const char *access = access_of(members, member);
	const char *text = members->cxx && strcmp(access, *last) ?
		pool_format(declare->pool, "%s%s:\n", indentation(indent), access) : "";

	*last = access;
	return text;
}

#define KERNEL_LINE	64	/* SMP_CACHE_BYTES */

const char *declare_aligned(struct pool *pool, const char *text, __u32 bytes, bool kernel)
{
	if (kernel && bytes == KERNEL_LINE)
		return pool_format(pool, "%s ____cacheline_aligned_in_smp", text);
	return pool_format(pool, kernel ? "%s __aligned(%u)" : "%s __attribute__((aligned(%u)))", text,
			   bytes);
}

/* Declare a member, with a bit-field's bits and the alignment that the source asks for. */
static const char *member_text(struct declare *declare, const struct member *member,
			       unsigned int indent)
{
	const char *name = member->name ? member->name : "", *text;
	Dwarf_Die type = member->type;

	if (member->part.bits)
		name = pool_format(declare->pool, "%s : %u", name, member->part.bits);
	text = declare_name(declare, &type, name, indent);
	if (text && member->part.said)
		text = declare_aligned(declare->pool, text, member->part.said, declare->kernel);
	return text;
}

static const char *line_of(struct declare *declare, const struct members *members,
			   const struct declare_change *change, size_t place, unsigned int indent)
{
	const size_t at = change && change->order ? change->order[place] : place;
	struct member member = members->member[at];
	const char *text, *comment;

	if (change && change->aligned && change->aligned[place] > member.part.said)
		member.part.said = change->aligned[place];
	declare->not_last = place + 1 < members->nr;
	text = member_text(declare, &member, indent + 1);
	if (!text)
		return NULL;
	comment = change && change->comment ? change->comment(change->context, at) : NULL;
	return pool_format(declare->pool, "%s%s;%s%s%s\n", indentation(indent + 1), text,
			   comment ? "\t/* " : "", comment ? comment : "", comment ? " */" : "");
}

static bool put_lines(FILE *out, struct declare *declare, const struct members *members,
		      const struct declare_change *change, unsigned int indent)
{
	const char *access, *line, *last = "public";
	Dwarf_Die type = members->type;
	size_t i, left = 0;

	if (dwarf_tag(&type) == DW_TAG_class_type)
		last = "private";
	for (i = 0; i < members->nr; i++) {
		const size_t at = change && change->order ? change->order[i] : i;

		if (change && change->left_out && change->left_out(change->context, at) &&
		    !(change->aligned && change->aligned[i])) {
			left++;
			continue;
		}
		if (left)
			fprintf(out, "%s/* %zu more */\n", indentation(indent + 1), left);
		left = 0;
		access = add_access(declare, members, &members->member[at], &last, indent);
		line = line_of(declare, members, change, i, indent);
		if (!line)
			return false;
		fprintf(out, "%s%s", access, line);
	}
	if (left)
		fprintf(out, "%s/* %zu more */\n", indentation(indent + 1), left);
	return true;
}

static const char *lines_of(struct declare *declare, const struct members *members,
			    const struct declare_change *change, unsigned int indent)
{
	bool good;
	char *text = XPRINTED(out, good = put_lines(out, declare, members, change, indent));
	const char *kept = good ? pool_text(declare->pool, text) : NULL;

	free(text);
	return kept;
}

static const char *record_lines(struct declare *declare, const struct members *members,
				const struct declare_change *change, unsigned int indent)
{
	const __u32 whole = change && change->whole > members->said ? change->whole : members->said;
	const char *text = lines_of(declare, members, change, indent);

	if (!text)
		return NULL;
	text = pool_format(declare->pool, "%s%s%s {\n%s%s}", tag_of(members),
			   members->name ? " " : "", members->name ? members->name : "", text,
			   indentation(indent));
	return whole ? declare_aligned(declare->pool, text, whole, declare->kernel) : text;
}

const char *declare_record(struct pool *pool, const struct members *members,
			   const struct declare_change *change)
{
	struct declare *declare = declare_new(pool, members);
	const char *text;

	declare->kernel = change && change->kernel;
	text = record_lines(declare, members, change, 0);
	declare_free(declare);
	return text;
}

static const char *record_text(struct declare *declare, Dwarf_Die *type, unsigned int indent)
{
	const char *text = NULL;
	struct members members;

	if (declare->depth++ < DEPTH && members_take(declare->pool, &members, type) && !members.why &&
	    !members.methods)
		text = record_lines(declare, &members, NULL, indent);
	declare->depth--;
	return text;
}

static const char *called(struct declare *declare, Dwarf_Die *type, const char *tag)
{
	struct type_text text = { 0 };

	/* In C++ one within this structure has no scope yet, and a member may hide its name. */
	if (!declare->cxx || is_within(declare, type))
		return pool_format(declare->pool, "%s%s", tag, dwarf_diename(type));
	type_scope(&text, type);
	type_text_add(&text, "%s", dwarf_diename(type));
	return text.cut ? NULL : pool_text(declare->pool, text.text);
}

/* GCC has "complex float" for the keywords, and clang only "complex". */
static const char *number_name(struct pool *pool, Dwarf_Die *type, const char *name)
{
	const __u64 size = type_size(type);

	if (!strncmp(name, "complex ", 8))
		return pool_format(pool, "_Complex %s", name + 8);
	if (strcmp(name, "complex"))
		return name;
	return size == 8 ? "_Complex float" : size == 16 ? "_Complex double" :
	       size == 32 ? "_Complex long double" : NULL;
}

/* The type's name or body, which is written before the pointers, the name and the brackets. */
static const char *specifier(struct declare *declare, Dwarf_Die *type, unsigned int indent)
{
	const char *name = dwarf_diename(type);

	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return write_out(declare, type) ? record_text(declare, type, indent) :
						  called(declare, type, "struct ");
	case DW_TAG_union_type:
		return write_out(declare, type) ? record_text(declare, type, indent) :
						  called(declare, type, "union ");
	case DW_TAG_enumeration_type:
		return write_out(declare, type) ? enum_text(declare, type) :
						  called(declare, type, "enum ");
	case DW_TAG_typedef:
		return name ? called(declare, type, "") : NULL;
	case DW_TAG_unspecified_type:
		return name;
	case DW_TAG_base_type:
		return name ? number_name(declare->pool, type, name) : NULL;
	default:
		return NULL;
	}
}

/* "(int, struct job *)" */
static const char *parameters(struct declare *declare, Dwarf_Die *function, unsigned int indent)
{
	const char *text = "(", *one;
	Dwarf_Die child, type;
	bool any = false;

	DIE_EACH(child, function) {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			one = "...";
		else if (dwarf_tag(&child) == DW_TAG_formal_parameter && type_of(&child, &type))
			one = declare_name(declare, &type, "", indent);
		else
			continue;
		if (!one)
			return NULL;
		text = pool_format(declare->pool, "%s%s%s", text, any ? ", " : "", one);
		any = true;
	}
	if (!any && dwarf_hasattr_integrate(function, DW_AT_prototyped) && !declare->cxx)
		return "(void)";
	return pool_format(declare->pool, "%s)", text);
}

static const char *brackets(struct declare *declare, const char *name, Dwarf_Die *array)
{
	Dwarf_Die range;
	__u64 nr;

	if (dwarf_child(array, &range))
		return pool_format(declare->pool, "%s[]", name);
	do {
		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		nr = type_dimension(&range);
		if (nr == ~0ULL)
			name = pool_format(declare->pool, "%s[%s]", name, declare->not_last ? "0" : "");
		else
			name = pool_format(declare->pool, "%s[%llu]", name, nr);
	} while (!dwarf_siblingof(&range, &range));
	return name;
}

/* The word of a qualifier; NULL: the type is none. */
static const char *qualifier(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_const_type:
		return "const ";
	case DW_TAG_volatile_type:
		return "volatile ";
	case DW_TAG_restrict_type:
		return "__restrict ";
	case DW_TAG_atomic_type:
		return "_Atomic ";
	default:
		return NULL;
	}
}

/* The type behind all qualifiers; false: it is void. */
static bool qualified(Dwarf_Die *type, Dwarf_Die *of)
{
	unsigned int depth;

	*of = *type;
	for (depth = 0; qualifier(of) && depth < DEPTH; depth++)
		if (!type_of(of, of))
			return false;
	return true;
}

static bool needs_parentheses(Dwarf_Die *pointee)
{
	Dwarf_Die of;

	return qualified(pointee, &of) && (dwarf_tag(&of) == DW_TAG_array_type ||
					   dwarf_tag(&of) == DW_TAG_subroutine_type);
}

/*
 * Write a qualifier. That of a pointer goes right before the name, behind the "*"; another one goes
 * before the type.
 */
static void add_qualifier(struct pool *pool, Dwarf_Die *type, const char **before,
			  const char **name)
{
	const char *word = qualifier(type);
	Dwarf_Die of;
	bool known = qualified(type, &of);

	if (known && die_is_pointer(&of))
		*name = pool_format(pool, "%s%s", word, *name);
	else if (!known || dwarf_tag(&of) != DW_TAG_array_type)	/* its elements have it too */
		*before = pool_format(pool, "%s%s", *before, word);
}

static const char *add_pointer(struct pool *pool, Dwarf_Die *type, bool known, Dwarf_Die *pointee,
			       const char *name)
{
	const char *word = dwarf_tag(type) == DW_TAG_pointer_type ? "*" :
			   dwarf_tag(type) == DW_TAG_reference_type ? "&" : "&&";

	if (known && needs_parentheses(pointee))
		return pool_format(pool, "(%s%s)", word, name);
	return pool_format(pool, "%s%s", word, name);
}

/* Append an array's brackets or a function's parameters; NULL: they can't be expressed. */
static const char *add_behind(struct declare *declare, Dwarf_Die *type, const char *name,
			      unsigned int indent)
{
	const char *text;

	if (dwarf_tag(type) == DW_TAG_array_type)
		return dwarf_hasattr_integrate(type, DW_AT_GNU_vector) ? NULL :
			brackets(declare, name, type);
	text = parameters(declare, type, indent);
	return text ? pool_format(declare->pool, "%s%s", name, text) : NULL;
}

const char *declare_name(struct declare *declare, Dwarf_Die *type, const char *name,
			 unsigned int indent)
{
	const char *before = "", *text = "void";
	Dwarf_Die at = *type, next;
	unsigned int depth;
	bool known = true;

	for (depth = 0; known; depth++) {
		if (depth == DEPTH)
			return NULL;
		known = type_of(&at, &next);
		if (qualifier(&at)) {
			add_qualifier(declare->pool, &at, &before, &name);
		} else if (die_is_pointer(&at)) {
			name = add_pointer(declare->pool, &at, known, &next, name);
		} else if (dwarf_tag(&at) == DW_TAG_array_type ||
			   dwarf_tag(&at) == DW_TAG_subroutine_type) {
			name = add_behind(declare, &at, name, indent);
			if (!name)
				return NULL;
		} else {
			text = specifier(declare, &at, indent);
			if (!text)
				return NULL;
			break;
		}
		at = next;
	}
	return pool_format(declare->pool, "%s%s%s%s", before, text, *name ? " " : "", name);
}

bool namer_typed(struct namer *namer, __u32 space, __u32 gen, __u64 address,
		 struct typed *typed)
{
	const struct instance *in;
	struct place place;
	__u64 offset;

	*typed = (struct typed){ 0 };
	/* Types of the kernel's variables are those of BTF. */
	if (kernel_address(address))
		return false;
	place = data_place(namer, space, gen, address);
	if (place_has_variables(&place)) {
		if (!variables_type(&namer->files, place.file, address - place.bias, &typed->type,
				    &typed->variable, &offset))
			return false;
		typed->start = address - offset;
		return true;
	}
	in = instance_find(namer, &place);
	if (!in)
		return false;
	typed->type = in->type->die;
	typed->start = in->start;
	return true;
}

const char *namer_declared(struct namer *namer, Dwarf_Die *die, unsigned int *line)
{
	Dwarf_Die origin = type_origin(die);
	int number;

	*line = 0;
	if (dwarf_decl_line(&origin, &number) || number <= 0)
		return NULL;
	*line = (unsigned int)number;
	return units_file(&namer->pool, &origin, DW_AT_decl_file);
}

struct pool *namer_pool(struct namer *namer)
{
	return &namer->pool;
}
