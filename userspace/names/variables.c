// SPDX-License-Identifier: GPL-2.0
#include "units.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "name_cache.h"
#include "symbols.h"
#include "type_text.h"

#define DEPTH	64

struct index {
	bool built;
	Dwarf_Die *die;
	size_t nr, room;
	struct ranges fixed, local;	/* local: offsets in the thread-local block */
};

/* What all addresses of a variable have in common. */
struct head {
	const char *name, *type, *file;
	unsigned int line;
};

struct variables {
	struct name_cache heads;	/* struct head by the address in memory of the DIE */
	/* Variables of files, namespaces and classes; those of functions, for what is not there. */
	struct index index[2];
};

/* The number that an operation pushes; false: it pushes no number. */
static bool pushed(Dwarf_Attribute *location, const Dwarf_Op *op, __u64 *number)
{
	Dwarf_Attribute indirect;
	Dwarf_Word word;
	Dwarf_Addr address;

	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_const4u:
	case DW_OP_const8u:
		*number = op->number;
		return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (dwarf_getlocation_attr(location, op, &indirect) ||
		    dwarf_formaddr(&indirect, &address))
			return false;
		*number = address;
		return true;
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		if (dwarf_getlocation_attr(location, op, &indirect) ||
		    dwarf_formudata(&indirect, &word))
			return false;
		*number = word;
		return true;
	default:
		return false;
	}
}

/* The place of a variable that has one place all the time; false: this one has none. */
static bool fixed_address(Dwarf_Die *die, bool *local, __u64 *place)
{
	Dwarf_Attribute location;
	Dwarf_Op *op;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &location) ||
	    dwarf_getlocation(&location, &op, &nr) || !nr || nr > 2 ||
	    !pushed(&location, &op[0], place))
		return false;
	*local = nr == 2 && (op[1].atom == DW_OP_form_tls_address ||
			     op[1].atom == DW_OP_GNU_push_tls_address);
	if (*local)
		return true;
	if (nr == 2 && op[1].atom == DW_OP_plus_uconst) {
		*place += op[1].number;
		nr = 1;
	}
	return nr == 1 && (op[0].atom == DW_OP_addr || op[0].atom == DW_OP_addrx ||
			   op[0].atom == DW_OP_GNU_addr_index);
}

static bool in_memory(const struct elf_file *file, __u64 place)
{
	return file->nr_sections ? elf_section_at(file, place) != NULL :
				   elf_segment_at(file, place) != NULL;
}

static void add_variable(struct index *index, struct elf_files *files, struct elf_file *file,
			 Dwarf_Die *die, bool in_block)
{
	const struct symbol *symbol;
	__u64 place, size = 0;
	Dwarf_Die type;
	bool local;

	/* A variable that the linker discarded has an address where there is no memory. */
	if (!fixed_address(die, &local, &place) || (!local && !in_memory(file, place)))
		return;
	/* With -gsplit-dwarf GCC writes an address instead of the offset in the block. */
	if (local && place >= file->tls.size && place - file->tls.address < file->tls.size)
		place -= file->tls.address;
	if (type_of(die, &type))
		size = type_size(&type);
	symbol = symbol_at(files, file, local ? SYMBOL_TLS : SYMBOL_DATA, place);
	/* An object that ends with a flexible array is larger than its type, as is a block. */
	if (symbol && symbol->start == place && symbol->size > size && !in_block)
		size = symbol->size;
	if (place + size < place)
		return;
	ARRAY_GROW(index->die, index->nr + 1, index->room);
	index->die[index->nr] = *die;
	ranges_add(local ? &index->local : &index->fixed, place, place + size, index->nr++);
}

/* Add variables to one of the indexes. inner: parent is within a function. */
static void walk(struct variables *variables, bool want_inner, bool inner,
		 struct elf_files *files, struct elf_file *file, Dwarf_Die *parent,
		 unsigned int depth)
{
	struct index *index = &variables->index[want_inner];
	Dwarf_Die die;

	if (depth > DEPTH)
		return;
	DIE_EACH(die, parent)
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			if (inner == want_inner)
				add_variable(index, files, file, &die,
					     dwarf_tag(parent) == DW_TAG_common_block);
			break;
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (want_inner)
				walk(variables, true, true, files, file, &die, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_common_block:
			walk(variables, want_inner, inner, files, file, &die, depth + 1);
			break;
		default:
			break;
		}
}

static void build(struct variables *variables, bool inner, struct elf_files *files,
		  struct elf_file *file)
{
	struct index *index = &variables->index[inner];
	Dwarf_Die content;
	size_t i;

	if (index->built)
		return;
	index->built = true;
	for (i = 0; units_content(files, file, i, &content); i++)
		walk(variables, inner, false, files, file, &content, 0);
	ranges_settle(&index->fixed);
	ranges_settle(&index->local);
}

