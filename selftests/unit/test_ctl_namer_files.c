// SPDX-License-Identifier: GPL-2.0
/* The same program in each form that decides what can be known about it. */
#define _GNU_SOURCE
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl_named.h"
#include "ctl_view.h"

#include "profile/kernel_names.h"

static struct named c;

/* A split file that is gone. */
static const char *gone_dwo(void)
{
	return named_file("sample-split-gone.dwo");
}

static int begin(void **state)
{
	memset(&c, 0, sizeof(c));
	/* A test that was ended may have left it. */
	unlink(gone_dwo());
	/* Files that this user downloaded before must not influence the test. */
	setenv("DEBUGINFOD_CACHE_PATH", "/nonexistent", 1);
	return 0;
}

static int end(void **state)
{
	named_end(&c);
	return 0;
}

/* All notes in one text. */
static char *notes(void)
{
	return PRINTED(namer_print_notes(c.namer, out));
}

static void assert_all_known(void)
{
	const struct code_name *code;

	assert_data(&c, "hits", "variable stats.per_cpu[3].hits (struct stats)+112 of 308 .data");
	assert_data(&c, "matrix", "variable matrix[2][1][3] (int[3][4][5])+192 of 240 .bss");
	assert_data(&c, "bits", "variable stats.{ready|done|wide} (struct stats)+276 of 308 .data");
	assert_data(&c, "wide", "variable stats.wide (struct stats)+277 of 308 .data");
	assert_data(&c, "kept[1]", "variable other::kept[1] (long int[2])+8 of 16 .bss");
	assert_data(&c, "thread.tls_second",
		    "tls tls_second[1].misses (struct per_cpu[2])+40 of 64 .tbss");
	assert_data(&c, "main.tls_first", "tls tls_first (long int)+0 of 8 .tdata");
	assert_chain(&c, "deepest", "deepest<middle<outer");
	code = named_code(&c, "deepest");
	assert_int_equal(code->line, named_place(&c, "deepest")->line);
	assert_non_null(strstr(code->file, "/names/sample.c"));
	assert_string_equal(code->raw, "outer");
	assert_false(code->stripped);
}

#define TEST_KNOWN(name, file)				\
	TEST_WITH(name, begin, end)			\
	{						\
		named_start(&c, named_file(file), NULL);\
		assert_all_known();			\
	}

static void assert_nothing_known(void)
{
	const struct code_name *code = named_code(&c, "deepest");
	const struct data_name *data = named_data(&c, "hits");

	assert_null(code->function);
	assert_null(code->raw);
	assert_int_equal(code->nr_frames, 0);
	assert_int_equal(code->line, 0);
	assert_int_equal(data->kind, DATA_FILE);
	assert_null(data->field);
	assert_null(data->type);
}

TEST_WITH(at_a_fixed_address, begin, end)
{
	named_start(&c, named_file("sample-nopie"), NULL);
	assert_all_known();
	/* Its own address of a library's function is that of the entry in the PLT. */
	assert_string_equal(named_code(&c, "puts")->raw, "puts@plt");
	assert_string_equal(named_code(&c, "puts")->function, "puts@plt");
	assert_int_equal(named_code(&c, "puts")->offset, 0);
}

TEST_KNOWN(without_libraries, "sample-static")

/* A gap, not only anonymous memory, lies between the file's last mapping and its variables. */
TEST_KNOWN(with_variables_apart, "sample-apart")

TEST_KNOWN(with_old_dwarf, "sample-old")

