// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "kernel_core.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../util/order.h"
#include "../util/xalloc.h"

#define KCORE		"/proc/kcore"
#define INFO		"VMCOREINFO"
#define NOTES_MOST	(1U << 20)

/*
 * Areas that every x86-64 kernel has at the same place, however it was built (the kernel's
 * Documentation/arch/x86/x86_64/mm.rst). KASLR moves things within them only.
 */
#define CPU_ENTRY	0xfffffe0000000000ULL
#define CPU_ENTRY_END	0xfffffe8000000000ULL
#define IMAGE		0xffffffff80000000ULL
#define MODULES_LEAST	0xffffffffa0000000ULL
#define MODULES_END	0xffffffffff000000ULL
#define NO_PHYS		(~0ULL)
#define VMALLOC_LEAST	(1ULL << 40)	/* vmalloc's area is 32 TiB or more */

struct kernel_core {
	int fd;
	Elf64_Phdr *segments;	/* PT_LOAD segments, sorted by address */
	size_t nr, room;
	char *info;		/* the lines of VMCOREINFO; NULL: the file has none */
};

/* The text of the note VMCOREINFO; NULL: it is not among these notes. */
static char *info_of(const unsigned char *notes, size_t size)
{
	const Elf64_Nhdr *note;
	size_t name, text;

	while (size >= sizeof(*note)) {
		note = (const void *)notes;
		name = ((size_t)note->n_namesz + 3) & ~(size_t)3;
		text = ((size_t)note->n_descsz + 3) & ~(size_t)3;
		if (name > size - sizeof(*note) || text > size - sizeof(*note) - name)
			return NULL;
		if (note->n_namesz == sizeof(INFO) && !memcmp(note + 1, INFO, sizeof(INFO)))
			return xneed(strndup((const char *)(note + 1) + name, note->n_descsz));
		notes += sizeof(*note) + name + text;
		size -= sizeof(*note) + name + text;
	}
	return NULL;
}

static void read_info(struct kernel_core *core, const Elf64_Phdr *segment)
{
	unsigned char *notes;
	ssize_t got;

	if (core->info || segment->p_filesz > NOTES_MOST)
		return;
	notes = xmalloc(segment->p_filesz + 1);
	got = pread(core->fd, notes, segment->p_filesz, (off_t)segment->p_offset);
	if (got > 0)
		core->info = info_of(notes, (size_t)got);
	free(notes);
}

ORDER_BY(by_address, Elf64_Phdr, p_vaddr)

/*
 * Read the program headers. libelf is not used, because it believes the file's size, which is most
 * of the address space.
 */
static void read_segments(struct kernel_core *core)
{
	Elf64_Phdr segment;
	Elf64_Ehdr header;
	unsigned int i;

	if (pread(core->fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(segment))
		return;
	for (i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(segment));

		if (pread(core->fd, &segment, sizeof(segment), at) != sizeof(segment))
			return;
		if (segment.p_type == PT_NOTE)
			read_info(core, &segment);
		if (segment.p_type != PT_LOAD || !segment.p_memsz ||
		    segment.p_vaddr + segment.p_memsz - 1 < segment.p_vaddr)
			continue;
		ARRAY_GROW(core->segments, core->nr + 1, core->room);
		core->segments[core->nr++] = segment;
	}
}

struct kernel_core *kernel_core_open_at(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct kernel_core *core;

	if (fd < 0)
		return NULL;
	core = xcalloc(1, sizeof(*core));
	core->fd = fd;
	read_segments(core);
	SORT(core->segments, core->nr, by_address);
	return core;
}

struct kernel_core *kernel_core_open(void)
{
	return kernel_core_open_at(KCORE);
}

void kernel_core_close(struct kernel_core *core)
{
	if (!core)
		return;
	close(core->fd);
	free(core->segments);
	free(core->info);
	free(core);
}