static const struct range *range_at(struct elf_files *files, struct elf_file *file, bool local,
				    __u64 address, Dwarf_Die **die, bool *in_function)
{
	const struct range *range = NULL;
	unsigned int inner;

	if (!units_dwarf(files, file))
		return NULL;
	if (!file->variables)
		file->variables = xcalloc(1, sizeof(*file->variables));
	for (inner = 0; !range && inner < 2; inner++) {
		struct index *index = &file->variables->index[inner];

		/* Reading a large program's functions takes long, so a symbol has to be there. */
		if (inner && symbols_complete(files, file) &&
		    !symbol_at(files, file, local ? SYMBOL_TLS : SYMBOL_DATA, address))
			return NULL;
		build(file->variables, inner, files, file);
		range = ranges_find(local ? &index->local : &index->fixed, address);
		if (range) {
			*die = &index->die[range->what];
			*in_function = inner;
		}
	}
	return range;
}

static const char *name_of(struct pool *pool, Dwarf_Die *die, const struct symbol *symbol,
			   bool inner)
{
	struct type_text text = { 0 };
	Dwarf_Die origin = type_origin(die);
	const char *name = dwarf_diename(die);

	/* A mangled name also has the template arguments of its scopes. */
	if (symbol && !strncmp(symbol->name, "_Z", 2))
		return demangle(pool, symbol->name);
	if (!name)
		return symbol ? demangle(pool, symbol->name) : NULL;
	if (inner || type_has_scopes(&origin))
		type_scope(&text, &origin);
	type_text_add(&text, "%s", name);
	return pool_text(pool, text.text);
}

static void declared_at(struct pool *pool, Dwarf_Die *die, struct head *head)
{
	Dwarf_Die origin = type_origin(die);
	int line;

	head->file = units_file(pool, die, DW_AT_decl_file);
	if (!head->file)
		head->file = units_file(pool, &origin, DW_AT_decl_file);
	if (!dwarf_decl_line(die, &line) || !dwarf_decl_line(&origin, &line))
		head->line = line > 0 ? (unsigned int)line : 0;
}

static const struct head *head_of(struct elf_files *files, struct elf_file *file,
				  enum symbol_kind kind, const struct range *range,
				  Dwarf_Die *die, bool inner)
{
	const struct name_cache_key key = { .address = (__u64)(uintptr_t)die->addr };
	const struct head *known = name_cache_find(&file->variables->heads, key);
	const struct symbol *symbol;
	struct head *head;
	Dwarf_Die type;

	if (known)
		return known;
	head = pool_take(files->pool, sizeof(*head));
	symbol = symbol_at(files, file, kind, range->start);
	if (symbol && symbol->start != range->start)
		symbol = NULL;
	head->name = name_of(files->pool, die, symbol, inner);
	if (!head->name)
		return NULL;
	if (type_of(die, &type))
		head->type = type_name(files->pool, &type);
	declared_at(files->pool, die, head);
	name_cache_keep(&file->variables->heads, key, head);
	return head;
}

bool variables_name_data(struct elf_files *files, struct elf_file *file, bool tls,
			 __u64 address, struct data_name *data)
{
	const struct range *range;
	const struct head *head;
	Dwarf_Die *die = NULL, type;
	bool inner = false;

	range = range_at(files, file, tls, address, &die, &inner);
	if (!range)
		return false;
	head = head_of(files, file, tls ? SYMBOL_TLS : SYMBOL_DATA, range, die, inner);
	if (!head)
		return false;
	data->name = head->name;
	data->type = head->type;
	data->file = head->file;
	data->line = head->line;
	data->start = range->start;
	data->size = range->end - range->start;
	data->offset = address - range->start;
	if (type_of(die, &type))
		data->field = type_field(files->pool, &type, data->offset);
	return true;
}

bool variables_type(struct elf_files *files, struct elf_file *file, __u64 address,
		    Dwarf_Die *type, Dwarf_Die *variable, __u64 *offset)
{
	const struct range *range;
	Dwarf_Die *die = NULL;
	bool inner;

	range = range_at(files, file, false, address, &die, &inner);
	if (!range || !type_of(die, type))
		return false;
	*variable = *die;
	*offset = address - range->start;
	return true;
}

static void index_free(struct index *index)
{
	free(index->die);
	ranges_free(&index->fixed);
	ranges_free(&index->local);
}

void variables_free(struct elf_file *file)
{
	if (!file->variables)
		return;
	index_free(&file->variables->index[0]);
	index_free(&file->variables->index[1]);
	name_cache_free(&file->variables->heads);
	free(file->variables);
	file->variables = NULL;
}
