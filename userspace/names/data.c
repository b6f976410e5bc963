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
static bool name_variable(struct namer *namer, const struct module *module, __u64 where,
			  struct data_name *data)
{
	const __u64 address = where - module->bias;

	if (!file_name_data(namer, module->file, false, address, data))
		return false;
	data->kind = DATA_VARIABLE;
	data->start += module->bias;
	set_file(data, module->file, address);
	return true;
}

/* Name data of a file that no symbol covers by its section. */
static void name_section(struct namer *namer, const struct module *module, __u64 where,
			 struct data_name *data)
{
	struct elf_file *file = module->file;
	const struct elf_section *section;
	__u64 address = where - module->bias;

	data->kind = DATA_FILE;
	section = elf_section_at(file, address);
	set_file(data, file, address);
	if (!section || !section->name)
		return;
	data->name = pool_format(&namer->pool, "[%s of %s]", section->name, file->name);
	data->start = section->start + module->bias;
	data->size = section->end - section->start;
	data->offset = where - data->start;
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

static void name_mapping(struct namer *namer, const struct history_map *map, __u64 address,
			 struct data_name *data)
{
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

static void fill(struct namer *namer, __u32 space, __u32 gen, __u64 address, __u32 tid,
		 struct data_name *data)
{
	const struct history_image *image;
	struct module module;

	data->kind = DATA_UNKNOWN;
	if (kernel_address(address)) {
		kernel_name_data(namer, address, data);
		return;
	}
	image = history_find(namer->profile->history, space, gen);
	namer->image_missed |= !image && !namer->named;
	if (heap_name_data(namer, image, space, gen, address, data)) {
		data->how = DATA_NOTED;
		return;
	}
	module = module_at(namer, image, address);
	if (!module.map)
		return;
	if (module.placed && !(module.map->flags & MAP_SHARED)) {
		if (name_variable(namer, &module, address, data))
			data->how = DATA_SYMBOL;
		else
			name_section(namer, &module, address, data);
		if (data->name)
			return;
	}
	/* Only a missing file that is mapped writable counts. A data file has no names to miss. */
	if (module.file && !module.file->elf && module.map->prot & PROT_WRITE && !namer->named)
		module.file->missed_symbols++;
	if (tls_name_data(namer, image, module.map, space, gen, address, tid, data)) {
		data->how = data->size ? DATA_SYMBOL : DATA_NO_NAME;
		return;
	}
	if (stack_name_data(namer, image, module.map, space, gen, address, data))
		return;
	name_mapping(namer, module.map, address, data);
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

/* Say that the name is only that of what was there at last. */
static void doubt(struct namer *namer, __u32 space, __u32 gen, __u64 address,
		  struct data_name *data)
{
	const char *before = data->text ? namer_before(namer, space, gen, address) : NULL;

	if (before)
		data->text = pool_format(&namer->pool, "%s, or before that of %s", data->text,
					 before);
}

static bool has_place(const struct data_name *data)
{
	return data->how == DATA_SYMBOL || data->kind == DATA_TLS;
}

void data_fill(struct namer *namer, __u32 space, __u32 gen, __u64 address, __u32 tid,
	       struct data_name *data)
{
	fill(namer, space, gen, address, tid, data);
	if (!has_place(data) && !kernel_address(address))
		instance_name_data(namer, space, gen, address, data);
	format_text(namer, data);
	doubt(namer, space, gen, address, data);
}

void data_fill_access(struct namer *namer, const struct memlat_rec_access *access,
		      const struct instance *in, struct data_name *data)
{
	fill(namer, access->tgid, access->gen, access->addr, access->tid, data);
	if (!has_place(data))
		instance_name_access(namer, in, access->addr, data);
	format_text(namer, data);
	doubt(namer, access->tgid, access->gen, access->addr, data);
}
