// SPDX-License-Identifier: GPL-2.0
/* ELF files that no linker makes: with more segments and sections than programs have. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl_named.h"
#include "ctl_profile.h"

#include "names/elf_file.h"
#include "names/symbols.h"
#include "names/units.h"

#define SECTIONS	200000
#define APART		16

/* A file with that many segments, and as many sections after an empty one and that of the names. */
static void *make(size_t segments, size_t sections, size_t *size)
{
	const size_t nr = sections + 2, at = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
	Elf64_Ehdr *header;
	Elf64_Phdr *segment;
	Elf64_Shdr *section;
	size_t i;

	*size = at + nr * sizeof(Elf64_Shdr) + 8;
	header = calloc(1, *size);
	assert_non_null(header);
	segment = (void *)(header + 1);
	section = (void *)((char *)header + at);
	*header = (Elf64_Ehdr){
		.e_ident = {
			ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
		},
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(*header), .e_phoff = sizeof(*header),
		.e_phentsize = sizeof(*segment), .e_phnum = (Elf64_Half)segments, .e_shoff = at,
		.e_shentsize = sizeof(*section), .e_shstrndx = 1,
		.e_shnum = (Elf64_Half)(nr < SHN_LORESERVE ? nr : 0),
	};
	for (i = 0; i < segments; i++)
		segment[i] = (Elf64_Phdr){
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 4096 * i,
			.p_filesz = 1, .p_memsz = 1,
		};
	if (!header->e_shnum)
		section[0].sh_size = nr;
	section[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = *size - 8, .sh_size = 8 };
	for (i = 0; i < sections; i++)
		section[i + 2] = (Elf64_Shdr){
			.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC, .sh_addr = APART * i,
			.sh_size = APART / 2,
		};
	return header;
}

/* Each symbol is looked up among them. */
TEST(many_sections)
{
	struct elf_file file = { .fd = -1 };
	struct pool pool = { 0 };
	size_t size, i;
	void *image = make(0, SECTIONS, &size);

	elf_version(EV_CURRENT);
	file.elf = elf_memory(image, size);
	assert_non_null(file.elf);
	elf_note_sections(&file, &pool);
	assert_int_equal(file.nr_sections, SECTIONS);
	endless_begin();
	for (i = 0; i < SECTIONS; i++) {
		assert_ptr_equal(elf_section_at(&file, APART * i), &file.sections[i]);
		assert_null(elf_section_at(&file, APART * i + APART / 2));
	}
	endless_end();
	elf_end(file.elf);
	pool_free(&pool);
	free(image);
}

/* A file that is opened by its path, as for a name. */
struct opened {
	struct profile profile;
	struct pool pool;
	struct elf_files files;
	struct elf_file *file;
};

static void open_file(struct opened *opened, const char *path)
{
	const struct history_map map = { .path = path };

	memset(opened, 0, sizeof(*opened));
	profile_init(&opened->profile);
	opened->files.pool = &opened->pool;
	opened->files.profile = &opened->profile;
	opened->file = elf_file_of(&opened->files, 0, &map);
	assert_non_null(opened->file);
	assert_non_null(opened->file->elf);
}

static void close_file(struct opened *opened)
{
	elf_files_free(&opened->files);
	pool_free(&opened->pool);
	profile_free(&opened->profile);
}

static size_t segments_of(const char *path, size_t nr)
{
	struct opened opened;
	size_t size, found;
	void *image = make(nr, 1, &size);

	file_put(path, image, size);
	free(image);
	open_file(&opened, path);
	found = opened.file->nr_segments;
	close_file(&opened);
	unlink(path);
	return found;
}

/* Does the program with debug information that has another file beside it have that information? */
static bool has_dwarf(const char *path)
{
	struct opened opened;
	bool found;

	open_file(&opened, path);
	found = units_dwarf(&opened.files, opened.file);
	close_file(&opened);
	return found;
}