/* Elements have Fortran's numbers, and a descriptor has none. */
TEST_WITH(arrays_of_fortran, begin, end)
{
	named_start(&c, named_file("foreign_sample"), NULL);
	assert_data(&c, "list.first", "variable list[1] (real(kind=8)[10])+0 of 80 .bss");
	assert_data(&c, "list.last", "variable list[10] (real(kind=8)[10])+72 of 80 .bss");
	assert_data(&c, "grid", "variable grid[2][2] (real(kind=8)[2][3])+24 of 48 .bss");
	assert_data(&c, "grid.last", "variable grid[2][3] (real(kind=8)[2][3])+40 of 48 .bss");
	assert_data(&c, "span", "variable span[-1][1] (real(kind=8)[5][5])+8 of 200 .bss");
	assert_data(&c, "span.last", "variable span[2][5] (real(kind=8)[5][5])+192 of 200 .bss");
	assert_data(&c, "later", "variable later (real(kind=8)[])+8 of 64 .bss");
	/* All functions share the variables of a block. */
	assert_data(&c, "block.first", "variable blk::q (real(kind=8))+0 of 8 .bss");
	assert_data(&c, "block", "variable blk::r[3] (real(kind=8)[10])+16 of 80 .bss");
}

/* The lengths are in the order of the numbers, where an array's elements are arrays. */
TEST_WITH(arrays_of_rust, begin, end)
{
	named_start(&c, named_file("foreign_sample"), NULL);
	assert_data(&c, "rows", "variable rows[1][2] (f64[4][3])+40 of 96 .bss");
}

/* The members of an atomic number mean nothing to those who use it. */
TEST_WITH(atomics_of_rust, begin, end)
{
	named_start(&c, named_file("foreign_sample"), NULL);
	assert_data(&c, "gate", "variable gate.turns (tok::Gate)+4 of 8 .bss");
}

/* As dwz moves types to units without a language. */
TEST_KNOWN(without_a_language, "sample-unsaid")

TEST_KNOWN(with_packed_dwarf, "sample-packed")

/* A type that a unit does not describe is not called padding. */
TEST_WITH(with_declared_types, begin, end)
{
	named_start(&c, named_file("sample-brief"), NULL);
	assert_all_known();
	assert_data(&c, "first", "variable mixed.first (struct {...})+0 of 32 .bss");
	assert_data(&c, "there", "variable mixed (struct {...})+16 of 32 .bss");
	named_end(&c);
	named_start(&c, named_file("sample"), NULL);
	assert_data(&c, "there", "variable mixed.elsewhere.there (struct {...})+16 of 32 .bss");
}

/* File numbers are those of the unit, not those that are left in the program. */
static void assert_places_known(void)
{
	const struct code_name *code;
	size_t i;

	assert_all_known();
	code = named_code(&c, "deepest");
	for (i = 0; i < 3; i++)
		assert_non_null(strstr(code->frames[i].file, "/names/sample.c"));
	assert_non_null(strstr(named_data(&c, "hits")->file, "/names/sample.c"));
	assert_int_equal(named_data(&c, "hits")->file[0], '/');
	assert_int_equal(named_data(&c, "kept")->line, 68);
}

/* Debug information that was left beside the object files. */
TEST_WITH(with_split_dwarf, begin, end)
{
	named_start(&c, named_file("sample-split-5"), NULL);
	assert_places_known();
	named_end(&c);
	named_start(&c, named_file("sample-split-4"), NULL);
	assert_places_known();
	SAYS(notes(), NOT ".dwo files");
}

/* Its lines are in the program. Everything else is in the split file, which is gone. */
static void without_its_split_file(const char *name)
{
	const struct code_name *code;

	named_start(&c, named_file(name), NULL);
	assert_data(&c, "hits", "variable stats (-)+112 of 308 .data");
	assert_data(&c, "thread.tls_second", "tls tls_second (-)+40 of 64 .tbss");
	/* Names of data tell already. */
	SAYS(notes(), "its debug information is split");
	code = named_code(&c, "deepest");
	assert_string_equal(code->function, "outer");
	assert_int_equal(code->line, named_place(&c, "deepest")->line);
	assert_non_null(strstr(code->file, "/names/sample.c"));
	assert_int_equal(code->nr_frames, 0);
	SAYS(notes(), "its debug information is split");
}

TEST_WITH(split_file_gone, begin, end)
{
	without_its_split_file("sample-split-gone");
}

