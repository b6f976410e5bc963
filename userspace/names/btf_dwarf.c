// SPDX-License-Identifier: GPL-2.0
/*
 * The DWARF has one unit with a DIE for each type, in the order of their ids. The size of a DIE
 * follows from its type alone. So a first walk over the types assigns each DIE its place, and a
 * second walk writes the DIEs, which can then refer to places further on. The kernel has 140,000
 * types; a module's types refer to them in the kernel's file instead of copying them.
 */
#include "btf.h"

#include <dwarf.h>
#include <gelf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "../util/bytes.h"
#include "../util/xalloc.h"

#define VERSION		4
/* Bytes of a unit's header: its size, version, offset of abbreviations, size of addresses. */
#define HEADER		11
#define LANGUAGE	DW_LANG_C11
#define DEPTH		32

/* Kinds of DIEs. Where a name or type may be missing, X is followed by X_ALONE, which lacks it. */
enum abbrev {
	A_END, A_UNIT, A_NUMBER, A_STRUCT, A_STRUCT_ALONE, A_UNION, A_UNION_ALONE, A_FORWARD,
	A_MEMBER, A_MEMBER_ALONE, A_BITS, A_BITS_ALONE, A_POINTER, A_POINTER_ALONE, A_CONST,
	A_CONST_ALONE, A_VOLATILE, A_VOLATILE_ALONE, A_TYPEDEF, A_TYPEDEF_ALONE, A_ARRAY, A_RANGE,
	A_RANGE_ALONE, A_ENUM, A_ENUM_ALONE, A_FUNCTION, A_FOREIGN, A_NR
};

#define PAIRS	5

/* The attributes of each kind, with their forms, in the order of the values; a 0 ends the list. */
static const struct {
	unsigned short tag;
	bool children;
	unsigned short pair[PAIRS][2];
} shape[A_NR] = {
#define NAME	{ DW_AT_name, DW_FORM_strp }
#define TYPE	{ DW_AT_type, DW_FORM_ref4 }
#define SIZE	{ DW_AT_byte_size, DW_FORM_data4 }
/* The BTF id stands in for the line, so that types of the same name can be told apart. */
#define LINE	{ DW_AT_decl_line, DW_FORM_data4 }
#define PLACE	{ DW_AT_data_member_location, DW_FORM_data4 }
#define BITS	{ DW_AT_bit_size, DW_FORM_data4 }, { DW_AT_data_bit_offset, DW_FORM_data4 }
	[A_UNIT]	= { DW_TAG_compile_unit, true, { { DW_AT_language, DW_FORM_data4 } } },
	[A_NUMBER]	= { DW_TAG_base_type, false, { NAME, SIZE, { DW_AT_encoding, DW_FORM_data4 } } },
	[A_STRUCT]	= { DW_TAG_structure_type, true, { NAME, SIZE, LINE } },
	[A_STRUCT_ALONE] = { DW_TAG_structure_type, true, { SIZE, LINE } },
	[A_UNION]	= { DW_TAG_union_type, true, { NAME, SIZE, LINE } },
	[A_UNION_ALONE]	= { DW_TAG_union_type, true, { SIZE, LINE } },
	[A_FORWARD]	= { DW_TAG_structure_type, false,
			    { NAME, { DW_AT_declaration, DW_FORM_flag_present } } },
	[A_MEMBER]	= { DW_TAG_member, false, { NAME, TYPE, PLACE } },
	[A_MEMBER_ALONE] = { DW_TAG_member, false, { TYPE, PLACE } },
	[A_BITS]	= { DW_TAG_member, false, { NAME, TYPE, BITS } },
	[A_BITS_ALONE]	= { DW_TAG_member, false, { TYPE, BITS } },
	[A_POINTER]	= { DW_TAG_pointer_type, false, { SIZE, TYPE } },
	[A_POINTER_ALONE] = { DW_TAG_pointer_type, false, { SIZE } },
	[A_CONST]	= { DW_TAG_const_type, false, { TYPE } },
	[A_CONST_ALONE]	= { DW_TAG_const_type, false, { { 0 } } },
	[A_VOLATILE]	= { DW_TAG_volatile_type, false, { TYPE } },
	[A_VOLATILE_ALONE] = { DW_TAG_volatile_type, false, { { 0 } } },
	[A_TYPEDEF]	= { DW_TAG_typedef, false, { NAME, TYPE } },
	[A_TYPEDEF_ALONE] = { DW_TAG_typedef, false, { NAME } },
	[A_ARRAY]	= { DW_TAG_array_type, true, { TYPE } },
	[A_RANGE]	= { DW_TAG_subrange_type, false, { { DW_AT_count, DW_FORM_data4 } } },
	[A_RANGE_ALONE]	= { DW_TAG_subrange_type, false, { { 0 } } },
	[A_ENUM]	= { DW_TAG_enumeration_type, false, { NAME, SIZE } },
	[A_ENUM_ALONE]	= { DW_TAG_enumeration_type, false, { SIZE } },
	[A_FUNCTION]	= { DW_TAG_subroutine_type, false, { { 0 } } },
	/* Leads to a type of the base. Readers skip "restrict", which nothing else here uses. */
	[A_FOREIGN]	= { DW_TAG_restrict_type, false, { { DW_AT_type, DW_FORM_GNU_ref_alt } } },
};

