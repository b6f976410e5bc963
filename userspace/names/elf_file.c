// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "elf_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "../util/io.h"
#include "../util/order.h"
#include "../util/text.h"
#include "debug_file.h"
#include "operand.h"
#include "symbols.h"
#include "units.h"

#define VDSO_MAX	(4 * 4096)
#define ENTRIES_MOST	(1U << 20)	/* entries of a table; no real program has more */
#define SEGMENTS_MOST	256	/* each is compared with all others; real programs have a dozen */

bool elf_has_build_id(Elf *elf, const __u8 *id, size_t size)
{
	const void *own;
	ssize_t bytes = dwelf_elf_gnu_build_id(elf, &own);

	/* The kernel records 20 bytes at most. */
	return bytes > 0 && size && (size_t)bytes >= size && !memcmp(own, id, size);
}

/*
 * Note an entry of the dynamic section. texts is the section that holds its strings, room the
 * number of entries.
 */
static void note_entry(struct elf_file *file, struct pool *pool, const GElf_Dyn *entry,
		       size_t texts, size_t room)
{
	const char *text;

	/* Only this flag tells a position-independent program from a library. */
	if (entry->d_tag == DT_FLAGS_1 && entry->d_un.d_val & DF_1_PIE)
		file->program = true;
	if (entry->d_tag != DT_NEEDED && entry->d_tag != DT_SONAME)
		return;
	text = elf_strptr(file->elf, texts, entry->d_un.d_val);
	if (!text)
		return;
	if (entry->d_tag == DT_SONAME) {
		file->soname = text;
		return;
	}
	if (!file->needed)
		file->needed = pool_take(pool, room * sizeof(*file->needed));
	if (file->nr_needed < room)
		file->needed[file->nr_needed++] = text;
}

static void note_kind(struct elf_file *file, struct pool *pool)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr elf;

	if (gelf_getehdr(file->elf, &elf)) {
		file->program = elf.e_type == ET_EXEC;
		file->i386 = elf.e_machine == EM_386;
	}
	while ((section = elf_nextscn(file->elf, section))) {
		Elf_Data *data;
		GElf_Dyn entry;
		size_t room;
		int i;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(section, NULL);
		room = data ? data->d_size / gelf_fsize(file->elf, ELF_T_DYN, 1, EV_CURRENT) : 0;
		if (room > ENTRIES_MOST)
			room = ENTRIES_MOST;
		for (i = 0; data && gelf_getdyn(data, i, &entry); i++)
			note_entry(file, pool, &entry, header.sh_link, room);
		/* A file has one dynamic section. */
		break;
	}
}

static void note_segments(struct elf_file *file, struct pool *pool)
{
	size_t nr, i;
	GElf_Phdr header;

	if (elf_getphdrnum(file->elf, &nr) || nr > ENTRIES_MOST)
		return;
	file->segments = pool_take(pool, nr * sizeof(*file->segments));
	for (i = 0; i < nr; i++) {
		struct elf_segment *segment = &file->segments[file->nr_segments];

		if (!gelf_getphdr(file->elf, (int)i, &header) ||
		    (header.p_type != PT_LOAD && header.p_type != PT_TLS))
			continue;
		/* Ignore a damaged segment, whose end overflows. */
		if (header.p_offset + header.p_filesz < header.p_offset ||
		    header.p_vaddr + header.p_memsz < header.p_vaddr)
			continue;
		if (header.p_type == PT_TLS) {
			segment = &file->tls;
			file->tls_align = header.p_align ? header.p_align : 1;
		} else if (++file->nr_segments > SEGMENTS_MOST) {
			file->nr_segments = 0;
			return;
		}
		*segment = (struct elf_segment){
			.offset = header.p_offset,
			.address = header.p_vaddr,
			.file_size = header.p_filesz,
			.size = header.p_memsz,
			.flags = header.p_flags,
		};
	}
}

ORDER_BY(by_start, struct elf_section, start)

void elf_note_sections(struct elf_file *file, struct pool *pool)
{
	Elf_Scn *section = NULL;
	size_t nr, names;
	GElf_Shdr header;

	if (elf_getshdrnum(file->elf, &nr) || nr > ENTRIES_MOST ||
	    elf_getshdrstrndx(file->elf, &names))
		return;
	file->sections = pool_take(pool, nr * sizeof(*file->sections));
	while (file->nr_sections < nr && (section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		    header.sh_flags & SHF_TLS ||
		    header.sh_addr + header.sh_size <= header.sh_addr)
			continue;
		file->sections[file->nr_sections++] = (struct elf_section){
			.start = header.sh_addr,
			.end = header.sh_addr + header.sh_size,
			.name = elf_strptr(file->elf, names, header.sh_name),
			.flags = header.sh_flags,
			.entry = header.sh_entsize,
		};
	}
	SORT(file->sections, file->nr_sections, by_start);
}