/* A program may name a pipe, or a device, as its split file. It is not opened. */
TEST_WITH(split_file_is_a_pipe, begin, end)
{
	assert_int_equal(mkfifo(gone_dwo(), 0600), 0);
	/* A signal ends the test if it waits for a writer, who never comes. */
	alarm(600);
	named_start(&c, named_file("sample-split-gone"), NULL);
	assert_data(&c, "hits", "variable stats (-)+112 of 308 .data");
	SAYS(notes(), "its debug information is split");
	assert_string_equal(named_code(&c, "deepest")->function, "outer");
	assert_int_equal(named_code(&c, "deepest")->line, 0);
	alarm(0);
	unlink(gone_dwo());
}

TEST_WITH(split_file_of_another, begin, end)
{
	without_its_split_file("sample-split-wrong");
}

TEST_WITH(without_dwarf, begin, end)
{
	const struct code_name *code;

	named_start(&c, named_file("sample-plain"), NULL);
	assert_data(&c, "hits", "variable stats (-)+112 of 308 .data");
	assert_data(&c, "thread.tls_second", "tls tls_second (-)+40 of 64 .tbss");
	code = named_code(&c, "deepest");
	assert_string_equal(code->function, "outer");
	assert_int_equal(code->nr_frames, 0);
	assert_int_equal(code->line, 0);
	assert_null(code->file);
	assert_false(code->stripped);
	SAYS(notes(),
	     "(no lines, inlined functions or fields from sample-plain: no debug information");
}

TEST_WITH(stripped, begin, end)
{
	const struct code_name *code;

	named_start(&c, named_file("sample-stripped"), NULL);
	assert_nothing_known();
	code = named_code(&c, "deepest");
	assert_true(code->stripped);
	assert_false(code->deleted);
	assert_string_equal(code->module, "sample-stripped");
	assert_true(code->module_offset > 0 && code->module_offset < 65536);
	assert_string_equal(named_data(&c, "hits")->name, "[.data of sample-stripped]");
	assert_string_equal(named_data(&c, "hits")->section, ".data");
	assert_string_equal(named_data(&c, "matrix")->section, ".bss");
	/* The block can be identified, the variable cannot. */
	assert_data(&c, "main.tls_second",
		    "tls [thread-local data of sample-stripped] (-)+56 of 80 .tbss");
	SAYS(notes(), "(sample-stripped: stripped;");
}

/*
 * The note about the program comes first, whatever was requested more often. Each note is there
 * once.
 */
TEST_WITH(order_of_notes, begin, end)
{
	unsigned int found = 0;
	__u64 puts, at;

	named_start(&c, named_file("sample-stripped"), "/nonexistent");
	puts = named_place(&c, "puts")->address;
	for (at = puts; found < 5 && at - puts < 1 << 18; at += 16)
		found += namer_code(c.namer, (__u32)c.pid, 0, at)->stripped;
	if (!found) {
		print_message("# this machine's C library is not stripped\n");
		skip();
	}
	SAYS(notes(), "(libc.so.6: stripped;");
	named_code(&c, "deepest");
	SAYS(notes(), "(sample-stripped, libc.so.6: stripped;");
}

TEST_KNOWN(debug_file_by_link, "sample-linked")

TEST_WITH(debug_file_by_id, begin, end)
{
	char folders[PATH_MAX];

	snprintf(folders, sizeof(folders), "/nonexistent:%s", named_file("debug"));
	named_start(&c, named_file("sample-known"), folders);
	assert_all_known();
	named_end(&c);
	/* Not for users who do not look there. */
	named_start(&c, named_file("sample-known"), "/nonexistent");
	assert_nothing_known();
}

TEST_WITH(debug_file_in_cache, begin, end)
{
	setenv("DEBUGINFOD_CACHE_PATH", named_file("cache"), 1);
	named_start(&c, named_file("sample-known"), NULL);
	assert_all_known();
}

/* A debug file of another build is not used, whatever its name. */
TEST_WITH(debug_file_of_another, begin, end)
{
	named_start(&c, named_file("sample-wrongsum"), NULL);
	assert_nothing_known();
	named_end(&c);
	named_start(&c, named_file("sample-wrongid"), NULL);
	assert_nothing_known();
}

