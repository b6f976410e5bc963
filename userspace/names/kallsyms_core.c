// SPDX-License-Identifier: GPL-2.0
#include "kallsyms.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "btf.h"

#define SYMBOLS_MOST	(4U << 20)
#define NAMES_MOST	(64U << 20)
#define TOKENS_MOST	(64U << 10)
#define TOKENS		256
#define NAME_MOST	1024	/* bytes of a symbol's name */
#define MODULES_MOST	4096
#define MODULE_NAME	64
#define MODULE_MOST	(1U << 20)	/* symbols of one module */
#define TEXTS_MOST	(64U << 20)
#define PAGE		4096ULL
#define SHORT		8	/* bytes that are copied for every token, however short it is */
#define TEXTS_AT_ONCE	(1U << 20)

/* The kernel's tables, as scripts/kallsyms.c writes them. */
struct tables {
	__u32 nr;
	__u64 offsets_at;	/* address of the offsets in the kernel */
	__s32 *offsets;
	bool based;		/* offsets count from base; else each counts from its own address */
	__u64 base;
	unsigned char *names;	/* of each name the number of its tokens, then the tokens */
	size_t names_size;
	char *tokens;
	__u16 token[TOKENS];
	__u16 length[TOKENS];	/* of each token's text */
	char begin[TOKENS][SHORT];	/* the first bytes of each token's text */
};

static void *copy(const struct kernel_core *core, __u64 at, size_t size, size_t most)
{
	void *bytes;

	if (!size || size > most)
		return NULL;
	bytes = xmalloc(size);
	if (kernel_core_get(core, at, bytes, size))
		return bytes;
	free(bytes);
	return NULL;
}

/* Measure the tokens' texts. Each ends with a 0; false: the last one does not. */
static bool measure_tokens(struct tables *tables, size_t size)
{
	unsigned int i;

	for (i = 0; i < TOKENS; i++) {
		const char *text = tables->tokens + tables->token[i], *end;

		if (tables->token[i] >= size)
			return false;
		end = memchr(text, '\0', size - tables->token[i]);
		if (!end)
			return false;
		tables->length[i] = (__u16)(end - text);
		memcpy(tables->begin[i], text, (size_t)(end - text) < SHORT ?
		       (size_t)(end - text) : SHORT);
	}
	return true;
}

static bool read_tables(struct tables *tables, const struct kernel_core *core)
{
	__u64 number, names, token_table, token_index, base;
	size_t size;

	if (!kernel_core_symbol(core, "kallsyms_num_syms", &number) ||
	    !kernel_core_symbol(core, "kallsyms_names", &names) ||
	    !kernel_core_symbol(core, "kallsyms_token_table", &token_table) ||
	    !kernel_core_symbol(core, "kallsyms_token_index", &token_index) ||
	    !kernel_core_symbol(core, "kallsyms_offsets", &tables->offsets_at) ||
	    !kernel_core_get(core, number, &tables->nr, sizeof(tables->nr)) ||
	    !tables->nr || tables->nr > SYMBOLS_MOST)
		return false;
	tables->based = kernel_core_symbol(core, "kallsyms_relative_base", &base);
	if (tables->based && !kernel_core_get(core, base, &tables->base, sizeof(tables->base)))
		return false;
	size = token_index - token_table;
	tables->tokens = copy(core, token_table, size, TOKENS_MOST);
	tables->names_size = token_table - names;
	tables->names = copy(core, names, tables->names_size, NAMES_MOST);
	tables->offsets = copy(core, tables->offsets_at, tables->nr * sizeof(*tables->offsets),
			       SYMBOLS_MOST * sizeof(*tables->offsets));
	return tables->tokens && tables->names && tables->offsets &&
	       kernel_core_get(core, token_index, tables->token, sizeof(tables->token)) &&
	       measure_tokens(tables, size);
}

static __u64 address_of(const struct tables *tables, __u32 i, bool absolute)
{
	__s32 offset = tables->offsets[i];

	if (!tables->based)
		return tables->offsets_at + i * sizeof(offset) + (__u64)(__s64)offset;
	if (!absolute)
		return tables->base + (__u32)offset;
	/* Until 6.14 an offset is itself the address of a per-CPU symbol; others are below 0. */
	return offset >= 0 ? (__u64)offset : tables->base - 1 - (__u64)(__s64)offset;
}

/* The tokens of the next name; NULL: the table ends before it. */
static const unsigned char *next_name(const unsigned char **at, const unsigned char *end,
				      size_t *nr)
{
	const unsigned char *name;

	if (*at == end)
		return NULL;
	*nr = *(*at)++;
	if (*nr & 0x80) {
		if (*at == end)
			return NULL;
		*nr = (*nr & 0x7f) | (size_t)*(*at)++ << 7;
	}
	name = *at;
	if (!*nr || *nr > (size_t)(end - name))
		return NULL;
	*at += *nr;
	return name;
}

