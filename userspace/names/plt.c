// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"

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

void plt_each(const struct elf_file *file, plt_found *found, void *context)
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