struct btf_dwarf {
	const struct btf_dwarf *base;	/* NULL: none */
	void *image;
	Elf *elf;
	Dwarf *dwarf;
	/* By id: where the DIE is, or the A_FOREIGN of a type of the base; 0: there is none. */
	__u32 *place;
	__u32 first, end;	/* ids of its own types */
};

struct writer {
	const struct btf *btf;
	struct btf_dwarf *to;
	const char *strings;	/* .debug_str: the strings at their offsets in the BTF */
	size_t strings_size;
	unsigned char *out;	/* .debug_info; NULL during the first walk, which writes nothing */
	size_t at;		/* where the next DIE begins in .debug_info */
	__u32 *foreign;		/* ids of the base's types that btf refers to */
	size_t nr_foreign, room_foreign;
	__u32 nothing;		/* the DIE that stands for a damaged type */
	unsigned char values[A_NR];	/* number of values of each kind of DIE */
};

static void put_end(struct writer *writer)
{
	if (writer->out)
		writer->out[writer->at] = A_END;
	writer->at++;
}

/*
 * Write a DIE, that is its kind and the values of its attributes in their order. A value has four
 * bytes; a flag has no value.
 */
static void put_die(struct writer *writer, enum abbrev abbrev, const __u32 *values)
{
	const size_t bytes = writer->values[abbrev] * sizeof(*values);

	if (writer->out) {
		writer->out[writer->at] = abbrev;
		memcpy(writer->out + writer->at + 1, values, bytes);
	}
	writer->at += 1 + bytes;
}

#define PUT_DIE(writer, abbrev, ...)	put_die(writer, abbrev, (const __u32[PAIRS]){ __VA_ARGS__ })

static bool has_text(const struct writer *writer, __u32 offset)
{
	return offset < writer->strings_size && writer->strings[offset];
}

/* Skip type tags and "restrict": they only annotate the type behind them. */
static __u32 behind_tags(const struct btf *btf, __u32 id)
{
	const struct btf_type *type;
	unsigned int depth;

	for (depth = 0; depth < DEPTH; depth++) {
		type = btf_type(btf, id);
		if (!type || (BTF_KIND_OF(type) != BTF_KIND_TYPE_TAG &&
			      BTF_KIND_OF(type) != BTF_KIND_RESTRICT))
			return id;
		id = type->type;
	}
	return 0;
}

/* The place of the DIE that leads to a type of the base. The first reference lists the type. */
static __u32 place_of_foreign(struct writer *writer, __u32 id)
{
	struct btf_dwarf *to = writer->to;

	if (!to->base || !to->base->place[id])
		return writer->nothing;
	if (!to->place[id]) {
		to->place[id] = writer->nothing;
		ARRAY_GROW(writer->foreign, writer->nr_foreign + 1, writer->room_foreign);
		writer->foreign[writer->nr_foreign++] = id;
	}
	return to->place[id];
}

