// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl_test.h"

#include "names/kernel_core.h"
#include "names/namer.h"
#include "profile/kernel_names.h"
#include "profile/profile.h"
#include "record/take.h"

/* Plausible rows. Their text is copied. */
static struct kernel_names *sample(void)
{
	static const struct kernel_row rows[] = {
		{ 0xffffffff81000000, 0xffffffff81000100, KERNEL_CODE, KERNEL_NO_CPU,
		  "schedule", "" },
		{ 0xffffffffc0001000, 0xffffffffc0001040, KERNEL_CODE, KERNEL_NO_CPU,
		  "ext4_read", "ext4" },
		{ 0xffff888000001000, 0xffff888000001080, KERNEL_DATA, 3, "runqueues", "" },
		{ 0xffffffff82000000, 0xffffffff82000008, KERNEL_DATA, KERNEL_NO_CPU,
		  "jiffies", "" },
		{ 0xffffffff80000000, 0xffffffffa0000000, KERNEL_AREA, KERNEL_NO_CPU,
		  "kernel image", "" },
	};
	struct kernel_names *names = calloc(1, sizeof(*names));
	size_t i;

	assert_non_null(names);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		kernel_row_add(names, &rows[i]);
	kernel_rows_sort(names);
	names->text = 0xffffffff81000000;
	names->build_id[19] = 7;
	names->build_id_size = 20;
	return names;
}

static void assert_row(const struct kernel_names *names, enum kernel_kind kind, __u64 address,
		       const char *wanted)
{
	const struct kernel_row *row = kernel_row_at(names, kind, address);

	if (!wanted) {
		assert_null(row);
		return;
	}
	assert_non_null(row);
	assert_string_equal(row->name, wanted);
}

static void assert_sample(const struct kernel_names *names)
{
	assert_row(names, KERNEL_CODE, 0xffffffff81000000, "schedule");
	assert_row(names, KERNEL_CODE, 0xffffffff810000ff, "schedule");
	assert_row(names, KERNEL_CODE, 0xffffffff81000100, NULL);
	assert_row(names, KERNEL_CODE, 0xffffffff80ffffff, NULL);
	assert_row(names, KERNEL_CODE, 0xffffffffc0001010, "ext4_read");
	/* Data is not named as code. */
	assert_row(names, KERNEL_DATA, 0xffffffff81000000, NULL);
	assert_row(names, KERNEL_DATA, 0xffffffff82000007, "jiffies");
	assert_row(names, KERNEL_DATA, 0xffff88800000107f, "runqueues");
	assert_row(names, KERNEL_AREA, 0xffffffff80001234, "kernel image");
	assert_row(names, KERNEL_AREA, 0, NULL);
}

TEST(lookup)
{
	struct kernel_names *names = sample();

	assert_sample(names);
	kernel_names_free(names);
	kernel_names_free(NULL);
}

TEST(there_and_back)
{
	struct kernel_names *names = sample(), *again;
	const char *why;
	size_t size;
	void *data;

	kernel_names_encode(names, &data, &size);
	assert_int_equal(kernel_names_decode(&again, data, size, &why), 0);
	assert_int_equal(again->nr, names->nr);
	assert_sample(again);
	assert_int_equal(kernel_row_at(again, KERNEL_DATA, 0xffff888000001000)->cpu, 3);
	assert_string_equal(kernel_row_at(again, KERNEL_CODE, 0xffffffffc0001000)->module, "ext4");
	assert_int_equal(again->text, 0xffffffff81000000);
	assert_int_equal(again->build_id_size, 20);
	assert_int_equal(again->build_id[19], 7);
	kernel_names_free(again);
	kernel_names_free(names);
	free(data);
}

static int decode(const void *bytes, size_t size)
{
	struct kernel_names *names;
	const char *why = NULL;
	int ret = kernel_names_decode(&names, bytes, size, &why);

	if (ret) {
		assert_non_null(why);
		return ret;
	}
	kernel_row_at(names, KERNEL_CODE, 0xffffffff81000000);
	kernel_names_free(names);
	return 0;
}

