// SPDX-License-Identifier: GPL-2.0
/* Debug files of kernel modules, which are relocatable: libdwfl lays them out. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../util/io.h"
#include "debug_file.h"
#include "elf_file.h"

/* Keep libdwfl from looking for separate debug files: elf_file_module() knows where to look. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word sum, char **found)
{
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.section_address = dwfl_offline_section_address,
	.find_debuginfo = no_debug_file,
};

/* Note each section as a segment, so that elf_segment_at() finds addresses of the module. */
static bool note_sections(struct elf_file *file, struct pool *pool)
{
	size_t i;

	elf_note_sections(file, pool);
	file->segments = pool_take(pool, file->nr_sections * sizeof(*file->segments));
	for (i = 0; i < file->nr_sections; i++)
		file->segments[i] = (struct elf_segment){
			.address = file->sections[i].start,
			.size = file->sections[i].end - file->sections[i].start,
			.flags = PF_R | (file->sections[i].flags & SHF_EXECINSTR ? PF_X : 0),
		};
	file->nr_segments = file->nr_sections;
	return file->nr_segments;
}

/* Take a file if it has the module's build id and DWARF. Without DWARF kallsyms tells as much. */
static bool try_file(struct elf_files *files, struct elf_file *file, const char *path)
{
	GElf_Addr bias, debug_bias;
	Dwfl_Module *module;
	GElf_Ehdr header;
	struct stat st;
	Dwfl *dwfl;
	int fd;

	fd = io_open(path, &st);
	if (fd < 0)
		return false;
	dwfl = dwfl_begin(&callbacks);
	module = dwfl ? dwfl_report_offline(dwfl, file->name, path, fd) : NULL;
	if (!module) {
		dwfl_end(dwfl);
		close(fd);
		return false;
	}
	dwfl_report_end(dwfl, NULL, NULL);
	file->elf = dwfl_module_getelf(module, &bias);
	if (file->elf && gelf_getehdr(file->elf, &header) && header.e_type == ET_REL &&
	    elf_has_build_id(file->elf, file->build_id, file->build_id_size))
		file->dwarf = dwfl_module_getdwarf(module, &debug_bias);
	if (file->dwarf && !bias && !debug_bias && note_sections(file, files->pool)) {
		file->dwfl = dwfl;
		file->state = ELF_HERE;
		return true;
	}
	file->elf = NULL;
	file->dwarf = NULL;
	file->nr_sections = file->nr_segments = 0;
	dwfl_end(dwfl);
	return false;
}

/*
 * Is a path of modules.dep, such as "kernel/net/9p/9p.ko.xz", that of a module? A file's name may
 * have "-" where the module's has "_".
 */
static bool is_of(const char *path, size_t length, const char *module)
{
	size_t i;

	while (length && memchr(path, '/', length)) {
		path++;
		length--;
	}
	for (i = 0; i < length && module[i]; i++)
		if (path[i] != module[i] && !(path[i] == '-' && module[i] == '_'))
			return false;
	return !module[i] && length - i >= 3 && !memcmp(path + i, ".ko", 3);
}

/* Find the module's path in depmod's list, and cut off what follows ".ko", such as ".xz". */
static bool find_path(const char *release, const char *module, char *path, size_t room)
{
	char list[PATH_MAX], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *file;

	if (snprintf(list, sizeof(list), "/lib/modules/%s/modules.dep", release) >= PATH_MAX)
		return false;
	file = fopen(list, "re");
	if (!file)
		return false;
	while (!found && getline(&line, &size, file) > 0) {
		size_t length = strcspn(line, ":");

		if (!is_of(line, length, module))
			continue;
		while (memcmp(line + length - 3, ".ko", 3))
			length--;
		found = length < room;
		if (found)
			snprintf(path, room, "%.*s", (int)length, line);
	}
	free(line);
	fclose(file);
	return found;
}

static void find_module(struct elf_files *files, struct elf_file *file, const char *release)
{
	static const char *const places[] = {
		"/usr/lib/debug/lib/modules/%s/%s", "/usr/lib/debug/lib/modules/%s/%s.debug",
		"/lib/modules/%s/%s",
	};
	char path[PATH_MAX], within[PATH_MAX];
	size_t i;

	if (debug_file_by_id(files->debug, file->build_id, file->build_id_size, path,
			     sizeof(path)) && try_file(files, file, path))
		return;
	if (!release || strchr(release, '/') ||
	    !find_path(release, file->name, within, sizeof(within)))
		return;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (snprintf(path, sizeof(path), places[i], release, within) < PATH_MAX &&
		    try_file(files, file, path))
			return;
}

struct elf_file *elf_file_module(struct elf_files *files, const char *module, const __u8 *id,
				 size_t size, const char *release)
{
	struct history_map map = { .build_id_size = (__u8)size };
	struct elf_file *file;
	char label[PATH_MAX];

	if (!size || size > HISTORY_BUILD_ID_MAX ||
	    snprintf(label, sizeof(label), "[%s]", module) >= PATH_MAX)
		return NULL;
	memcpy(map.build_id, id, size);
	for (file = files->first; file; file = file->next)
		if (!strcmp(file->path, label) && file->build_id_size == size &&
		    !memcmp(file->build_id, id, size))
			return file;
	file = elf_file_add(files, label, &map);
	file->state = ELF_GONE;
	file->name = pool_text(files->pool, module);
	file->debug_looked = file->dwarf_looked = true;
	find_module(files, file, release);
	return file;
}