static __u32 die_offset(struct writer *writer, __u32 id)
{
	id = behind_tags(writer->btf, id);
	if (id < writer->to->first)
		return place_of_foreign(writer, id);
	return id < writer->to->end && writer->to->place[id] ? writer->to->place[id] :
							       writer->nothing;
}

static bool has_die(const struct btf_type *type)
{
	if (!type)
		return false;
	switch (BTF_KIND_OF(type)) {
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_RESTRICT:
		return false;
	default:
		return true;
	}
}

/* Ask the types and not the places, because the first walk does not know all places yet. */
static bool is_void(const struct writer *writer, __u32 id)
{
	return !has_die(btf_type(writer->btf, behind_tags(writer->btf, id)));
}

static void put_member(struct writer *writer, const struct btf_type *type,
		       const struct btf_member *member)
{
	bool named = has_text(writer, member->name_off);
	__u32 bit = member->offset, bits = 0, values[4], *value = values;

	if (BTF_INFO_KFLAG(type->info)) {
		bit = BTF_MEMBER_BIT_OFFSET(member->offset);
		bits = BTF_MEMBER_BITFIELD_SIZE(member->offset);
	}
	if (named)
		*value++ = member->name_off;
	*value++ = die_offset(writer, member->type);
	if (bits) {
		*value++ = bits;
		*value = bit;
		put_die(writer, named ? A_BITS : A_BITS_ALONE, values);
	} else {
		*value = bit / 8;
		put_die(writer, named ? A_MEMBER : A_MEMBER_ALONE, values);
	}
}

static void put_struct(struct writer *writer, __u32 id, const struct btf_type *type)
{
	const struct btf_member *member = (const void *)(type + 1);
	enum abbrev abbrev = BTF_KIND_OF(type) == BTF_KIND_UNION ? A_UNION : A_STRUCT;
	__u32 nr = BTF_NUMBER_IN(type), i;

	if (has_text(writer, type->name_off))
		PUT_DIE(writer, abbrev, type->name_off, type->size, id);
	else
		PUT_DIE(writer, abbrev + 1, type->size, id);
	for (i = 0; i < nr; i++)
		put_member(writer, type, &member[i]);
	put_end(writer);
}

static void put_array(struct writer *writer, const struct btf_type *type)
{
	const struct btf_array *array = (const void *)(type + 1);

	PUT_DIE(writer, A_ARRAY, die_offset(writer, array->type));
	if (array->nelems)
		PUT_DIE(writer, A_RANGE, array->nelems);
	else
		PUT_DIE(writer, A_RANGE_ALONE, 0);
	put_end(writer);
}

static __u32 encoding_of(const struct btf_type *type)
{
	__u32 said = BTF_KIND_OF(type) == BTF_KIND_INT ? *(const __u32 *)(type + 1) : 0;

	if (BTF_KIND_OF(type) == BTF_KIND_FLOAT)
		return DW_ATE_float;
	if (BTF_INT_ENCODING(said) & BTF_INT_BOOL)
		return DW_ATE_boolean;
	return BTF_INT_ENCODING(said) & BTF_INT_SIGNED ? DW_ATE_signed : DW_ATE_unsigned;
}

/* Write a pointer, a qualifier or a typedef. The type it is of may be void. */
static void put_over(struct writer *writer, enum abbrev abbrev, const struct btf_type *type)
{
	__u32 values[2], *value = values;

	if (abbrev == A_TYPEDEF)
		*value++ = type->name_off;
	if (abbrev == A_POINTER)
		*value++ = 8;
	*value = die_offset(writer, type->type);
	put_die(writer, is_void(writer, type->type) ? abbrev + 1 : abbrev, values);
}