/* Write a name from its tokens and return where it ends; NULL: it is too long. */
static char *put_tokens(char *to, const struct tables *tables, const unsigned char *name,
			size_t nr)
{
	const char *end = to + NAME_MOST;
	size_t i;

	for (i = 0; i < nr; i++) {
		const unsigned char token = name[i];
		const size_t length = tables->length[token];

		if (length > (size_t)(end - to))
			return NULL;
		/* Most tokens are short. The room has SHORT bytes more than a name may take. */
		memcpy(to, tables->begin[token], SHORT);
		if (length > SHORT)
			memcpy(to, tables->tokens + tables->token[token], length);
		to += length;
	}
	return to;
}

static bool take_names(struct kallsyms *all, const struct tables *tables)
{
	const unsigned char *at = tables->names, *end = at + tables->names_size, *name;
	char *text = NULL, *last = NULL;
	size_t nr;
	__u32 row;

	for (row = 0; row < tables->nr; row++) {
		if (!text || (size_t)(last - text) < NAME_MOST + SHORT + 1) {
			text = pool_take(&all->pool, TEXTS_AT_ONCE);
			last = text + TEXTS_AT_ONCE;
		}
		all->rows[row].name = text + 1;
		name = next_name(&at, end, &nr);
		if (name)
			text = put_tokens(text, tables, name, nr);
		if (!name || !text || text <= all->rows[row].name)
			return false;
		*text++ = '\0';
		all->rows[row].type = all->rows[row].name[-1];
		all->rows[row].module = "";
	}
	return true;
}

/* Are the first rows those that /proc/kallsyms begins with? */
static bool begins_so(const struct kallsyms *all, const char *begin)
{
	const char *end;
	size_t row;

	for (row = 0; (end = strchr(begin, '\n')); row++, begin = end + 1) {
		const struct ksym *own = &all->rows[row];
		size_t length = strlen(own->name);
		char *at;

		if (row == all->nr || strtoull(begin, &at, 16) != own->start || *at != ' ' ||
		    at[1] != own->type || at[2] != ' ' || strncmp(at + 3, own->name, length) ||
		    at + 3 + length != end)
			return false;
	}
	return row;
}

static bool take_kernel(struct kallsyms *all, const struct tables *tables, const char *begin)
{
	unsigned int absolute;
	__u32 i;

	all->rows = xcalloc(tables->nr, sizeof(*all->rows));
	all->nr = all->room = tables->nr;
	if (!take_names(all, tables))
		return false;
	for (absolute = 0; absolute < 2; absolute++) {
		for (i = 0; i < tables->nr; i++)
			all->rows[i].start = address_of(tables, i, absolute);
		if (begins_so(all, begin))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- modules */

struct layout {
	struct btf_place next, name, symbols;		/* members of struct module */
	struct btf_place table, nr, texts, letters;	/* members of struct mod_kallsyms */
};

static bool read_layout(const struct btf *btf, struct layout *layout)
{
	return btf_member(btf, "module", "list", &layout->next) &&
	       btf_member(btf, "module", "name", &layout->name) &&
	       layout->name.size < MODULE_NAME &&
	       btf_member(btf, "module", "kallsyms", &layout->symbols) &&
	       btf_member(btf, "mod_kallsyms", "symtab", &layout->table) &&
	       btf_member(btf, "mod_kallsyms", "num_symtab", &layout->nr) &&
	       layout->nr.size == sizeof(__u32) &&
	       btf_member(btf, "mod_kallsyms", "strtab", &layout->texts) &&
	       btf_member(btf, "mod_kallsyms", "typetab", &layout->letters);
}

/*
 * Read the text that holds the symbols' names. Its length is kept nowhere, so read as far as the
 * last name may reach.
 */
static char *read_texts(const struct kernel_core *core, __u64 at, const Elf64_Sym *table,
			size_t nr, size_t *size)
{
	size_t last = 0, i;
	char *texts;

	for (i = 0; i < nr; i++)
		if (table[i].st_name > last)
			last = table[i].st_name;
	*size = last + NAME_MOST;
	texts = copy(core, at, *size, TEXTS_MOST);
	if (texts)
		return texts;
	/* The page behind the last name's may not be mapped. */
	*size = ((at + last) | (PAGE - 1)) + 1 - at;
	return copy(core, at, *size, TEXTS_MOST);
}

/* The letter as in /proc/kallsyms, but in upper case if global; there, if exported. */
static char letter(char type, const Elf64_Sym *symbol)
{
	bool global = ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL;

	return (char)(global && type != 'a' ? toupper((unsigned char)type) :
					      tolower((unsigned char)type));
}

static bool take_symbols(struct kallsyms *all, const char *module, const Elf64_Sym *table,
			 size_t nr, const char *letters, const char *texts, size_t size)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const char *name = texts + table[i].st_name;

		if (table[i].st_name >= size || !memchr(name, '\0', size - table[i].st_name))
			return false;
		if (!*name)
			continue;
		ARRAY_GROW(all->rows, all->nr + 1, all->room);
		all->rows[all->nr++] = (struct ksym){
			.start = table[i].st_value, .type = letter(letters[i], &table[i]),
			.name = name, .module = module,
		};
	}
	return true;
}

