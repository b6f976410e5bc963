// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "debug_file.h"

typedef void plt_found(void *context, __u64 start, __u64 size, const char *name);

/* A pointer that the loader fills in, and the name of the symbol that it will point to. */
struct slot {
	__u64 address;
	const char *name;
};

struct slots {
	struct slot *rows;
	size_t nr, room;
};

static void read_relocations(struct slots *slots, Elf *elf, Elf_Scn *section,
			     const GElf_Shdr *header)
{
	Elf_Scn *table = elf_getscn(elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *names;
	GElf_Shdr symbols;
	size_t nr, i;

	if (!table || !gelf_getshdr(table, &symbols) || symbols.sh_type != SHT_DYNSYM ||
	    !data || !header->sh_entsize)
		return;
	names = elf_getdata(table, NULL);
	nr = data->d_size / header->sh_entsize;
	for (i = 0; names && i < nr && i < INT32_MAX; i++) {
		GElf_Rela entry;
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getrela(data, (int)i, &entry))
			break;
		if ((GELF_R_TYPE(entry.r_info) != R_X86_64_JUMP_SLOT &&
		     GELF_R_TYPE(entry.r_info) != R_X86_64_GLOB_DAT) ||
		    GELF_R_SYM(entry.r_info) > INT32_MAX ||
		    !gelf_getsym(names, (int)GELF_R_SYM(entry.r_info), &symbol))
			continue;
		name = elf_strptr(elf, symbols.sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		ARRAY_GROW(slots->rows, slots->nr + 1, slots->room);
		slots->rows[slots->nr++] = (struct slot){ entry.r_offset, name };
	}
}

ORDER_BY(by_address, struct slot, address)

/*
 * The name of what an entry jumps to. Every kind of entry (lazy, bound at start, with or without an
 * endbr64 before) has one jump through its pointer: jmp *disp32(%rip).
 */
static const char *leads_to(const struct slots *slots, __u64 start, const unsigned char *code,
			    size_t size)
{
	const struct slot *slot;
	struct slot wanted = { };
	__s32 distance;
	size_t at;

	for (at = 0; at + 6 <= size; at++) {
		if (code[at] != 0xff || code[at + 1] != 0x25)
			continue;
		memcpy(&distance, code + at + 2, sizeof(distance));
		wanted.address = start + at + 6 + (__u64)(__s64)distance;
		slot = bsearch(&wanted, slots->rows, slots->nr, sizeof(*slot), by_address);
		if (slot)
			return slot->name;
	}
	return NULL;
}

static void read_entries(const struct elf_file *file,
			 const struct elf_section *section, const struct slots *slots,
			 plt_found *found, void *context)
{
	unsigned char code[16];
	size_t size = section->entry == 8 ? 8 : 16;
	__u64 at;

	for (at = section->start; at + size <= section->end; at += size) {
		size_t got = elf_read(file, at, code, size);
		const char *name = leads_to(slots, at, code, got);

		if (got < size)
			break;
		if (name)
			found(context, at, size, name);
	}
}

/* Name the entries of the PLT, which have no symbols. A file calls functions of others by them. */
static void plt_each(const struct elf_file *file, plt_found *found, void *context)
{
	struct slots slots = { 0 };
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t i;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			read_relocations(&slots, file->elf, section, &header);
	SORT(slots.rows, slots.nr, by_address);
	for (i = 0; slots.nr && i < file->nr_sections; i++) {
		const char *name = file->sections[i].name;

		if (name && !strncmp(name, ".plt", 4) &&
		    file->sections[i].flags & SHF_EXECINSTR)
			read_entries(file, &file->sections[i], &slots, found, context);
	}
	free(slots.rows);
}

struct symbol_list {
	struct symbol *rows;
	size_t nr, room;
	struct ranges ranges;	/* of the rows, by their index */
	const struct symbol **by_name;	/* NULL: not needed yet */
};

struct symbols {
	struct symbol_list list[SYMBOL_KINDS];
	bool complete;
};

static void add_symbol(struct symbol_list *list, const struct symbol *symbol)
{
	ARRAY_GROW(list->rows, list->nr + 1, list->room);
	list->rows[list->nr++] = *symbol;
}

/*
 * A name with a size comes first, then names without leading underscores, which are the
 * implementation's own; then global before weak before local ones.
 */
static unsigned int rank_of(const GElf_Sym *symbol, const char *name)
{
	unsigned int binding = GELF_ST_BIND(symbol->st_info);

	return (symbol->st_size != 0) * 16 + (name[0] != '_') * 8 +
	       (name[0] != '_' || name[1] != '_') * 4 +
	       (binding == STB_GLOBAL ? 2 : binding == STB_WEAK);
}

/* Is it a mark that a tool left, and not the name of a place in the program? */
static bool is_mark(const char *name)
{
	return !*name || *name == '$' || !strncmp(name, ".annobin", 8) ||
	       !strncmp(name, ".L", 2);
}

/*
 * The kind of a symbol; false: it is of no use. Symbols of data without a type are either the
 * linker's own bounds (_end, __bss_start) or from assembly. One without a size is taken only if its
 * name can't be that of a bound.
 */
static bool kind_of(const struct elf_file *file, const GElf_Sym *symbol, const char *name,
		    enum symbol_kind *kind)
{
	const struct elf_section *section;

	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		*kind = SYMBOL_CODE;
		return true;
	case STT_OBJECT:
	case STT_COMMON:
		*kind = SYMBOL_DATA;
		return true;
	case STT_TLS:
		*kind = SYMBOL_TLS;
		return true;
	case STT_NOTYPE:
		section = elf_section_at(file, symbol->st_value);
		if (!section)
			return false;
		if (section->flags & SHF_EXECINSTR) {
			*kind = SYMBOL_LABEL;
			return true;
		}
		*kind = SYMBOL_DATA;
		return symbol->st_size ||
		       (*name != '_' && strcmp(name, "data_start") &&
			strcmp(name, "edata") && strcmp(name, "end"));
	default:
		return false;
	}
}