static void put_type(struct writer *writer, __u32 id, const struct btf_type *type)
{
	switch (BTF_KIND_OF(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
		PUT_DIE(writer, A_NUMBER, type->name_off, type->size,
			encoding_of(type));
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		put_struct(writer, id, type);
		break;
	case BTF_KIND_FWD:
		PUT_DIE(writer, A_FORWARD, type->name_off);
		break;
	case BTF_KIND_PTR:
		put_over(writer, A_POINTER, type);
		break;
	case BTF_KIND_CONST:
		put_over(writer, A_CONST, type);
		break;
	case BTF_KIND_VOLATILE:
		put_over(writer, A_VOLATILE, type);
		break;
	case BTF_KIND_TYPEDEF:
		put_over(writer, A_TYPEDEF, type);
		break;
	case BTF_KIND_ARRAY:
		put_array(writer, type);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		if (has_text(writer, type->name_off))
			PUT_DIE(writer, A_ENUM, type->name_off, type->size);
		else
			PUT_DIE(writer, A_ENUM_ALONE, type->size);
		break;
	default:
		PUT_DIE(writer, A_FUNCTION, 0);
		break;
	}
}

/* Such an array gets no DIE, because nothing is known of its elements. */
static bool is_array_of_void(const struct writer *writer, const struct btf_type *type)
{
	const struct btf_array *array = (const void *)(type + 1);

	return BTF_KIND_OF(type) == BTF_KIND_ARRAY && is_void(writer, array->type);
}

/* The first walk assigns each DIE its place, the second walk writes it there. */
static void walk(struct writer *writer)
{
	struct btf_dwarf *to = writer->to;
	__u32 id;
	size_t i;

	writer->at = HEADER;
	PUT_DIE(writer, A_UNIT, LANGUAGE);
	writer->nothing = (__u32)writer->at;
	PUT_DIE(writer, A_FUNCTION, 0);
	for (id = to->first ? to->first : 1; id < to->end; id++) {
		const struct btf_type *type = btf_type(writer->btf, id);

		if (!has_die(type) || is_array_of_void(writer, type))
			continue;
		to->place[id] = (__u32)writer->at;
		put_type(writer, id, type);
	}
	for (i = 0; i < writer->nr_foreign; i++) {
		to->place[writer->foreign[i]] = (__u32)writer->at;
		PUT_DIE(writer, A_FOREIGN, to->base->place[writer->foreign[i]]);
	}
	put_end(writer);
}

/* Write a ULEB128 number. A number above 127 takes two bytes. */
static void put_number(struct bytes *out, unsigned short number)
{
	if (number < 0x80)
		bytes_put(out, number, 1);
	else
		bytes_put(out, (number & 0x7f) | 0x80 | (number >> 7 << 8), 2);
}

static void put_shapes(struct bytes *out)
{
	unsigned int abbrev, i;

	for (abbrev = A_UNIT; abbrev < A_NR; abbrev++) {
		bytes_put(out, abbrev, 1);
		bytes_put(out, shape[abbrev].tag, 1);
		bytes_put(out, shape[abbrev].children, 1);
		for (i = 0; i < PAIRS && shape[abbrev].pair[i][0]; i++) {
			put_number(out, shape[abbrev].pair[i][0]);
			put_number(out, shape[abbrev].pair[i][1]);
		}
		bytes_put(out, 0, 2);
	}
	bytes_put(out, 0, 1);
}

enum section { S_NONE, S_INFO, S_SHAPES, S_STRINGS, S_NAMES, S_NR };

/* Write an ELF file that has no other sections than these and the table of their names. */
static void put_file(struct bytes *file, const struct bytes *info, const struct bytes *shapes,
		     const struct bytes *strings)
{
	static const char names[] = "\0.debug_info\0.debug_abbrev\0.debug_str\0.shstrtab";
	const struct bytes title = { .data = (unsigned char *)names, .used = sizeof(names) };
	const struct bytes *part[S_NR] = { NULL, info, shapes, strings, &title };
	static const __u32 name[S_NR] = { 0, 1, 13, 27, 38 };
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(header), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = S_NR,
		.e_shstrndx = S_NAMES, .e_shoff = sizeof(header),
	};
	Elf64_Shdr section[S_NR] = { { 0 } };
	__u64 at = sizeof(header) + sizeof(section);
	unsigned int i;

	for (i = S_INFO; i < S_NR; i++) {
		section[i] = (Elf64_Shdr){
			.sh_name = name[i], .sh_type = i == S_NAMES ? SHT_STRTAB : SHT_PROGBITS,
			.sh_offset = at, .sh_size = part[i]->used, .sh_addralign = 1,
		};
		at += part[i]->used;
	}
	bytes_put_raw(file, &header, sizeof(header));
	bytes_put_raw(file, section, sizeof(section));
	for (i = S_INFO; i < S_NR; i++)
		bytes_put_raw(file, part[i]->data, part[i]->used);
}

