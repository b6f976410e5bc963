// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "kernel_core.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../util/xalloc.h"

#define KCORE		"/proc/kcore"

/*
 * Where x86-64 kernels lie whatever they were built with (the kernel's
 * Documentation/arch/x86/x86_64/mm.rst); KASLR moves things within these.
 */
#define CPU_ENTRY	0xfffffe0000000000ULL
#define CPU_ENTRY_END	0xfffffe8000000000ULL
#define IMAGE		0xffffffff80000000ULL
#define MODULES_LEAST	0xffffffffa0000000ULL
#define MODULES_END	0xffffffffff000000ULL
#define NO_PHYS		(~0ULL)
#define VMALLOC_LEAST	(1ULL << 40)	/* vmalloc's area is 32 TiB or more */

/*
 * Each segment that can be read, until the callback has had enough. Not by libelf: it
 * takes the file for as large as it says, and that is most of the address space.
 */
static void each_segment(bool (*look)(void *context, int fd, const Elf64_Phdr *segment),
			 void *context)
{
	int fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	Elf64_Phdr segment;
	Elf64_Ehdr header;
	unsigned int i;

	if (fd < 0)
		return;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(segment))
		header.e_phnum = 0;
	for (i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment))
			break;
		if (segment.p_type == PT_LOAD && segment.p_memsz &&
		    segment.p_vaddr + segment.p_memsz - 1 >= segment.p_vaddr &&
		    !look(context, fd, &segment))
			break;
	}
	close(fd);
}

struct wish {
	__u64 address;
	void *bytes;
	size_t size, got;
};

static bool read_segment(void *context, int fd, const Elf64_Phdr *segment)
{
	struct wish *wish = context;
	__u64 skip = wish->address - segment->p_vaddr;
	ssize_t got;

	if (skip >= segment->p_filesz)
		return true;
	if (wish->size > segment->p_filesz - skip)
		wish->size = segment->p_filesz - skip;
	got = pread(fd, wish->bytes, wish->size, (off_t)(segment->p_offset + skip));
	wish->got = got > 0 ? (size_t)got : 0;
	return false;
}

size_t kernel_core_read(__u64 address, void *bytes, size_t size)
{
	struct wish wish = { .address = address, .bytes = bytes, .size = size };

	each_segment(read_segment, &wish);
	return wish.got;
}

struct kernel_core {
	int fd;
	Elf64_Phdr *segments;
	size_t nr, room;
};

static bool keep_segment(void *context, int fd, const Elf64_Phdr *segment)
{
	struct kernel_core *core = context;

	(void)fd;
	ARRAY_GROW(core->segments, core->nr + 1, core->room);
	core->segments[core->nr++] = *segment;
	return true;
}

struct kernel_core *kernel_core_open(void)
{
	int fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	struct kernel_core *core;

	if (fd < 0)
		return NULL;
	core = xcalloc(1, sizeof(*core));
	core->fd = fd;
	each_segment(keep_segment, core);
	return core;
}

void kernel_core_close(struct kernel_core *core)
{
	if (!core)
		return;
	close(core->fd);
	free(core->segments);
	free(core);
}

bool kernel_core_get(const struct kernel_core *core, __u64 address, void *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < core->nr; i++) {
		const Elf64_Phdr *segment = &core->segments[i];
		__u64 skip = address - segment->p_vaddr;

		if (skip < segment->p_filesz && segment->p_filesz - skip >= size)
			return pread(core->fd, bytes, size, (off_t)(segment->p_offset + skip)) ==
			       (ssize_t)size;
	}
	return false;
}

struct areas {
	struct kernel_names *names;
	bool modules;
};

static void add_area(struct areas *areas, __u64 start, __u64 end, const char *name)
{
	const struct kernel_row row = {
		.start = start,
		.end = end,
		.kind = KERNEL_AREA,
		.cpu = KERNEL_NO_CPU,
		.name = name,
		.module = "",
	};

	kernel_row_add(areas->names, &row);
}

static bool note_segment(void *context, int fd, const Elf64_Phdr *segment)
{
	struct areas *areas = context;
	__u64 start = segment->p_vaddr, end = start + segment->p_memsz;
	const char *name;

	(void)fd;
	if (start >= IMAGE) {
		if (segment->p_paddr != NO_PHYS || start < MODULES_LEAST)
			return true;
		areas->modules = true;
		name = "module memory";
	} else if (segment->p_paddr != NO_PHYS) {
		name = "direct map of memory";
	} else if (segment->p_memsz >= VMALLOC_LEAST) {
		name = "vmalloc";
	} else {
		name = "page structs";
	}
	add_area(areas, start, end, name);
	return true;
}

void kernel_core_areas(struct kernel_names *names)
{
	struct areas areas = { .names = names };

	each_segment(note_segment, &areas);
	add_area(&areas, CPU_ENTRY, CPU_ENTRY_END, "CPU entry area");
	add_area(&areas, IMAGE, MODULES_LEAST, "kernel image");
	if (!areas.modules)
		add_area(&areas, MODULES_LEAST, MODULES_END, "kernel image or modules");
}