const struct elf_segment *elf_segment_at(const struct elf_file *file, __u64 address)
{
	size_t i;

	for (i = 0; i < file->nr_segments; i++)
		if (address - file->segments[i].address < file->segments[i].size)
			return &file->segments[i];
	return NULL;
}

const struct elf_section *elf_section_at(const struct elf_file *file, __u64 address)
{
	const struct elf_section *rows = file->sections;
	size_t after = FIRST_WHERE(i, file->nr_sections, rows[i].start > address);

	return after && address < rows[after - 1].end ? &rows[after - 1] : NULL;
}

size_t elf_read(const struct elf_file *file, __u64 address, void *bytes, size_t size)
{
	const struct elf_segment *segment = file->elf ? elf_segment_at(file, address) : NULL;
	__u64 skip, offset;
	size_t whole;
	char *raw;

	if (!segment)
		return 0;
	skip = address - segment->address;
	if (skip >= segment->file_size)
		return 0;
	if (size > segment->file_size - skip)
		size = (size_t)(segment->file_size - skip);
	raw = elf_rawfile(file->elf, &whole);
	offset = segment->offset + skip;
	if (!raw || offset >= whole)
		return 0;
	if (size > whole - offset)
		size = (size_t)(whole - offset);
	memcpy(bytes, raw + offset, size);
	return size;
}

/*
 * Is an open file the one that was mapped? The mapping's build id decides alone where it is known,
 * else the inode and the time of the last change do.
 */
static bool is_wanted(const struct elf_files *files, const struct history_map *map, Elf *elf,
		      const struct stat *st)
{
	if (map->build_id_size)
		return elf && elf_kind(elf) == ELF_K_ELF &&
		       elf_has_build_id(elf, map->build_id, map->build_id_size);
	if (map->inode && map->inode != st->st_ino)
		return false;
	return files->profile->live || !files->profile->recorded_at || st->st_mtime < 0 ||
	       (__u64)st->st_mtime <= files->profile->recorded_at;
}

/* Open the file at path if it is the one that was mapped. Returns ELF_HERE, or why it was not. */
static enum elf_state try_open(struct elf_files *files, struct elf_file *file, const char *path)
{
	bool is_elf, same;
	struct stat st;
	Elf *elf;
	int fd;

	fd = io_open(path, &st);
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR || fd == -ENAMETOOLONG ? ELF_GONE :
		       fd == -EINVAL ? ELF_NOTHING : ELF_CLOSED;
	elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	is_elf = elf && elf_kind(elf) == ELF_K_ELF;
	same = is_wanted(files, &file->wanted, elf, &st);
	if (is_elf && same) {
		file->elf = elf;
		file->fd = fd;
		return ELF_HERE;
	}
	elf_end(elf);
	close(fd);
	return same ? ELF_NOTHING : ELF_CHANGED;
}

static void note_own_build_id(struct elf_file *file)
{
	const void *id;
	ssize_t size;

	if (file->build_id_size)
		return;
	size = dwelf_elf_gnu_build_id(file->elf, &id);
	if (size <= 0)
		return;
	if (size > HISTORY_BUILD_ID_MAX)
		size = HISTORY_BUILD_ID_MAX;
	memcpy(file->build_id, id, (size_t)size);
	file->build_id_size = (__u8)size;
}

/*
 * Look for the file at its path, then through the process that still has it mapped, and then by its
 * build id.
 */
static void open_anywhere(struct elf_files *files, struct elf_file *file, __u32 pid)
{
	const struct history_map *map = &file->wanted;
	char other[PATH_MAX + 64], kept[KEEPER_PATH_MAX];
	size_t i;

	file->state = try_open(files, file, file->path);
	if (file->elf || file->state == ELF_NOTHING)
		return;
	if (files->profile->live || files->recording) {
		snprintf(other, sizeof(other), "/proc/%u/map_files/%llx-%llx", pid, map->start,
			 map->end);
		try_open(files, file, other);
		if (!file->elf) {
			snprintf(other, sizeof(other), "/proc/%u/root%s", pid, file->path);
			try_open(files, file, other);
		}
	}
	if (!file->elf && map->build_id_size && files->kept &&
	    debug_program_by_id(files->kept, map->build_id, map->build_id_size, other,
				sizeof(other)))
		try_open(files, file, other);
	if (!file->elf && map->build_id_size && files->profile->live &&
	    files->profile->keeper.state != KEEPER_NONE &&
	    keeper_path(kept, keeper_folder(), files->profile->snap.head.status.started_ns,
			KEEPER_FILES) &&
	    debug_program_by_id(kept, map->build_id, map->build_id_size, other, sizeof(other)))
		try_open(files, file, other);
	if (!file->elf && map->build_id_size &&
	    debug_program_by_id(files->debug, map->build_id, map->build_id_size, other,
				sizeof(other)))
		try_open(files, file, other);
	/* Only a build id tells that a file which lies somewhere is the one that was measured. */
	for (i = 0; !file->elf && map->build_id_size &&
		    debug_program_by_path(files->debug, file->path, i, other, sizeof(other)); i++)
		if (*other)
			try_open(files, file, other);
	if (file->elf)
		file->state = ELF_ELSEWHERE;
}