/* libdw opens the file that .gnu_debugaltlink names, and would wait for a writer. */
TEST(other_file_is_a_pipe)
{
	char command[4096], path[512];
	struct folder folder;

	elf_version(EV_CURRENT);
	folder_make(&folder);
	snprintf(path, sizeof(path), "%s", folder_file(&folder, "program"));
	snprintf(command, sizeof(command),
		 "printf 'other\\0%%020d' 7 >%s/link && objcopy --add-section .gnu_debugaltlink=%s/link %s %s && rm %s/link",
		 folder.path, folder.path, named_file("sample"), path, folder.path);
	assert_int_equal(system(command), 0);
	assert_true(has_dwarf(path));
	assert_int_equal(mkfifo(folder_file(&folder, "other"), 0600), 0);
	assert_false(has_dwarf(path));
	unlink(folder_file(&folder, "other"));
	unlink(path);
	folder_remove(&folder);
}

/*
 * A file with many segments, each of which could be in each of its many mappings, and is in none.
 * For each address, all are compared with all.
 */
TEST(many_mappings)
{
	enum { SEGMENTS = 250, MAPS = 64, ADDRESSES = 800, APART_MAPS = 0x10000 };
	struct profile profile;
	Elf64_Phdr *segment;
	struct folder folder;
	struct namer *namer;
	const char *path;
	size_t size, i;
	void *image = make(SEGMENTS, 1, &size);

	elf_version(EV_CURRENT);
	folder_make(&folder);
	path = folder_file(&folder, "mapped");
	segment = (void *)((Elf64_Ehdr *)image + 1);
	for (i = 0; i < SEGMENTS; i++)
		segment[i].p_filesz = segment[i].p_memsz = 1 << 30;
	file_put(path, image, size);
	free(image);
	profile_init(&profile);
	profile.history = history_new();
	history_comm(profile.history, 0, 6, 6, "hostile", false);
	for (i = 1; i <= MAPS; i++) {
		const struct history_map map = {
			.start = APART_MAPS * i, .end = APART_MAPS * i + 4096, .offset = 4096 * i,
			.prot = PROT_READ, .flags = MAP_PRIVATE, .path = path,
		};

		history_map(profile.history, 6, 0, &map);
	}
	history_settle(profile.history, NULL);
	namer = namer_new(&profile, NULL);
	endless_begin();
	for (i = 0; i < ADDRESSES; i++)
		assert_int_equal(namer_data(namer, 6, 0, APART_MAPS * MAPS + i, 0)->kind,
				 DATA_FILE);
	endless_end();
	namer_free(namer);
	profile_free(&profile);
	unlink(path);
	folder_remove(&folder);
}

/* Assembly need not give symbols a size. So let those of a file have none. */
static void forget_sizes(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Sym symbol;
		Elf_Data *data;
		int i;

		assert_non_null(gelf_getshdr(section, &header));
		if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(section, NULL);
		for (i = 0; gelf_getsym(data, i, &symbol); i++) {
			symbol.st_size = 0;
			assert_int_not_equal(gelf_update_sym(data, i, &symbol), 0);
		}
	}
}

/* A thread-local symbol's address counts from the start of the block, where no section is. */
TEST(thread_local_without_size)
{
	const struct symbol *symbol;
	struct elf_file *file;
	struct opened opened;

	elf_version(EV_CURRENT);
	open_file(&opened, named_file("libtls_three.so"));
	file = opened.file;
	forget_sizes(file->elf);
	symbol = symbol_named(&opened.files, file, SYMBOL_TLS, "three_local");
	assert_non_null(symbol);
	assert_int_equal(symbol->start + symbol->size, file->tls.size);
	assert_ptr_equal(symbol_at(&opened.files, file, SYMBOL_TLS, file->tls.size - 1), symbol);
	close_file(&opened);
}

/* To find where a mapping belongs, every segment is compared with every other one. */
TEST(many_segments)
{
	struct folder folder;
	const char *path;

	elf_version(EV_CURRENT);
	folder_make(&folder);
	path = folder_file(&folder, "many");
	assert_int_equal(segments_of(path, 200), 200);
	assert_int_equal(segments_of(path, 60000), 0);
	folder_remove(&folder);
}