TEST(damaged)
{
	struct kernel_names *names = sample();
	size_t size;
	void *data;

	kernel_names_encode(names, &data, &size);
	decode_damaged(data, size, decode);
	/* More rows than there are bytes. */
	memset(data, 0xff, 8);
	assert_int_equal(decode(data, size), -EBADMSG);
	free(data);
	kernel_names_free(names);
}

static const struct data_name *named(struct namer *namer, __u64 address, const char *text)
{
	const struct data_name *data = namer_data(namer, 0, 0, address, 0);

	assert_string_equal(data->text, text);
	return data;
}

/* Objects without a symbol: by type and member, by cache and offset, and neither of both. */
TEST(objects)
{
	static const struct kernel_row rows[] = {
		{ 0xffff888000000000, 0xffff88807fffffff, KERNEL_AREA, KERNEL_NO_CPU,
		  "direct map of memory", "" },
		{ 0xffff888000001000, 0xffff8880000010c0, KERNEL_SLAB, KERNEL_NO_CPU, "dentry", "" },
		{ 0xffff888000002000, 0xffff888000002200, KERNEL_SLAB, KERNEL_NO_CPU,
		  "kmalloc-512", "..." },
		{ 0xffff888000001000, 0xffff8880000010c0, KERNEL_OBJECT, 3, "struct dentry", "" },
		{ 0xffff888000001058, 0xffff888000001059, KERNEL_MEMBER, 1, ".d_lockref.count",
		  "struct dentry" },
		{ 0xffff888000001060, 0xffff888000001061, KERNEL_MEMBER, 0, "", "struct dentry" },
		{ 0xffffc90000000000, 0xffffe8ffffffffff, KERNEL_AREA, KERNEL_NO_CPU, "vmalloc", "" },
		{ 0xffffc90000005000, 0xffffc9000000a000, KERNEL_MEMORY, KERNEL_NO_CPU, "stack", "" },
		{ 0xffffc90000010000, 0xffffc90000013000, KERNEL_VMALLOC, KERNEL_NO_CPU,
		  "open_table", "mine" },
		{ 0xffffc90000011000, 0xffffc90000011040, KERNEL_OBJECT, 1, "struct row", "" },
		{ 0xffffc90000011008, 0xffffc90000011009, KERNEL_MEMBER, 1, ".count", "struct row" },
		{ 0xffff888000002000, 0xffff888000002020, KERNEL_BPF_MAP, KERNEL_NO_CPU, "cells", "/2/8" },
		{ 0xffff888000002020, 0xffff888000002030, KERNEL_BPF_MAP, 3, "cells", ".elems/7/24" },
		{ 0xffff888000002030, 0xffff888000002040, KERNEL_BPF_MAP, KERNEL_NO_CPU, "own", "" },
		{ 0xffff888000002048, 0xffff888000002050, KERNEL_BPF_MAP, KERNEL_NO_CPU, "bad", "x/1/0" },
	};
	struct profile profile;
	struct namer *namer;
	const struct data_name *data;
	unsigned int i;

	profile_init(&profile);
	profile.kernel = calloc(1, sizeof(*profile.kernel));
	assert_non_null(profile.kernel);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		kernel_row_add(profile.kernel, &rows[i]);
	kernel_rows_sort(profile.kernel);
	namer = namer_new(&profile, NULL);
	data = named(namer, 0xffff888000001058, "struct dentry.d_lockref.count");
	assert_string_equal(data->type, "struct dentry");
	assert_string_equal(data->cache, "dentry");
	assert_int_equal(data->how, DATA_BY_OPERAND);
	assert_int_equal(data->start, 0xffff888000001000);
	assert_int_equal(data->offset, 0x58);
	assert_int_equal(data->size, 0xc0);
	assert_int_equal(data->objects, 3);
	data = named(namer, 0xffff888000001060, "struct dentry");
	assert_null(data->field);
	assert_int_equal(data->how, DATA_JOINED);
	/* Nothing is known about this address. */
	data = named(namer, 0xffff888000001008, "dentry +0x08");
	assert_int_equal(data->how, DATA_SLAB);
	assert_null(data->type);
	/* The kernel has objects of other caches there, too. */
	named(namer, 0xffff888000002040, "kmalloc-512 or merged +0x40");
	/* Maps of BPF: elements, a CPU's own, the map's structure, and a damaged one. */
	data = named(namer, 0xffff888000002018, "BPF map cells[5]");
	assert_string_equal(data->name, "BPF map cells");
	assert_int_equal(data->how, DATA_BPF_MAP);
	assert_int_equal(data->offset, 0x18);
	named(namer, 0xffff88800000202c, "BPF map cells of CPU 3.elems[7]+0x0c");
	named(namer, 0xffff888000002034, "BPF map own +0x04");
	named(namer, 0xffff888000002048, "BPF map bad +0x00");
	data = named(namer, 0xffff888000002200, "[kernel direct map of memory]");
	assert_int_equal(data->how, DATA_NO_NAME);
	/* Memory of vmalloc(): by its caller, by its use, by its type, and unknown. */
	data = named(namer, 0xffffc90000011040, "vmalloc by open_table +0x1040");
	assert_string_equal(data->module, "[mine]");
	assert_int_equal(data->how, DATA_VMALLOC);
	assert_int_equal(data->start, 0xffffc90000010000);
	assert_int_equal(data->size, 0x3000);
	data = named(namer, 0xffffc90000011008, "struct row.count");
	assert_string_equal(data->module, "[kernel]");
	data = named(namer, 0xffffc90000006010, "[kernel stack]");
	assert_int_equal(data->how, DATA_NO_NAME);
	named(namer, 0xffffc90000013000, "[kernel vmalloc]");
	namer_free(namer);
	profile_free(&profile);
}

