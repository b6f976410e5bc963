// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's symbols read from its memory, in each of the forms that kernels use, and damaged
 * ones.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <elf.h>
#include <limits.h>
#include <linux/btf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl_profile.h"

#include "names/btf.h"
#include "names/kallsyms.h"
#include "names/kernel_core.h"

#define BASE		0xffffffff81000000ULL	/* of the one piece of memory */
#define ROOM		16384
#define DAMAGED		2000

static int remove_all(void **state)
{
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "rm -r '%s/'*", own_folder.path);
	return system(text) || own_folder_remove(state);
}

/* The places of things in it. */
enum place {
	OFFSETS = 0, RELATIVE = 256, NUMBER = 264, NAMES = 272, TOKENS = 1024, INDEX = 3072,
	LIST = 4096, MODULE = 4352, SYMBOLS = 4608, TABLE = 4864, TEXTS = 5120, LETTERS = 5376
};

/* How offsets are to be read. */
enum form { FROM_THEMSELVES, FROM_BASE, NUMBERS_TOO, FORMS };

static const struct {
	__u64 address;
	const char *text;	/* its letter and its name */
} symbols[] = {
	{ BASE, "T_text" }, { BASE, "T_stext" }, { BASE + 0x100, "tschedule" },
	{ BASE + 0x200, "Tschedule_timeout" }, { BASE + 0x300, "D_etext" },
	{ BASE + LIST, "Dmodules" },
};

#define NR	(sizeof(symbols) / sizeof(symbols[0]))

static unsigned char memory[ROOM];

static void put(unsigned int at, const void *bytes, size_t size)
{
	assert_in_range(at + size, 1, ROOM);
	memcpy(memory + at, bytes, size);
}

static void put_word(unsigned int at, __u64 value)
{
	put(at, &value, sizeof(value));
}

/* A token for each byte, and one for a frequent sequence. */
static void put_tokens(void)
{
	unsigned int i, at = 0;

	for (i = 0; i < 256; i++) {
		char text[16] = { (char)i };
		__u16 index = (__u16)at;

		if (i == 1)
			strcpy(text, "schedule");
		else if (!isprint((int)i))
			text[0] = '?';
		put(INDEX + 2 * i, &index, sizeof(index));
		put(TOKENS + at, text, strlen(text) + 1);
		at += strlen(text) + 1;
	}
	assert_in_range(at, 1, INDEX - TOKENS);
}

static void put_kernel(enum form form)
{
	unsigned int at = NAMES, nr = NR, i;

	put_tokens();
	put(NUMBER, &nr, sizeof(nr));
	put_word(RELATIVE, BASE);
	for (i = 0; i < NR; i++) {
		const char *text = symbols[i].text, *frequent = strstr(text, "schedule");
		__u64 address = symbols[i].address;
		__s32 offset = (__s32)(address - BASE);
		char tokens[64];
		size_t used;

		if (form == FROM_THEMSELVES)
			offset = (__s32)(address - (BASE + OFFSETS + 4 * i));
		else if (form == NUMBERS_TOO)
			offset = (__s32)(BASE - 1 - address);
		put(OFFSETS + 4 * i, &offset, sizeof(offset));
		used = frequent ? (size_t)(frequent - text) : strlen(text);
		memcpy(tokens, text, used);
		if (frequent) {
			tokens[used++] = 1;
			strcpy(tokens + used, frequent + strlen("schedule"));
			used += strlen(tokens + used);
		}
		memory[at++] = (unsigned char)used;
		put(at, tokens, used);
		at += (unsigned int)used;
	}
}

static void put_module(void)
{
	static const char texts[] = "\0local\0exported\0percpu";
	const Elf64_Sym table[] = {
		{ 0 },
		{ .st_name = 1, .st_value = 0xffffffffc0000100 },
		{ .st_name = 7, .st_value = 0xffffffffc0000200,
		  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) },
		{ .st_name = 16, .st_value = 0x40, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT) },
	};

	put_word(LIST, BASE + MODULE);
	put_word(MODULE, BASE + LIST);
	put(MODULE + 16, "mine", sizeof("mine"));
	put_word(MODULE + 80, BASE + SYMBOLS);
	put_word(SYMBOLS, BASE + TABLE);
	put_word(SYMBOLS + 8, sizeof(table) / sizeof(table[0]));
	put_word(SYMBOLS + 16, BASE + TEXTS);
	put_word(SYMBOLS + 24, BASE + LETTERS);
	put(TABLE, table, sizeof(table));
	put(TEXTS, texts, sizeof(texts));
	put(LETTERS, "?tta", 4);
}