static bool take_module(struct kallsyms *all, const struct kernel_core *core,
			const struct layout *layout, __u64 at)
{
	__u64 symbols, table_at, texts_at, letters_at;
	char name[MODULE_NAME] = "", *texts = NULL, *letters = NULL;
	Elf64_Sym *table = NULL;
	bool good = false;
	size_t size;
	__u32 nr;

	if (!kernel_core_get(core, at + layout->name.offset, name, layout->name.size) || !*name ||
	    !kernel_word(core, at + layout->symbols.offset, &symbols) ||
	    !kernel_word(core, symbols + layout->table.offset, &table_at) ||
	    !kernel_word(core, symbols + layout->texts.offset, &texts_at) ||
	    !kernel_word(core, symbols + layout->letters.offset, &letters_at) ||
	    !kernel_core_get(core, symbols + layout->nr.offset, &nr, sizeof(nr)) ||
	    nr > MODULE_MOST)
		return false;
	if (!nr)
		return true;
	table = copy(core, table_at, nr * sizeof(*table), MODULE_MOST * sizeof(*table));
	letters = copy(core, letters_at, nr, MODULE_MOST);
	if (table && letters)
		texts = read_texts(core, texts_at, table, nr, &size);
	if (texts)
		good = take_symbols(all, pool_text(&all->pool, name), table, nr, letters,
				    memcpy(pool_take(&all->pool, size), texts, size), size);
	free(table);
	free(letters);
	free(texts);
	return good;
}

/* Walk the kernel's list of modules; false: it does not lead back to its head. */
static bool take_modules(struct kallsyms *all, const struct kernel_core *core,
			 const struct btf *btf)
{
	const size_t kernel = all->nr;
	__u64 list = 0, at;
	struct layout layout;
	size_t i;

	for (i = 0; i < kernel; i++)
		if (isupper((unsigned char)all->rows[i].type) &&
		    !strcmp(all->rows[i].name, "modules"))
			list = all->rows[i].start;
	if (!list || !read_layout(btf, &layout) ||
	    !kernel_core_get(core, list, &at, sizeof(at)))
		return false;
	for (i = 0; at != list && i < MODULES_MOST; i++)
		if (!take_module(all, core, &layout, at - layout.next.offset) ||
		    !kernel_core_get(core, at, &at, sizeof(at)))
			return false;
	return at == list;
}

static void free_tables(struct tables *tables)
{
	free(tables->offsets);
	free(tables->names);
	free(tables->tokens);
}

/* May a token, with a letter ahead of the name, be the first one of the name? */
static bool may_begin(const struct tables *tables, unsigned int token, const char *name)
{
	const char *text = tables->tokens + tables->token[token];

	return tables->length[token] < 2 || !strncmp(text + 1, name, tables->length[token] - 1U);
}

static void find_name(const struct tables *tables, const char *wanted, __u64 *address)
{
	const unsigned char *at = tables->names, *end = at + tables->names_size, *name;
	char text[NAME_MOST + SHORT + 1], *last;
	bool begins[TOKENS];
	unsigned int i;
	size_t nr;
	__u32 row;

	for (i = 0; i < TOKENS; i++)
		begins[i] = may_begin(tables, i, wanted);
	for (row = 0; row < tables->nr && (name = next_name(&at, end, &nr)); row++) {
		/* Few names pass this. */
		if (!begins[name[0]] || (nr > 1 && tables->length[name[0]] == 1 &&
					 tables->begin[name[1]][0] != wanted[0]))
			continue;
		last = put_tokens(text, tables, name, nr);
		if (!last)
			return;
		*last = '\0';
		/* The kernel is far smaller than 2 GiB, so the sign tells how the offset counts. */
		if (*text && !strcmp(text + 1, wanted))
			*address = address_of(tables, row, tables->offsets[row] < 0);
	}
}

bool kallsyms_core_find(const struct kernel_core *core, const char *const *names, size_t nr,
			__u64 *addresses)
{
	struct tables tables = { 0 };
	size_t i;

	memset(addresses, 0, nr * sizeof(*addresses));
	if (read_tables(&tables, core))
		for (i = 0; i < nr; i++)
			find_name(&tables, names[i], &addresses[i]);
	free_tables(&tables);
	for (i = 0; i < nr && addresses[i] >> 63; i++)
		;
	return i == nr;
}

bool kallsyms_from_core(struct kallsyms *all, const struct kernel_core *core,
			const struct btf *btf, const char *begin)
{
	struct tables tables = { 0 };
	bool good = read_tables(&tables, core) && take_kernel(all, &tables, begin) &&
		    take_modules(all, core, btf);

	free_tables(&tables);
	if (good)
		return true;
	kallsyms_free(all);
	*all = (struct kallsyms){ 0 };
	return false;
}