/* The kernel may put a module where another one was, of which samples would get its names. */
TEST(modules_that_came_later)
{
	static const char * const told[] = {
		"add@/module/early", "remove@/module/gone", "remove@/devices/cpu/cpu1",
		"remove@/module/gone/holders", "add@/module/late", "add@/module/late/notes",
		"change@/module/early", "remove@/module/early", "add@/module/later",
		"add@/module/again", "remove@/module/again", "add@/module/again",
	};
	static const struct kernel_row rows[] = {
		{ 0xffffffff81000000, 0xffffffff81000100, KERNEL_CODE, KERNEL_NO_CPU, "work", "" },
		{ 0xffffffffc0000000, 0xffffffffc0000100, KERNEL_CODE, KERNEL_NO_CPU, "a",
		  "stays" },
		{ 0xffffffffc0001000, 0xffffffffc0001100, KERNEL_CODE, KERNEL_NO_CPU, "b",
		  "late" },
		{ 0xffffffffc0002000, 0xffffffffc0002100, KERNEL_CODE, KERNEL_NO_CPU, "c",
		  "again" },
		{ 0xffffffffc0003000, 0xffffffffc0003100, KERNEL_DATA, KERNEL_NO_CPU, "d",
		  "later" },
		{ 0xffffc90000010000, 0xffffc90000013000, KERNEL_VMALLOC, KERNEL_NO_CPU, "e",
		  "later" },
	};
	static const struct { __u64 address; const char *before, *text; } wanted[] = {
		{ 0xffffffff81000010, NULL, "work" },
		{ 0xffffffffc0000010, NULL, "a" },
		{ 0xffffffffc0001010, "the module gone", "b, or before that of the module gone" },
		{ 0xffffffffc00010ff, "the module gone", "b, or before that of the module gone" },
		{ 0xffffffffc0001100, NULL, NULL },
		{ 0xffffffffc0002000, "the module again", "c, or before that of the module again" },
		{ 0xffffffffc0003010, "the module early", "d, or before that of the module early" },
		{ 0xffffc90000010010, NULL, "vmalloc by e +0x10" },
	};
	struct modules *modules = modules_watch();
	struct profile profile;
	struct namer *namer;
	size_t i;

	profile_init(&profile);
	modules_doubt(modules, NULL);
	profile.kernel = calloc(1, sizeof(*profile.kernel));
	assert_non_null(profile.kernel);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		kernel_row_add(profile.kernel, &rows[i]);
	kernel_rows_sort(profile.kernel);
	modules_doubt(modules, profile.kernel);
	assert_int_equal(profile.kernel->nr, sizeof(rows) / sizeof(rows[0]));
	/* Its name has no end. */
	modules_take(modules, "remove@/module/cut", sizeof("remove@/module/cut") - 1);
	for (i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		modules_take(modules, told[i], strlen(told[i]) + 1);
	modules_doubt(modules, profile.kernel);
	modules_free(modules);
	namer = namer_new(&profile, NULL);
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const __u64 at = wanted[i].address;
		const char *before = namer_before(namer, 0, 0, at);
		const bool code = kernel_row_at(profile.kernel, KERNEL_CODE, at) || !wanted[i].text;
		const char *text = code ? namer_code(namer, 0, 0, at)->function :
				   namer_data(namer, 0, 0, at, 0)->text;

		if (before || wanted[i].before)
			assert_string_equal(before, wanted[i].before);
		if (text || wanted[i].text)
			assert_string_equal(text, wanted[i].text);
	}
	namer_free(namer);
	profile_free(&profile);
}

