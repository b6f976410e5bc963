// SPDX-License-Identifier: GPL-2.0
/* Name data by its variable, object, stack or mapping. */
#include <string.h>
#include <sys/mman.h>

#include "naming.h"
#include "symbols.h"
#include "units.h"

static void set_file(struct data_name *data, const struct elf_file *file, __u64 address)
{
	const struct elf_section *section = elf_section_at(file, address);

	data->module = file->name;
	data->path = file->path;
	if (section)
		data->section = section->name;
}

bool file_name_data(struct namer *namer, struct elf_file *file, bool tls, __u64 address,
		    struct data_name *data)
{
	const struct symbol *symbol;

	if (variables_name_data(&namer->files, file, tls, address, data))
		return true;
	symbol = symbol_at(&namer->files, file, tls ? SYMBOL_TLS : SYMBOL_DATA, address);
	if (!symbol)
		return false;
	data->name = demangle(&namer->pool, symbol->name);
	data->start = symbol->start;
	data->size = symbol->size;
	data->offset = address - symbol->start;
	file->missed_dwarf++;
	return true;
}

/* Name a global or static variable. */
static bool name_variable(struct namer *namer, const struct place *place, struct data_name *data)
{
	const __u64 address = place->address - place->bias;

	if (!file_name_data(namer, place->file, false, address, data))
		return false;
	data->kind = DATA_VARIABLE;
	data->start += place->bias;
	set_file(data, place->file, address);
	return true;
}

/* Name data of a file that no symbol covers by its section. */
static void name_section(struct namer *namer, const struct place *place, struct data_name *data)
{
	const __u64 address = place->address - place->bias;
	struct elf_file *file = place->file;
	const struct elf_section *section;

	data->kind = DATA_FILE;
	section = elf_section_at(file, address);
	set_file(data, file, address);
	if (!section || !section->name)
		return;
	data->name = pool_format(&namer->pool, "[%s of %s]", section->name, file->name);
	data->start = section->start + place->bias;
	data->size = section->end - section->start;
	data->offset = place->address - data->start;
	file->missed_symbols += !symbols_complete(&namer->files, file);
}

/* Cut off "(deleted)" from "/memfd:x (deleted)", because nobody deleted a file there. */
static const char *shared_name(struct namer *namer, const char *path)
{
	const size_t deleted = strlen(HISTORY_DELETED);
	size_t length = strlen(path);

	if ((!strncmp(path, "/memfd:", 7) || !strncmp(path, "/SYSV", 5)) && length > deleted &&
	    !strcmp(path + length - deleted, HISTORY_DELETED))
		length -= deleted;
	return pool_format(&namer->pool, "%.*s", (int)length, path);
}

static void name_mapping(struct namer *namer, const struct place *place, struct data_name *data)
{
	const struct history_map *map = place->map;
	const __u64 address = place->address;
	const char *path = map->path;

	data->start = map->start;
	data->size = map->end - map->start;
	data->offset = address - map->start;
	if (!strcmp(path, "[heap]")) {
		data->kind = DATA_HEAP;
		data->name = "[heap]";
	} else if (map->flags & MAP_SHARED) {
		data->kind = DATA_SHARED;
		data->name = !*path || !strncmp(path, "/dev/zero", 9) ? "[shared anon]" :
			     shared_name(namer, path);
		data->path = data->name;
		/* Count from the start of the file, which is the same for all processes. */
		if (history_path_is_file(path)) {
			data->start = map->start - map->offset;
			data->offset = address - data->start;
			data->size = 0;
		}
	} else if (history_path_is_file(path)) {
		data->kind = DATA_FILE;
		data->name = data->path = pool_text(&namer->pool, path);
	} else if (!*path || !strncmp(path, "//anon", 6)) {
		data->kind = DATA_ANON;
		data->name = "[anon]";
	} else {
		/* The kernel has a name for it: "[vvar]", "[anon:name]". */
		data->kind = DATA_ANON;
		data->name = pool_text(&namer->pool, path);
	}
}

static void fill(struct namer *namer, const struct place *place, __u32 tid, struct data_name *data)
{
	data->kind = DATA_UNKNOWN;
	if (kernel_address(place->address)) {
		kernel_name_data(namer, place->address, data);
		return;
	}
	namer->image_missed |= !place->image && !namer->named;
	if (place->noted) {
		heap_name_data(namer, place, data);
		data->how = DATA_NOTED;
		return;
	}
	if (!place->map)
		return;
	if (place_has_variables(place)) {
		if (name_variable(namer, place, data))
			data->how = DATA_SYMBOL;
		else
			name_section(namer, place, data);
		if (data->name)
			return;
	}
	/* Only a missing file that is mapped writable counts. A data file has no names to miss. */
	if (place->file && !place->file->elf && place->map->prot & PROT_WRITE && !namer->named)
		place->file->missed_symbols++;
	if (tls_name_data(namer, place, tid, data)) {
		data->how = data->size ? DATA_SYMBOL : DATA_NO_NAME;
		return;
	}
	if (!stack_name_data(namer, place, data))
		name_mapping(namer, place, data);
}

static void format_text(struct namer *namer, struct data_name *data)
{
	data->text = data->name;
	if (data->how == DATA_NOTED && data->type)
		data->text = pool_format(&namer->pool, "%s, %s%s", data->name, data->type,
					 data->field ? data->field : "");
	else if (data->name && data->field)
		data->text = pool_format(&namer->pool, "%s%s", data->name, data->field);
	else if (data->how == DATA_SLAB || data->how == DATA_VMALLOC ||
		 data->how == DATA_BPF_MAP)
		data->text = pool_format(&namer->pool, "%s +0x%02llx", data->name, data->offset);
}

/* Complete an answer that is filled in. */
static void complete(struct namer *namer, const struct place *place, struct data_name *data)
{
	const char *before;

	format_text(namer, data);
	before = data->text ? place_before(namer, place) : NULL;
	/* The name is only that of what was there at last. */
	if (before)
		data->text = pool_format(&namer->pool, "%s, or before that of %s", data->text,
					 before);
}

static bool has_name(const struct data_name *data)
{
	return data->how == DATA_SYMBOL || data->kind == DATA_TLS;
}

void data_fill(struct namer *namer, const struct place *place, __u32 tid, struct data_name *data)
{
	fill(namer, place, tid, data);
	if (!has_name(data) && !kernel_address(place->address))
		instance_name_data(namer, place, data);
	complete(namer, place, data);
}

void data_fill_access(struct namer *namer, const struct place *place, __u32 tid,
		      const struct instance *in, struct data_name *data)
{
	fill(namer, place, tid, data);
	if (!has_name(data))
		instance_name_access(namer, in, place->address, data);
	complete(namer, place, data);
}