/* A symbol's address. In a file that is not linked, st_value counts from the section's start. */
static __u64 value_of(Elf *elf, const GElf_Sym *symbol)
{
	GElf_Shdr header;
	GElf_Ehdr whole;

	if (gelf_getehdr(elf, &whole) && whole.e_type == ET_REL &&
	    symbol->st_shndx < SHN_LORESERVE &&
	    gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &header))
		return symbol->st_value + header.sh_addr;
	return symbol->st_value;
}

static void read_section(struct symbols *symbols, const struct elf_file *file, Elf *elf,
			 Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr, i;

	if (!data || !header->sh_entsize)
		return;
	nr = data->d_size / header->sh_entsize;
	for (i = 0; i < nr; i++) {
		enum symbol_kind kind;
		struct symbol row;
		const char *name;
		GElf_Sym symbol;

		if (i > INT32_MAX || !gelf_getsym(data, (int)i, &symbol))
			break;
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS)
			continue;
		symbol.st_value = value_of(elf, &symbol);
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name || is_mark(name) || !kind_of(file, &symbol, name, &kind) ||
		    symbol.st_value + symbol.st_size < symbol.st_value)
			continue;
		row = (struct symbol){
			.start = symbol.st_value,
			.size = symbol.st_size,
			.name = name,
			.rank = rank_of(&symbol, name),
		};
		add_symbol(&symbols->list[kind], &row);
	}
}

static void read_elf(struct symbols *symbols, const struct elf_file *file, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		read_section(symbols, file, elf, section, &header);
		symbols->complete |= header.sh_type == SHT_SYMTAB;
	}
}

/*
 * Of one rank, prefer the longer name, as perf's choose_best_symbol() does, so that both agree.
 * Order the rest by name, so that the result does not depend on the order in the file.
 */
COMPARE(by_start, struct symbol,
	order(a->start, b->start) ?: order(b->rank, a->rank) ?:
	order(strlen(b->name), strlen(a->name)) ?: strcmp(a->name, b->name))

/* Where a symbol ends at the latest. No section has the addresses of thread-local ones. */
static __u64 latest_end(const struct elf_file *file, enum symbol_kind kind, __u64 start)
{
	const struct elf_section *section;

	if (kind == SYMBOL_TLS)
		return start < file->tls.size ? file->tls.size : start;
	section = elf_section_at(file, start);
	return section ? section->end : start;
}

/* Keep one name for each address, and give symbols without a size an end. */
static void set_ends(struct symbol_list *list, const struct elf_file *file, enum symbol_kind kind)
{
	size_t i, kept = 0;

	SORT(list->rows, list->nr, by_start);
	for (i = 0; i < list->nr; i++) {
		if (kept && list->rows[kept - 1].start == list->rows[i].start) {
			if (list->rows[i].size > list->rows[kept - 1].size)
				list->rows[kept - 1].size = list->rows[i].size;
			continue;
		}
		list->rows[kept++] = list->rows[i];
	}
	list->nr = kept;
	for (i = 0; i < kept; i++) {
		struct symbol *row = &list->rows[i];

		if (!row->size) {
			__u64 end = latest_end(file, kind, row->start);

			if (i + 1 < kept && list->rows[i + 1].start < end)
				end = list->rows[i + 1].start;
			row->size = end - row->start;
		}
		ranges_add(&list->ranges, row->start, row->start + row->size, i);
	}
	ranges_settle(&list->ranges);
}