size_t kernel_core_read(const struct kernel_core *core, __u64 address, void *bytes, size_t size)
{
	ssize_t got;
	size_t i;

	for (i = 0; i < core->nr; i++) {
		const Elf64_Phdr *segment = &core->segments[i];
		__u64 skip = address - segment->p_vaddr;

		if (skip >= segment->p_filesz)
			continue;
		if (size > segment->p_filesz - skip)
			size = segment->p_filesz - skip;
		got = pread(core->fd, bytes, size, (off_t)(segment->p_offset + skip));
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

bool kernel_core_get(const struct kernel_core *core, __u64 address, void *bytes, size_t size)
{
	return kernel_core_read(core, address, bytes, size) == size;
}

/* Look for the line "SYMBOL(name)=ffffffff81000000". */
bool kernel_core_symbol(const struct kernel_core *core, const char *name, __u64 *address)
{
	const char *at = core->info;
	size_t length = strlen(name);
	char *end;

	while (at && (at = strstr(at, "SYMBOL("))) {
		at += strlen("SYMBOL(");
		if (strncmp(at, name, length) || strncmp(at + length, ")=", 2))
			continue;
		*address = strtoull(at + length + 2, &end, 16);
		return *end == '\n' || !*end;
	}
	return false;
}

static void add_area(struct kernel_names *names, __u64 start, __u64 end, const char *name)
{
	const struct kernel_row row = {
		.start = start,
		.end = end,
		.kind = KERNEL_AREA,
		.cpu = KERNEL_NO_CPU,
		.name = name,
		.module = "",
	};

	kernel_row_add(names, &row);
}

static bool is_vmalloc(const Elf64_Phdr *segment)
{
	return segment->p_vaddr < IMAGE && segment->p_paddr == NO_PHYS &&
	       segment->p_memsz >= VMALLOC_LEAST;
}

bool kernel_core_in_vmalloc(const struct kernel_core *core, __u64 address)
{
	size_t i;

	for (i = 0; i < core->nr; i++)
		if (is_vmalloc(&core->segments[i]) &&
		    address - core->segments[i].p_vaddr < core->segments[i].p_memsz)
			return true;
	return false;
}

/* Is the segment the memory of modules? */
static bool note_segment(struct kernel_names *names, const Elf64_Phdr *segment)
{
	__u64 start = segment->p_vaddr, end = start + segment->p_memsz;
	const char *name;

	if (start >= IMAGE) {
		if (segment->p_paddr != NO_PHYS || start < MODULES_LEAST)
			return false;
		name = "module memory";
	} else if (segment->p_paddr != NO_PHYS) {
		name = "direct map of memory";
	} else if (is_vmalloc(segment)) {
		name = "vmalloc";
	} else {
		name = "page structs";
	}
	add_area(names, start, end, name);
	return start >= IMAGE;
}

/*
 * A gap between two segments of the direct map is no RAM. The kernel maps the memory of devices
 * there, and does not let anybody read it.
 */
static void note_gap(struct kernel_names *names, const Elf64_Phdr *segment, const Elf64_Phdr *next)
{
	const __u64 end = segment->p_vaddr + segment->p_memsz;

	if (next->p_vaddr < IMAGE && segment->p_paddr != NO_PHYS && end < next->p_vaddr)
		add_area(names, end, next->p_vaddr, "direct map of device memory");
}

void kernel_core_areas(const struct kernel_core *core, struct kernel_names *names)
{
	bool modules = false;
	size_t i;

	for (i = 0; core && i < core->nr; i++) {
		modules |= note_segment(names, &core->segments[i]);
		if (i + 1 < core->nr)
			note_gap(names, &core->segments[i], &core->segments[i + 1]);
	}
	add_area(names, CPU_ENTRY, CPU_ENTRY_END, "CPU entry area");
	add_area(names, IMAGE, MODULES_LEAST, "kernel image");
	if (!modules)
		add_area(names, MODULES_LEAST, MODULES_END, "kernel image or modules");
}