TEST(build_id)
{
	/* Another note first, then the build id, as in /sys/kernel/notes. */
	static const unsigned char notes[] = {
		6, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 'L', 'i', 'n', 'u', 'x', 0, 0, 0, 0, 0, 0, 0,
		4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xa1, 0xa2, 0xa3, 0,
	};
	struct kernel_names names;
	size_t i;

	for (i = 0; i <= sizeof(notes); i++) {
		unsigned char *copy = malloc(i ? i : 1);

		assert_non_null(copy);
		memcpy(copy, notes, i);
		memset(&names, 0, sizeof(names));
		kernel_note_build_id(&names, copy, i);
		free(copy);
		assert_int_equal(names.build_id_size, i == sizeof(notes) ? 3 : 0);
	}
	assert_memory_equal(names.build_id, "\xa1\xa2\xa3", 3);
}

/* The address of a function that every kernel has; 0: hidden from this user. */
static __u64 kallsyms_address(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[1024], type, symbol[512];
	unsigned long address, found = 0;

	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx %c %511s", &address, &type, symbol) == 3 &&
		    !strcmp(symbol, name))
			found = address;
	fclose(file);
	return found;
}

static int read_as_it_is(void)
{
	__u64 address = kallsyms_address("schedule");
	struct snapshot snap = { 0 };
	struct memlat_rec_site site = { .ip = address + 1 };
	struct kernel_names *names = NULL;
	const struct kernel_row *row;
	int ret;

	snap.sites = &site;
	snap.nr_sites = 1;
	ret = kernel_names_read(&names, &snap, NULL, true);
	if (!address)
		return ret != -EACCES;
	row = ret ? NULL : kernel_row_at(names, KERNEL_CODE, address + 1);
	/* What was requested, and nothing else. */
	ret = !row || strcmp(row->name, "schedule") || row->start != address ||
	      kernel_row_at(names, KERNEL_CODE, row->end);
	kernel_names_free(names);
	return ret;
}

/* Each table with addresses requests names, and those of programs only do not. */
TEST(names_are_wanted)
{
	const __u64 kernel = 0xffffffff81000000, user = 0x7fffffffe000;
	struct memlat_rec_site site = { .ip = user };
	struct memlat_rec_line line = { .addr = user, .ip = user };
	struct memlat_rec_access access = { .addr = user, .ip = user };
	struct memlat_rec_stack stack = { .frames = 2, .frame = { user, user, kernel } };
	const struct snapshot snap = {
		.sites = &site, .nr_sites = 1, .lines = &line, .nr_lines = 1,
		.accesses = &access, .nr_accesses = 1, .stacks = &stack, .nr_stacks = 1,
	};
	__u64 *const places[] = {
		&site.ip, &line.addr, &line.ip, &access.addr, &access.ip, &stack.frame[1],
	};
	const struct snapshot empty = { 0 };
	size_t i;

	assert_false(kernel_names_wanted(&empty));
	assert_false(kernel_names_wanted(&snap));
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		*places[i] = kernel;
		assert_true(kernel_names_wanted(&snap));
		*places[i] = user;
	}
}

TEST(this_kernel)
{
	int status;
	pid_t pid;

	assert_int_equal(read_as_it_is(), 0);
	/* Also for users who may not see addresses. */
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!geteuid() && setuid(65534))
			_exit(2);
		_exit(read_as_it_is());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