static struct btf *types(void)
{
	static const char texts[] = "\0module\0list\0name\0kallsyms\0mod_kallsyms\0symtab\0num_symtab\0strtab\0typetab";
#define TEXT(name)	((__u32)((const char *)memmem(texts, sizeof(texts), "\0" name, sizeof(name) + 1) + 1 - texts))
#define INT(bytes)	{ .info = BTF_KIND_INT << 24, .size = (bytes) }, 8 * (bytes)
	struct {
		struct btf_header header;
		struct { struct btf_type type; __u32 bits; } number[2];
		struct { struct btf_type type; struct btf_array array; } name;
		struct { struct btf_type type; struct btf_member member[3]; } module;
		struct { struct btf_type type; struct btf_member member[4]; } symbols;
		char texts[sizeof(texts)];
	} all = {
		.header = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(all.header) },
		.number = { { INT(8) }, { INT(4) } },
		.name = { { .info = BTF_KIND_ARRAY << 24 }, { .type = 1, .nelems = 7 } },
		.module = {
			{ .name_off = TEXT("module"), .info = BTF_KIND_STRUCT << 24 | 3, .size = 96 },
			{ { TEXT("list"), 1, 0 }, { TEXT("name"), 3, 8 * 16 },
			  { TEXT("kallsyms"), 1, 8 * 80 } },
		},
		.symbols = {
			{ .name_off = TEXT("mod_kallsyms"), .info = BTF_KIND_STRUCT << 24 | 4, .size = 32 },
			{ { TEXT("symtab"), 1, 0 }, { TEXT("num_symtab"), 2, 8 * 8 },
			  { TEXT("strtab"), 1, 8 * 16 }, { TEXT("typetab"), 1, 8 * 24 } },
		},
	};

	all.header.type_len = offsetof(typeof(all), texts) - sizeof(all.header);
	all.header.str_off = all.header.type_len;
	all.header.str_len = sizeof(texts);
	memcpy(all.texts, texts, sizeof(texts));
	return btf_from(NULL, &all, sizeof(all));
}

/* Like /proc/kcore: a note with what the kernel says about itself, and memory. */
static struct kernel_core *make_core(enum form form, size_t bytes)
{
	char path[64], info[512];
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment[2];
		Elf64_Nhdr note;
		char name[12], text[512];
	} head = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			.e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 2,
		},
		.name = "VMCOREINFO",
	};
	struct kernel_core *core;
	int fd = memfd_create("core", 0), length;

	length = snprintf(info, sizeof(info),
			  "OSRELEASE=7\nSYMBOL(kallsyms_num_syms)=%llx\nSYMBOL(kallsyms_names)=%llx\n"
			  "SYMBOL(kallsyms_token_table)=%llx\nSYMBOL(kallsyms_token_index)=%llx\n"
			  "SYMBOL(kallsyms_offsets)=%llx\n",
			  BASE + NUMBER, BASE + NAMES, BASE + TOKENS, BASE + INDEX, BASE + OFFSETS);
	if (form != FROM_THEMSELVES)
		length += snprintf(info + length, sizeof(info) - (size_t)length,
				   "SYMBOL(kallsyms_relative_base)=%llx\n", BASE + RELATIVE);
	head.note = (Elf64_Nhdr){ .n_namesz = sizeof("VMCOREINFO"), .n_descsz = (__u32)length };
	memcpy(head.text, info, (size_t)length);
	head.segment[0] = (Elf64_Phdr){
		.p_type = PT_NOTE, .p_offset = offsetof(typeof(head), note),
		.p_filesz = sizeof(head) - offsetof(typeof(head), note),
	};
	head.segment[1] = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_offset = sizeof(head), .p_vaddr = BASE,
		.p_filesz = bytes, .p_memsz = bytes,
	};
	assert_true(fd >= 0);
	assert_int_equal(write(fd, &head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, memory, bytes), bytes);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	core = kernel_core_open_at(path);
	close(fd);
	assert_non_null(core);
	return core;
}

static const char begin[] =
	"ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000100 t schedule\n"
	"ffffffff81000200 T schedule_tim";

static const struct ksym *row_named(const struct kallsyms *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (!strcmp(all->rows[i].name, name))
			return &all->rows[i];
	fail();
	return NULL;
}

static void assert_row(const struct kallsyms *all, const char *name, __u64 address, char type,
		       const char *module)
{
	const struct ksym *row = row_named(all, name);

	assert_int_equal(row->start, address);
	assert_int_equal(row->type, type);
	assert_string_equal(row->module, module);
}

