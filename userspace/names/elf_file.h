/* SPDX-License-Identifier: GPL-2.0 */
/* ELF files by the mapping that showed them: the right one, or none. */
#ifndef MEMLAT_ELF_FILE_H
#define MEMLAT_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <linux/types.h>

#include "../profile/history.h"
#include "../profile/profile.h"
#include "../util/pool.h"

enum elf_state {
	ELF_HERE,	/* found where it was mapped from */
	ELF_ELSEWHERE,	/* gone from there, and found by other ways: the same bytes */
	ELF_GONE,
	ELF_CHANGED,	/* another file has its name now */
	ELF_CLOSED,	/* it is there and may not be read, or is no ELF file */
	ELF_NOTHING	/* the mapping is of no such file: a device, a socket, a memfd */
};

/* What the loader maps of it. */
struct elf_segment {
	__u64 offset, address;	/* in the file; where it wants to be */
	__u64 file_size, size;	/* the rest of size is zeroes */
	__u32 flags;		/* PF_* */
};

struct elf_section {
	__u64 start, end;
	const char *name;
	__u64 flags;		/* SHF_* */
	__u64 entry;		/* bytes of each of its entries, 0: it has none */
};

struct operands;
struct symbols;
struct units;
struct variables;

struct elf_file {
	struct elf_file *next;
	const char *path;
	const char *name;	/* its last part */
	enum elf_state state;
	/* Its identity: the build id, or else inode and path. */
	__u8 build_id[HISTORY_BUILD_ID_MAX];
	__u8 build_id_size;	/* of the mapping, else of the file */
	struct history_map wanted;
	/* NULL, 0: none of these if it could not be opened. */
	Elf *elf;
	int fd;
	size_t nr_segments;
	struct elf_segment *segments;
	bool program;		/* not a library: its thread-local block is the first one */
	const char *soname;	/* what others need it by; NULL: its file's name */
	size_t nr_needed;
	const char **needed;	/* the libraries that it needs itself, in its order */
	struct elf_segment tls;	/* the initial bytes of that block; size 0: it has none */
	__u64 tls_align;
	size_t nr_sections;
	struct elf_section *sections;	/* those with memory, but for thread-local ones */
	/* Found when first needed; see debug_file.h, operand.h, symbols.h, units.h, variables.h */
	bool debug_looked;
	Elf *debug_elf;		/* a separate one; NULL: none */
	int debug_fd;
	bool dwarf_looked;
	Dwarf *dwarf;		/* of either */
	Dwfl *dwfl;		/* a kernel module's: elf and dwarf are its own; NULL: none */
	struct symbols *symbols;
	struct units *units;
	struct variables *variables;
	struct operands *operands;
	/* How often somebody asked for what only these could tell. */
	size_t missed_symbols, missed_dwarf;
	bool split_missed;	/* of some units the .dwo file is not where it was made */
};

struct elf_files {
	struct pool *pool;
	const struct profile *profile;
	const char *debug;	/* folders, colon-separated; NULL: the usual ones */
	struct elf_file *first;
	struct elf_file *vdso;
	struct elf_file *kernel;
};

void elf_files_free(struct elf_files *files);

/*
 * The file of a mapping of a process. NULL: it has none. One that could
 * not be had is told by its state.
 */
struct elf_file *elf_file_of(struct elf_files *files, __u32 pid, const struct history_map *map);
/* The kernel's code in every process, of the running kernel; NULL: not to be had. */
struct elf_file *elf_file_vdso(struct elf_files *files);

/*
 * The debug file of a kernel by its build id, release telling where it might be; elf is
 * NULL when there is none.
 */
struct elf_file *elf_file_kernel(struct elf_files *files, const __u8 *id, size_t size,
				 const char *release);

/*
 * The same of a kernel module, whose file has no addresses of its own: its sections are
 * laid out one after the other here, and symbol_named() tells where something is.
 */
struct elf_file *elf_file_module(struct elf_files *files, const char *module, const __u8 *id,
				 size_t size, const char *release);
/* One more file that is known by a name; map (NULL: none) tells which it is. */
struct elf_file *elf_file_add(struct elf_files *files, const char *path,
			      const struct history_map *map);

/*
 * The sections that have a place in memory, but those of thread-local storage, which have
 * none of their own.
 */
void elf_note_sections(struct elf_file *file, struct pool *pool);

/* Which segment holds an address of the file; NULL: none. */
const struct elf_segment *elf_segment_at(const struct elf_file *file, __u64 address);
const struct elf_section *elf_section_at(const struct elf_file *file, __u64 address);
/* Bytes of the file at one of its addresses: how many could be had. */
size_t elf_read(const struct elf_file *file, __u64 address, void *bytes, size_t size);

/* Does this ELF file carry this build id? */
bool elf_has_build_id(Elf *elf, const __u8 *id, size_t size);

#endif
