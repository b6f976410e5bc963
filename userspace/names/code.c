// SPDX-License-Identifier: GPL-2.0
/* Name code by its function, line and inlined frames, and read it for disassembly. */
#include <string.h>

#include "../profile/known.h"
#include "../util/text.h"
#include "kernel_core.h"
#include "naming.h"
#include "symbols.h"
#include "units.h"

static void name_symbol(struct namer *namer, struct elf_file *file, __u64 address,
			struct code_name *code)
{
	static const enum symbol_kind kinds[] = { SYMBOL_CODE, SYMBOL_LABEL, SYMBOL_PLT };
	const struct symbol *symbol = NULL;
	unsigned int i;

	for (i = 0; !symbol && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		symbol = symbol_at(&namer->files, file, kinds[i], address);
	if (!symbol)
		return;
	code->raw = symbol->name;
	code->offset = address - symbol->start;
	code->size = symbol->size;
	code->function = demangle(&namer->pool, symbol->name);
	if (kinds[i - 1] == SYMBOL_PLT)
		code->raw = code->function =
			pool_format(&namer->pool, "%s@plt", code->function);
}

/* The name of a mapping: the last part of a file's path, or the kernel's word if it has no file. */
static const char *mapping_name(struct namer *namer, const char *path)
{
	if (!*path || !strncmp(path, "//anon", 6))
		return "[anon]";
	if (!history_path_is_file(path))
		return pool_text(&namer->pool, path);
	return pool_text(&namer->pool, text_last_part(path));
}

/* Name code in memory that is of no file. Some programs write down what they put there. */
static void name_made(struct namer *namer, const struct place *place, struct code_name *code)
{
	const struct profile *profile = namer->profile;
	const struct history_code *made;
	char *raw, *earlier;

	if (profile->live && !namer->jit_asked) {
		namer->jit_asked = true;
		history_read_jit(profile->history, &profile->snap);
	}
	made = history_code_at(place->image, place->address);
	if (!made) {
		/* "[vdso]" and the like are the kernel's, and not made by the program. */
		namer->made_missed |= !history_path_is_file(place->map->path) &&
				      strncmp(place->map->path, "[v", 2);
		return;
	}
	code->raw = raw = pool_text(&namer->pool, made->name);
	earlier = strstr(raw, HISTORY_EARLIER);
	if (earlier)
		*earlier = '\0';
	code->function = demangle(&namer->pool, code->raw);
	if (earlier)
		code->function = pool_format(&namer->pool, "%s" HISTORY_EARLIER "%s",
					     code->function,
					     demangle(&namer->pool,
						      earlier + strlen(HISTORY_EARLIER)));
	code->offset = place->address - made->function;
	code->module = "[jit]";
}

/* People look for their own code, into which that of the library was inlined. */
static void prefer_own(struct code_name *code)
{
	size_t i = 0;

	while (i < code->nr_frames && (!code->frames[i].function ||
				       of_standard_library(code->frames[i].function)))
		i++;
	if (!i || i == code->nr_frames)
		return;
	code->function = code->frames[i].function;
	code->file = code->frames[i].file;
	code->line = code->frames[i].line;
}

/* Say that the name is only that of what was there at last. */
static void doubt(struct namer *namer, const struct place *place, struct code_name *code)
{
	const char *before = code->function ? place_before(namer, place) : NULL;

	if (before)
		code->function = pool_format(&namer->pool, "%s, or before that of %s",
					     code->function, before);
}

void code_fill(struct namer *namer, const struct place *place, struct code_name *code)
{
	const __u64 ip = place->address;
	struct elf_file *file = place->file;
	__u64 address;

	if (kernel_address(ip)) {
		kernel_name_code(namer, ip, code);
		doubt(namer, place, code);
		return;
	}
	namer->image_missed |= !place->image && !namer->named;
	code->module_offset = ip;
	if (!place->map)
		return;
	code->module_offset = ip - place->map->start + place->map->offset;
	if (!file) {
		code->module = mapping_name(namer, place->map->path);
		code->path = pool_text(&namer->pool, place->map->path);
		name_made(namer, place, code);
		return;
	}
	code->module = file->name;
	code->path = file->path;
	code->i386 = file->i386;
	code->deleted = file->state == ELF_GONE || file->state == ELF_CHANGED ||
			file->state == ELF_ELSEWHERE;
	file->missed_symbols += !place->placed && !namer->named;
	if (!place->placed)
		return;
	address = ip - place->bias;
	code->module_offset = address;
	name_symbol(namer, file, address, code);
	units_name_code(&namer->files, file, address, code);
	prefer_own(code);
	doubt(namer, place, code);
	code->stripped = !code->function;
	file->missed_symbols += code->stripped && !namer->named;
	file->missed_dwarf += !code->nr_frames;
}

/* The kernel patches its own code, so the code that runs is in its memory only. */
static size_t kernel_text(struct namer *namer, __u64 ip, void *bytes, size_t size)
{
	if ((namer->profile->live || namer->files.recording) && !namer->core_asked) {
		namer->core_asked = true;
		namer->core = kernel_core_open();
	}
	return namer->core ? kernel_core_read(namer->core, ip, bytes, size) : 0;
}

size_t namer_text(struct namer *namer, __u32 space, __u32 gen, __u64 ip, void *bytes,
		  size_t size)
{
	const struct place place = code_place(namer, space, gen, ip);
	const struct code_name *name;
	size_t got = 0;

	if (kernel_address(ip))
		got = kernel_text(namer, ip, bytes, size);
	else if (place.placed)
		got = elf_read(place.file, ip - place.bias, bytes, size);
	if (got || !namer->profile->known)
		return got;
	name = namer_code(namer, space, gen, ip);
	return known_find_text(namer->profile->known, name->path, name->module_offset, bytes, size);
}