/* A copy of the sample under another name. Returns that name. */
static const char *copy(const char *of)
{
	static char path[PATH_MAX];
	char command[3 * PATH_MAX];

	snprintf(path, sizeof(path), "%s.%d", named_file("copy"), getpid());
	snprintf(command, sizeof(command), "cp '%s' '%s'", named_file(of), path);
	assert_int_equal(system(command), 0);
	return path;
}

static void start_recorded(void)
{
	c.profile.live = false;
	c.namer = namer_new(&c.profile, NULL);
	assert_non_null(c.namer);
}

static void replace(const char *path, const char *by)
{
	char command[3 * PATH_MAX];

	assert_int_equal(unlink(path), 0);
	snprintf(command, sizeof(command), "cp '%s' '%s'", named_file(by), path);
	assert_int_equal(system(command), 0);
}

static void replaced(bool ids)
{
	const char *path = copy("sample");

	named_run(&c, path, ids);
	replace(path, "sample-cc");
	start_recorded();
	assert_nothing_known();
	assert_true(named_code(&c, "main")->deleted);
	assert_string_equal(named_code(&c, "main")->path, path);
	SAYS(notes(), ": another file has that name now");
	unlink(path);
}

TEST_WITH(replaced_by_id, begin, end)
{
	replaced(true);
}

TEST_WITH(replaced_by_inode, begin, end)
{
	replaced(false);
}

/* The same bytes in another place are the same file, by build id. */
TEST_WITH(put_back, begin, end)
{
	const char *path = copy("sample");

	named_run(&c, path, true);
	replace(path, "sample");
	start_recorded();
	assert_all_known();
	assert_false(named_code(&c, "main")->deleted);
	unlink(path);
}

/*
 * The file was overwritten in place after the recording. It has no build id, but its time shows
 * that.
 */
TEST_WITH(written_since, begin, end)
{
	named_run(&c, named_file("sample"), false);
	c.profile.recorded_at = 1;
	start_recorded();
	assert_nothing_known();
	assert_true(named_code(&c, "main")->deleted);
}

TEST_WITH(gone, begin, end)
{
	const char *path = copy("sample");

	named_run(&c, path, true);
	assert_int_equal(unlink(path), 0);
	start_recorded();
	assert_nothing_known();
	assert_true(named_code(&c, "main")->deleted);
	assert_string_equal(named_code(&c, "main")->path, path);
	SAYS(notes(), "(no names from copy.", ": deleted since");
}

/* The program still runs, so the kernel has its contents. */
TEST_WITH(gone_and_alive, begin, end)
{
	const char *path = copy("sample");

	named_run(&c, path, false);
	assert_int_equal(unlink(path), 0);
	if (geteuid()) {
		print_message("# only root may open what a process has mapped\n");
		skip();
	}
	c.namer = namer_new(&c.profile, NULL);
	assert_non_null(c.namer);
	assert_all_known();
	assert_true(named_code(&c, "main")->deleted);
}

TEST_WITH(gone_and_cached, begin, end)
{
	const char *path = copy("sample-known");

	setenv("DEBUGINFOD_CACHE_PATH", named_file("cache"), 1);
	named_run(&c, path, true);
	assert_int_equal(unlink(path), 0);
	start_recorded();
	assert_all_known();
	assert_true(named_code(&c, "main")->deleted);
}

/* As the kernel names a file that was deleted before the kernel was asked. */
TEST_WITH(deleted_when_recorded, begin, end)
{
	const char *path = copy("sample");
	struct history_map map;
	const struct history_image *image;
	const struct code_name *code;
	char name[PATH_MAX + 16];

	named_run(&c, path, true);
	assert_int_equal(unlink(path), 0);
	image = history_find(c.profile.history, (__u32)c.pid, 0);
	assert_non_null(image);
	map = *history_map_at(image, named_place(&c, "main")->address);
	snprintf(name, sizeof(name), "%s (deleted)", path);
	map.path = name;
	history_free(c.profile.history);
	c.profile.history = history_new();
	assert_non_null(c.profile.history);
	history_map(c.profile.history, (__u32)c.pid, 0, &map);
	history_settle(c.profile.history, NULL);
	start_recorded();
	code = named_code(&c, "main");
	assert_null(code->function);
	assert_true(code->deleted);
	assert_string_equal(code->path, path);
}