/* Put the base's strings before btf's own, so that offsets in the BTF fit. */
static void take_strings(struct writer *writer, struct bytes *strings)
{
	const struct btf *btfs[] = { btf_base(writer->btf), writer->btf };
	const char *texts;
	unsigned int i;
	size_t size;

	for (i = 0; i < 2; i++)
		if (btfs[i]) {
			texts = btf_texts(btfs[i], &size);
			bytes_put_raw(strings, texts, size);
		}
	writer->strings = (const char *)strings->data;
	writer->strings_size = strings->used;
}

static void count_values(struct writer *writer)
{
	unsigned int abbrev, i;

	for (abbrev = A_UNIT; abbrev < A_NR; abbrev++)
		for (i = 0; i < PAIRS && shape[abbrev].pair[i][0]; i++)
			writer->values[abbrev] +=
				shape[abbrev].pair[i][1] != DW_FORM_flag_present;
}

static void put_header(struct writer *writer)
{
	struct bytes head = { .data = writer->out, .room = HEADER };

	bytes_put(&head, writer->at - 4, 4);
	bytes_put(&head, VERSION, 2);
	bytes_put(&head, 0, 4);
	bytes_put(&head, 8, 1);
}

static void build(struct writer *writer, struct bytes *file)
{
	struct bytes info = { 0 }, shapes = { 0 }, strings = { 0 };

	take_strings(writer, &strings);
	count_values(writer);
	walk(writer);
	info.data = xmalloc(writer->at);
	info.used = writer->at;
	writer->out = info.data;
	put_header(writer);
	walk(writer);
	put_shapes(&shapes);
	put_file(file, &info, &shapes, &strings);
	free(info.data);
	free(shapes.data);
	free(strings.data);
	free(writer->foreign);
}

struct btf_dwarf *btf_dwarf_new(const struct btf *btf, const struct btf_dwarf *base)
{
	struct btf_dwarf *dwarf = xcalloc(1, sizeof(*dwarf));
	struct writer writer = { .btf = btf, .to = dwarf };
	struct bytes file = { 0 };
	size_t size;

	elf_version(EV_CURRENT);
	dwarf->base = base;
	dwarf->first = btf_first(btf);
	dwarf->end = btf_end(btf);
	dwarf->place = xcalloc(dwarf->end + 1, sizeof(*dwarf->place));
	build(&writer, &file);
	bytes_take(&file, &dwarf->image, &size);
	dwarf->elf = elf_memory(dwarf->image, size);
	if (dwarf->elf)
		dwarf->dwarf = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	if (!dwarf->dwarf) {
		btf_dwarf_free(dwarf);
		return NULL;
	}
	if (base)
		dwarf_setalt(dwarf->dwarf, base->dwarf);
	return dwarf;
}

void btf_dwarf_free(struct btf_dwarf *dwarf)
{
	if (!dwarf)
		return;
	dwarf_end(dwarf->dwarf);
	elf_end(dwarf->elf);
	free(dwarf->image);
	free(dwarf->place);
	free(dwarf);
}

bool btf_dwarf_type(const struct btf_dwarf *dwarf, __u32 id, Dwarf_Die *die)
{
	if (id < dwarf->first)
		return dwarf->base && btf_dwarf_type(dwarf->base, id, die);
	return id < dwarf->end && dwarf->place[id] &&
	       dwarf_offdie(dwarf->dwarf, dwarf->place[id], die);
}
