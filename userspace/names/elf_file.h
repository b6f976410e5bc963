/* SPDX-License-Identifier: GPL-2.0 */
/* Find the ELF file that a process had mapped, and no other one that has its path now. */
#ifndef MEMLAT_ELF_FILE_H
#define MEMLAT_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <linux/types.h>

#include "../profile/history.h"
#include "../profile/profile.h"
#include "../util/xalloc.h"

enum elf_state {
	ELF_HERE,	/* found at the path that it was mapped from */
	ELF_ELSEWHERE,	/* not at that path any more; the same file was found in another way */
	ELF_GONE,	/* there is no file at the path */
	ELF_CHANGED,	/* there is another file at the path now */
	ELF_CLOSED,	/* the file is there, but it may not be read */
	ELF_NOTHING	/* the path is that of no ELF file: of a device, a socket, a data file */
};

/* A part of the file that the loader maps. */
struct elf_segment {
	__u64 offset, address;	/* its place in the file, and its address by the file */
	__u64 file_size, size;	/* bytes in the file, and in memory; the rest is zeroes */
	__u32 flags;		/* PF_* */
};

struct elf_section {
	__u64 start, end;
	const char *name;
	__u64 flags;		/* SHF_* */
	__u64 entry;		/* bytes of each entry; 0: the section is no table */
};

struct operands;
struct symbols;
struct units;
struct variables;

struct elf_file {
	struct elf_file *next;
	const char *path;
	const char *name;	/* the last part of the path */
	enum elf_state state;
	/* Its identity: the build id, or else inode and path. */
	__u8 build_id[HISTORY_BUILD_ID_MAX];
	__u8 build_id_size;	/* of the mapping's build id, else of the file's own */
	struct history_map wanted;
	/* NULL and 0 from here on if the file could not be opened. */
	Elf *elf;
	int fd;
	size_t nr_segments;
	struct elf_segment *segments;
	bool i386;		/* its code is of 32 bits */
	bool program;		/* not a library: its thread-local block is the first one */
	const char *soname;	/* the name that other files need it by; NULL: the file's name */
	size_t nr_needed;
	const char **needed;	/* the libraries that it needs, in the order of its DT_NEEDED */
	struct elf_segment tls;	/* initial bytes of the thread-local block; size 0: none */
	__u64 tls_align;
	size_t nr_sections;
	struct elf_section *sections;	/* those loaded to memory, not thread-local; by address */
	/* Found when first needed, by debug_file.c, operand.c, symbols.c, units.c, variables.c. */
	bool debug_looked;
	Elf *debug_elf;		/* a separate debug file; NULL: none */
	int debug_fd;
	bool dwarf_looked;
	Dwarf *dwarf;		/* of elf, or else of debug_elf */
	Dwfl *dwfl;		/* of a kernel module, owns elf and dwarf; NULL: no module */
	struct symbols *symbols;
	struct units *units;
	struct variables *variables;
	struct operands *operands;
	/* How many queries had no answer for lack of symbols, and of DWARF. */
	size_t missed_symbols, missed_dwarf;
	bool split_missed;	/* a unit's .dwo file is not where the compiler wrote it */
};

struct elf_files {
	struct pool *pool;
	const struct profile *profile;
	const char *debug;	/* folders of debug files, colon-separated; NULL: the usual ones */
	bool recording;		/* processes may live, as those of a live profile do */
	const char *kept;	/* a folder of files that were kept, by build id; NULL: none */
	struct elf_file *first;
	struct elf_file *vdso;
	struct elf_file *kernel;
};

void elf_files_free(struct elf_files *files);

/*
 * The file of a mapping of a process; NULL: the mapping has no file. If the file could not be
 * opened, its state says why.
 */
struct elf_file *elf_file_of(struct elf_files *files, __u32 pid, const struct history_map *map);
/* The vdso, the running kernel's code in every process; NULL: there is none. */
struct elf_file *elf_file_vdso(struct elf_files *files);

/*
 * The debug file of the kernel with this build id. It is looked for by build id, and in the places
 * that are usual for release (NULL: in none of them). The file's elf is NULL if none was found.
 */
struct elf_file *elf_file_kernel(struct elf_files *files, const __u8 *id, size_t size,
				 const char *release);

/*
 * The debug file of a kernel module. A module's file has no addresses, so its sections are laid out
 * here one after the other, and symbol_named() says where a symbol is.
 */
struct elf_file *elf_file_module(struct elf_files *files, const char *module, const __u8 *id,
				 size_t size, const char *release);
/* Add an entry for the file at a path, without opening it. map (may be NULL) has its identity. */
struct elf_file *elf_file_add(struct elf_files *files, const char *path,
			      const struct history_map *map);

/*
 * List the file's sections that are loaded to memory. Those of thread-local storage are left out,
 * as their addresses are not where the threads' data is.
 */
void elf_note_sections(struct elf_file *file, struct pool *pool);

/* The segment, and the section, that holds an address of the file; NULL: none does. */
const struct elf_segment *elf_segment_at(const struct elf_file *file, __u64 address);
const struct elf_section *elf_section_at(const struct elf_file *file, __u64 address);
/* Read the file's bytes at one of its addresses. Returns how many there are. */
size_t elf_read(const struct elf_file *file, __u64 address, void *bytes, size_t size);

/* Does this ELF file carry this build id? */
bool elf_has_build_id(Elf *elf, const __u8 *id, size_t size);

#endif