/*
 * The addresses at which the kernel's code begins, and that of the program that replaces it here.
 */
#define TEXT		0xffffffff9a000000ULL
#define SAMPLE_TEXT	0x401000ULL

static __u64 as_kernel(const char *label)
{
	return named_place(&c, label)->address - SAMPLE_TEXT + TEXT;
}

/* With the kernel's debug file, its code and variables are named as well as others. */
TEST_WITH(debug_file_of_the_kernel, begin, end)
{
	struct kernel_names *names = calloc(1, sizeof(*names));
	const struct code_name *code;
	const struct data_name *data;
	const struct history_map *map;
	struct kernel_row row = { .cpu = KERNEL_NO_CPU, .module = "" };
	__u64 ip, address;

	assert_non_null(names);
	setenv("DEBUGINFOD_CACHE_PATH", named_file("cache"), 1);
	named_run(&c, named_file("sample-known"), true);
	map = history_map_at(history_find(c.profile.history, (__u32)c.pid, 0),
			     named_place(&c, "main")->address);
	assert_non_null(map);
	memcpy(names->build_id, map->build_id, map->build_id_size);
	names->build_id_size = map->build_id_size;
	names->text = TEXT;
	ip = as_kernel("deepest");
	address = as_kernel("hits");
	row.start = ip - 16;
	row.end = ip + 16;
	row.kind = KERNEL_CODE;
	row.name = "what_kallsyms_says";
	kernel_row_add(names, &row);
	row.start = address - 112;
	row.end = address + 512;
	row.kind = KERNEL_DATA;
	kernel_row_add(names, &row);
	c.profile.kernel = names;
	start_recorded();
	code = namer_code(c.namer, 0, 0, ip);
	assert_string_equal(code->function, "deepest");
	assert_string_equal(code->raw, "what_kallsyms_says");
	assert_string_equal(code->module, "[kernel]");
	assert_int_equal(code->nr_frames, 3);
	assert_int_equal(code->line, named_place(&c, "deepest")->line);
	data = namer_data(c.namer, 0, 0, address, 0);
	assert_int_equal(data->kind, DATA_KERNEL);
	assert_string_equal(data->name, "stats");
	assert_string_equal(data->field, ".per_cpu[3].hits");
	assert_int_equal(data->start, address - 112);
	namer_free(c.namer);
	/* A debug file of another build says nothing. */
	names->build_id[0] ^= 1;
	start_recorded();
	code = namer_code(c.namer, 0, 0, ip);
	assert_string_equal(code->function, "what_kallsyms_says");
	assert_int_equal(code->nr_frames, 0);
	assert_string_equal(namer_data(c.namer, 0, 0, address, 0)->name, "what_kallsyms_says");
}

/* The areas of the kernel's map are known from where its objects are. */
TEST_WITH(kernel_without_its_memory, begin, end)
{
	struct kernel_names *names = calloc(1, sizeof(*names));
	struct kernel_row row = {
		.start = 0xffffffff80000000, .end = 0xffffffffa0000000, .kind = KERNEL_AREA,
		.cpu = KERNEL_NO_CPU, .name = "kernel image", .module = "",
	};
	char *text;

	assert_non_null(names);
	kernel_row_add(names, &row);
	named_run(&c, named_file("sample-known"), true);
	c.profile.kernel = names;
	start_recorded();
	assert_string_equal(namer_data(c.namer, 0, 0, 0xffffffff80000010, 0)->name,
			    "[kernel kernel image]");
	text = notes();
	assert_null(strstr(text, "CAP_SYS_RAWIO"));
	free(text);
	assert_string_equal(namer_data(c.namer, 0, 0, 0xffff888000001000, 0)->name, "[kernel]");
	SAYS(notes(), "could not read /proc/kcore when it recorded names; it needs CAP_SYS_RAWIO");
}