static bool read_it(struct kallsyms *all, enum form form, size_t bytes, const char *first)
{
	struct kernel_core *core = make_core(form, bytes);
	struct btf *btf = types();
	bool good;

	assert_non_null(btf);
	good = kallsyms_from_core(all, core, btf, first);
	btf_free(btf);
	kernel_core_close(core);
	return good;
}

static bool find_both(enum form form, size_t bytes, const char *second, __u64 addresses[2])
{
	struct kernel_core *core = make_core(form, bytes);
	const char *const names[] = { "schedule_timeout", second };
	bool found = kallsyms_core_find(core, names, 2, addresses);

	kernel_core_close(core);
	return found;
}

TEST(each_form)
{
	enum form form;

	for (form = 0; form < FORMS; form++) {
		struct kallsyms all = { 0 };
		__u64 addresses[2];

		memset(memory, 0, sizeof(memory));
		put_kernel(form);
		put_module();
		assert_true(read_it(&all, form, ROOM, begin));
		assert_int_equal(all.nr, NR + 3);
		assert_row(&all, "schedule", BASE + 0x100, 't', "");
		assert_row(&all, "schedule_timeout", BASE + 0x200, 'T', "");
		assert_row(&all, "local", 0xffffffffc0000100, 't', "mine");
		assert_row(&all, "exported", 0xffffffffc0000200, 'T', "mine");
		assert_row(&all, "percpu", 0x40, 'a', "mine");
		kallsyms_free(&all);
		assert_true(find_both(form, ROOM, "modules", addresses));
		assert_int_equal(addresses[0], BASE + 0x200);
		assert_int_equal(addresses[1], BASE + LIST);
		assert_false(find_both(form, ROOM, "schedul", addresses));
	}
}

/* A text that differs from what the kernel prints is not used. */
TEST(another_beginning)
{
	static const char *const others[] = {
		"ffffffff81000001 T _text\n", "ffffffff81000000 t _text\n",
		"ffffffff81000000 T _tex\n", "ffffffff81000000 T _text2\n",
		"ffffffff81000000 T _text\t[mine]\n", "", "ffffffff81000000 T _text",
	};
	struct kallsyms all = { 0 };
	size_t i;

	memset(memory, 0, sizeof(memory));
	put_kernel(FROM_BASE);
	put_module();
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_false(read_it(&all, FROM_BASE, ROOM, others[i]));
		assert_null(all.rows);
	}
	assert_true(read_it(&all, FROM_BASE, ROOM, "ffffffff81000000 T _text\n"));
	kallsyms_free(&all);
}

TEST(modules_without_an_end)
{
	struct kallsyms all = { 0 };

	memset(memory, 0, sizeof(memory));
	put_kernel(FROM_BASE);
	put_module();
	put_word(MODULE, BASE + MODULE);
	assert_false(read_it(&all, FROM_BASE, ROOM, begin));
	put_word(MODULE, 16);
	assert_false(read_it(&all, FROM_BASE, ROOM, begin));
}

/* Some bits changed, the same ones in each run, and memory that ends early. */
TEST(damaged)
{
	static unsigned char good[ROOM];
	__u64 random = 5;
	unsigned int i, k;

	memset(memory, 0, sizeof(memory));
	put_kernel(FROM_THEMSELVES);
	put_module();
	memcpy(good, memory, sizeof(good));
	for (i = 0; i < DAMAGED; i++) {
		struct kallsyms all = { 0 };
		__u64 addresses[2];
		size_t bytes;

		memcpy(memory, good, sizeof(good));
		for (k = 0; k < 3; k++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			memory[(random >> 33) % (LETTERS + 4)] ^= 1U << (random >> 29 & 7);
		}
		bytes = i % 8 ? ROOM : (random >> 40) % ROOM;
		read_it(&all, FROM_THEMSELVES, bytes, begin);
		kallsyms_free(&all);
		find_both(FROM_THEMSELVES, bytes, "modules", addresses);
	}
}