static bool is_same(const struct elf_file *file, const char *path,
		    const struct history_map *map)
{
	const struct history_map *own = &file->wanted;

	if (strcmp(file->path, path) || own->build_id_size != map->build_id_size)
		return false;
	if (map->build_id_size)
		return !memcmp(own->build_id, map->build_id, map->build_id_size);
	return own->inode == map->inode && own->major == map->major &&
	       own->minor == map->minor;
}

struct elf_file *elf_file_add(struct elf_files *files, const char *path,
			      const struct history_map *map)
{
	struct elf_file *file = pool_take(files->pool, sizeof(*file));

	file->path = pool_text(files->pool, path);
	file->name = text_last_part(file->path);
	file->fd = -1;
	file->debug_fd = -1;
	if (map) {
		file->wanted = *map;
		memcpy(file->build_id, map->build_id, sizeof(file->build_id));
		file->build_id_size = map->build_id_size;
		if (file->build_id_size > HISTORY_BUILD_ID_MAX)
			file->build_id_size = HISTORY_BUILD_ID_MAX;
		file->wanted.build_id_size = file->build_id_size;
	}
	file->next = files->first;
	files->first = file;
	return file;
}

static void note(struct elf_files *files, struct elf_file *file)
{
	if (!file->elf)
		return;
	note_own_build_id(file);
	note_kind(file, files->pool);
	note_segments(file, files->pool);
	elf_note_sections(file, files->pool);
}

struct elf_file *elf_file_of(struct elf_files *files, __u32 pid, const struct history_map *map)
{
	const size_t deleted = strlen(HISTORY_DELETED);
	char path[PATH_MAX];
	struct elf_file *file;
	size_t length;

	if (!history_path_is_file(map->path))
		return NULL;
	length = strlen(map->path);
	if (length >= sizeof(path))
		return NULL;
	memcpy(path, map->path, length + 1);
	if (length > deleted && !strcmp(path + length - deleted, HISTORY_DELETED))
		path[length - deleted] = '\0';
	for (file = files->first; file; file = file->next)
		if (is_same(file, path, map))
			return file;
	file = elf_file_add(files, path, map);
	open_anywhere(files, file, pid);
	note(files, file);
	return file;
}

struct elf_file *elf_file_vdso(struct elf_files *files)
{
	char *start = (char *)getauxval(AT_SYSINFO_EHDR);
	struct elf_file *file = files->vdso;

	if (file || !start)
		return file;
	file = elf_file_add(files, "[vdso]", NULL);
	file->state = ELF_CLOSED;
	/* Only the vdso's own headers tell its length, and they are in its first page. */
	file->elf = elf_memory(start, 4096);
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF) {
		GElf_Ehdr header;
		size_t size = 0;

		if (gelf_getehdr(file->elf, &header))
			size = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
		elf_end(file->elf);
		file->elf = size && size <= VDSO_MAX ? elf_memory(start, size) : NULL;
		if (file->elf)
			file->state = ELF_HERE;
	}
	note(files, file);
	files->vdso = file;
	return file;
}

struct elf_file *elf_file_kernel(struct elf_files *files, const __u8 *id, size_t size,
				 const char *release)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux", "/boot/vmlinux-%s",
	};
	struct history_map map = { .build_id_size = (__u8)size };
	struct elf_file *file = files->kernel;
	char path[PATH_MAX];
	size_t i;

	if (file || !size || size > HISTORY_BUILD_ID_MAX)
		return file;
	memcpy(map.build_id, id, size);
	file = elf_file_add(files, "[kernel]", &map);
	files->kernel = file;
	file->state = ELF_GONE;
	if (debug_file_by_id(files->debug, id, size, path, sizeof(path)))
		file->state = try_open(files, file, path);
	for (i = 0; release && !strchr(release, '/') && !file->elf &&
		    i < sizeof(places) / sizeof(places[0]); i++)
		/* A path too long for the buffer is not tried. */
		if (snprintf(path, sizeof(path), places[i], release) < PATH_MAX)
			file->state = try_open(files, file, path);
	note(files, file);
	return file;
}

void elf_files_free(struct elf_files *files)
{
	struct elf_file *file;

	for (file = files->first; file; file = file->next) {
		operands_free(file);
		variables_free(file);
		units_free(file);
		symbols_free(file);
		if (!file->dwfl) {
			dwarf_end(file->dwarf);
			elf_end(file->elf);
		}
		dwfl_end(file->dwfl);
		elf_end(file->debug_elf);
		if (file->debug_fd >= 0)
			close(file->debug_fd);
		if (file->fd >= 0)
			close(file->fd);
	}
	files->first = NULL;
	files->vdso = NULL;
	files->kernel = NULL;
}