static void add_plt(void *context, __u64 start, __u64 size, const char *name)
{
	const struct symbol row = { .start = start, .size = size, .name = name };

	add_symbol(context, &row);
}

static void read_all(struct elf_files *files, struct elf_file *file)
{
	struct symbols *symbols;
	unsigned int kind;

	if (file->symbols || !file->elf)
		return;
	symbols = xcalloc(1, sizeof(*symbols));
	read_elf(symbols, file, file->elf);
	if (!symbols->complete) {
		debug_file_look(files, file);
		if (file->debug_elf)
			read_elf(symbols, file, file->debug_elf);
	}
	plt_each(file, add_plt, &symbols->list[SYMBOL_PLT]);
	for (kind = 0; kind < SYMBOL_KINDS; kind++)
		set_ends(&symbols->list[kind], file, kind);
	file->symbols = symbols;
}

const struct symbol *symbol_at(struct elf_files *files, struct elf_file *file,
			       enum symbol_kind kind, __u64 address)
{
	const struct symbol_list *list;
	const struct range *range;

	read_all(files, file);
	if (!file->symbols)
		return NULL;
	list = &file->symbols->list[kind];
	/* A function may be within another (in assembly). */
	range = ranges_find(&list->ranges, address);
	return range ? &list->rows[range->what] : NULL;
}

COMPARE_POINTERS(by_name, struct symbol, strcmp(a->name, b->name))

static void sort_names(struct symbol_list *list)
{
	size_t i;

	list->by_name = xmallocarray(list->nr, sizeof(*list->by_name));
	for (i = 0; i < list->nr; i++)
		list->by_name[i] = &list->rows[i];
	SORT(list->by_name, list->nr, by_name);
}

const struct symbol *symbol_named(struct elf_files *files, struct elf_file *file,
				  enum symbol_kind kind, const char *name)
{
	struct symbol_list *list;
	size_t first, end;

	read_all(files, file);
	if (!file->symbols)
		return NULL;
	list = &file->symbols->list[kind];
	if (!list->by_name)
		sort_names(list);
	first = FIRST_WHERE(i, list->nr, strcmp(list->by_name[i]->name, name) >= 0);
	end = FIRST_WHERE(i, list->nr, strcmp(list->by_name[i]->name, name) > 0);
	return end - first == 1 ? list->by_name[first] : NULL;
}

bool symbols_complete(struct elf_files *files, struct elf_file *file)
{
	read_all(files, file);
	return file->symbols && file->symbols->complete;
}

void symbols_free(struct elf_file *file)
{
	unsigned int kind;

	if (!file->symbols)
		return;
	for (kind = 0; kind < SYMBOL_KINDS; kind++) {
		free(file->symbols->list[kind].rows);
		free(file->symbols->list[kind].by_name);
		ranges_free(&file->symbols->list[kind].ranges);
	}
	free(file->symbols);
	file->symbols = NULL;
}

void ranges_add(struct ranges *ranges, __u64 start, __u64 end, size_t what)
{
	if (end <= start)
		return;
	ARRAY_GROW(ranges->rows, ranges->nr + 1, ranges->room);
	ranges->rows[ranges->nr++] = (struct range){ .start = start, .end = end, .what = what };
}

/* If several ranges have one start, the inner one is last, so that ranges_find() meets it first. */
COMPARE(range_order, struct range,
	order(a->start, b->start) ?: order(b->end, a->end) ?: order(b->what, a->what))

void ranges_settle(struct ranges *ranges)
{
	struct range *rows = ranges->rows;
	size_t i, outer;

	SORT(rows, ranges->nr, range_order);
	for (i = 0; i < ranges->nr; i++) {
		for (outer = i; outer && rows[outer - 1].end <= rows[i].end; )
			outer = rows[outer - 1].outer;
		rows[i].outer = outer;
	}
}

const struct range *ranges_find(const struct ranges *ranges, __u64 address)
{
	const struct range *rows = ranges->rows;
	size_t at = FIRST_WHERE(i, ranges->nr, rows[i].start > address);

	while (at && address >= rows[at - 1].end)
		at = rows[at - 1].outer;
	return at ? &rows[at - 1] : NULL;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->rows);
	*ranges = (struct ranges){ 0 };
}