static void put_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "mkdir -p '%s/%s' && rmdir '%s/%s'", own_folder.path, name,
		 own_folder.path, name);
	assert_int_equal(system(path), 0);
	file = fopen(in(name), "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_symbol(const struct kallsyms *all, __u64 address, const char *name)
{
	const struct ksym *row = kallsyms_at(all, address);

	if (!name) {
		if (row)
			fail_msg("0x%llx is %s", address, row->name);
		return;
	}
	assert_non_null(row);
	assert_string_equal(row->name, name);
}

/* The end of a symbol is not told, but it is not a megabyte away. */
TEST_WITH(as_far_as_it_reaches, own_folder_make, remove_all)
{
	struct kallsyms all = { .root = own_folder.path };

	put_file("proc/kallsyms",
		 "ffffffff81000000 T _text\nffffffff81000100 T work\nffffffff81800000 T _etext\n"
		 "ffffffff82000000 d table\nffffffff82001000 d names\nffffffff82800000 d after\n"
		 "ffffffff83000000 T _sinittext\nffffffff83000100 t set_up\n"
		 "ffffffff83001000 T _einittext\n"
		 "ffffffffc0001000 t run\t[one]\nffffffffc0010000 d __this_module\t[one]\n"
		 "ffffffffc001f000 d last\t[one]\n");
	assert_int_equal(kallsyms_read(&all, NULL, NULL), 0);
	assert_symbol(&all, 0xffffffff81700000, "work");
	assert_symbol(&all, 0xffffffff82000fff, "table");
	assert_symbol(&all, 0xffffffff82001000, "names");
	assert_symbol(&all, 0xffffffff82003fff, "names");
	assert_symbol(&all, 0xffffffff82170000, NULL);
	assert_symbol(&all, 0xffffffff82800000, "after");
	/* Memory that the kernel gave back when it had started. */
	assert_symbol(&all, 0xffffffff83000180, NULL);
	assert_symbol(&all, 0xffffffffc0010400, "__this_module");
	assert_symbol(&all, 0xffffffffc001d000, NULL);
	assert_symbol(&all, 0xffffffffc001f010, "last");
	kallsyms_free(&all);
}

/* Functions that started a module are listed after another module is where they were. */
TEST_WITH(freed_code_of_a_module, own_folder_make, remove_all)
{
	struct kallsyms all = { .root = own_folder.path };

	put_file("sys/module/one/sections/.init.text", "0xffffffffc0673010\n");
	put_file("sys/module/one/sections/.text", "0xffffffffc0600000\n");
	put_file("sys/module/two/sections/.text", "0xffffffffc0673000\n");
	/* Its start is below the rest of it. */
	put_file("sys/module/low/sections/.init.text", "0xffffffffc0500000\n");
	put_file("sys/module/low/sections/.text", "0xffffffffc0510000\n");
	put_file("proc/kallsyms",
		 "ffffffff81000000 T _text\nffffffff81000100 T work\nffffffff81800000 T _etext\n"
		 "ffffffffc0600000 t one_run\t[one]\nffffffffc0673040 T one_init\t[one]\n"
		 "ffffffffc067310c t one_probe\t[one]\n"
		 "ffffffffc0673000 t two_tx\t[two]\nffffffffc0673100 t two_rx\t[two]\n"
		 "ffffffffc0500040 t low_init\t[low]\nffffffffc0510000 t low_run\t[low]\n");
	assert_int_equal(kallsyms_read(&all, NULL, NULL), 0);
	assert_symbol(&all, 0xffffffffc0600010, "one_run");
	assert_symbol(&all, 0xffffffffc0673044, "two_tx");
	assert_symbol(&all, 0xffffffffc0673110, "two_rx");
	assert_symbol(&all, 0xffffffffc0500044, NULL);
	assert_symbol(&all, 0xffffffffc0510004, "low_run");
	kallsyms_free(&all);
}

/* Variables of each CPU, whose numbers are low; and code of no file, a page of it at most. */
TEST_WITH(variables_of_cpus_and_trampolines, own_folder_make, remove_all)
{
	struct kallsyms all = { .root = own_folder.path };

	put_file("proc/kallsyms",
		 "0000000000000000 D __per_cpu_start\n0000000000001000 D cpu_info\n"
		 "000000000001f000 d last_of_cpu\n0000000000020000 D __per_cpu_end\n"
		 "ffffffff81000000 T _text\nffffffff81000100 T work\nffffffff81800000 T _etext\n"
		 "ffffffffc0100000 t bpf_prog_6deef7357e7b4530_count\t[bpf]\n"
		 "ffffffffc0102000 t bpf_trampoline_6442\t[bpf]\n"
		 "ffffffffc0104000 t ftrace_trampoline\t[__builtin__ftrace]\n");
	assert_int_equal(kallsyms_read(&all, NULL, NULL), 0);
	assert_symbol(&all, 0x1010, "cpu_info");
	assert_symbol(&all, 0x1f010, "last_of_cpu");
	assert_symbol(&all, 0x20010, NULL);
	assert_symbol(&all, 0xffffffffc0100010, "bpf_prog_6deef7357e7b4530_count");
	assert_symbol(&all, 0xffffffffc0102fff, "bpf_trampoline_6442");
	assert_symbol(&all, 0xffffffffc0103000, NULL);
	assert_symbol(&all, 0xffffffffc0104010, "ftrace_trampoline");
	assert_symbol(&all, 0xffffffffc0105000, NULL);
	kallsyms_free(&all);
}
