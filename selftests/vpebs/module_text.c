// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel shows the address of each section of a module, but not its size, which is read from
 * the file. Sections that only loading needs have been freed by now.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module_text.h"

static void *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "re");
	char *data = NULL;
	long length = 0;

	if (f && !fseek(f, 0, SEEK_END) && (length = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET)) {
		data = malloc((size_t)length);
		if (data && fread(data, 1, (size_t)length, f) != (size_t)length) {
			free(data);
			data = NULL;
		}
	}
	if (!data)
		fprintf(stderr, "vpebsctl: cannot read %s: %s\n", path, strerror(errno));
	if (f)
		fclose(f);
	*size = (size_t)length;
	return data;
}

/* The kernel's name of a module: memlat for /some/where/memlat.ko, with '_' for '-'. */
static bool module_name(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/');
	size_t length, i;

	base = base ? base + 1 : path;
	length = strlen(base);
	if (length < 4 || strcmp(base + length - 3, ".ko") || length - 3 >= size) {
		fprintf(stderr, "vpebsctl: '%s' is no module file, as memlat.ko\n", path);
		return false;
	}
	for (i = 0; i < length - 3; i++)
		name[i] = base[i] == '-' ? '_' : base[i];
	name[i] = '\0';
	return true;
}

static bool section_address(const char *module, const char *section, uint64_t *address)
{
	char path[256];
	bool found;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, section);
	f = fopen(path, "re");
	found = f && fscanf(f, "%" SCNx64, address) == 1 && *address;
	if (f)
		fclose(f);
	return found;
}

static bool sections_within(const Elf64_Ehdr *elf, size_t size)
{
	const Elf64_Shdr *names;

	if (size < sizeof(*elf) || memcmp(elf->e_ident, ELFMAG, SELFMAG) ||
	    elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_shentsize != sizeof(Elf64_Shdr) ||
	    elf->e_shoff > size || elf->e_shnum > (size - elf->e_shoff) / sizeof(Elf64_Shdr) ||
	    elf->e_shstrndx >= elf->e_shnum)
		return false;
	names = (const Elf64_Shdr *)((const char *)elf + elf->e_shoff) + elf->e_shstrndx;
	return names->sh_offset < size && names->sh_size <= size - names->sh_offset &&
	       names->sh_size && !((const char *)elf)[names->sh_offset + names->sh_size - 1];
}

int module_text(const char *path, uint64_t *start, uint64_t *end)
{
	const Elf64_Shdr *section;
	const char *names;
	char module[64];
	size_t size, names_size;
	void *file;
	unsigned int i;

	if (!module_name(path, module, sizeof(module)))
		return 1;
	file = slurp(path, &size);
	if (!file)
		return 1;
	if (!sections_within(file, size)) {
		fprintf(stderr, "vpebsctl: %s is no module: not a 64-bit ELF file\n", path);
		free(file);
		return 1;
	}
	section = (const Elf64_Shdr *)((const char *)file + ((const Elf64_Ehdr *)file)->e_shoff);
	names = (const char *)file + section[((const Elf64_Ehdr *)file)->e_shstrndx].sh_offset;
	names_size = section[((const Elf64_Ehdr *)file)->e_shstrndx].sh_size;
	*start = UINT64_MAX;
	*end = 0;
	for (i = 0; i < ((const Elf64_Ehdr *)file)->e_shnum; i++) {
		const char *name = names + section[i].sh_name;
		uint64_t address;

		if (section[i].sh_name >= names_size || !section[i].sh_size ||
		    !(section[i].sh_flags & SHF_EXECINSTR) ||
		    !strncmp(name, ".init", 5) || !section_address(module, name, &address))
			continue;
		if (address < *start)
			*start = address;
		if (address + section[i].sh_size > *end)
			*end = address + section[i].sh_size;
	}
	free(file);
	if (*start < *end)
		return 0;
	fprintf(stderr, "vpebsctl: /sys/module/%s/sections has no code: load %s first, and be root\n",
		module, path);
	return 1;
}
