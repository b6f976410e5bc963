// SPDX-License-Identifier: GPL-2.0
/* Code and data of a module, by its debug file, which has no addresses. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>

#include "ctl_named.h"

#include "profile/kernel_names.h"

/* Where the kernel put them. */
#define CODE		0xffffffffc0401000ULL
#define DATA		0xffffffffc0502040ULL
#define STATIC		0xffffffffc0503000ULL
#define TWIN		0xffffffffc0504000ULL
#define PER_CPU		0xffff88807dc01040ULL

static struct profile profile;
static struct namer *namer;

static void add(enum kernel_kind kind, __u64 start, __u64 size, const char *name, __u32 cpu)
{
	const struct kernel_row row = {
		.start = start, .end = start + size, .kind = kind, .cpu = cpu, .name = name,
		.module = "sample",
	};

	kernel_row_add(profile.kernel, &row);
}

/* The module's build id as text. wrong: that of another build. */
static const char *build_id(bool wrong)
{
	static char id[64];
	FILE *file = fopen(named_file("module.ko.id"), "r");

	assert_non_null(file);
	assert_non_null(fgets(id, sizeof(id), file));
	fclose(file);
	id[strcspn(id, "\n")] = '\0';
	assert_int_equal(strlen(id), 40);
	if (wrong)
		id[39] = id[39] == '0' ? '1' : '0';
	return id;
}

static void start(bool wrong)
{
	profile_init(&profile);
	profile.history = history_new();
	profile.kernel = calloc(1, sizeof(*profile.kernel));
	assert_non_null(profile.history);
	assert_non_null(profile.kernel);
	add(KERNEL_CODE, CODE, 4096, "outer", KERNEL_NO_CPU);
	add(KERNEL_DATA, DATA, 308, "stats", KERNEL_NO_CPU);
	add(KERNEL_DATA, STATIC, 8, "counter", KERNEL_NO_CPU);
	add(KERNEL_DATA, TWIN, 32, "twin", KERNEL_NO_CPU);
	add(KERNEL_DATA, PER_CPU, 240, "matrix", 3);
	add(KERNEL_BUILD, 0, 0, build_id(wrong), KERNEL_NO_CPU);
	kernel_rows_sort(profile.kernel);
	namer = namer_new(&profile, named_file("modules"));
	assert_non_null(namer);
}

static int end(void **state)
{
	namer_free(namer);
	namer = NULL;
	profile_free(&profile);
	return 0;
}

TEST_WITH(code, NULL, end)
{
	const struct code_name *name;
	bool inlined = false;
	__u64 ip;

	start(false);
	name = namer_code(namer, 0, 0, CODE);
	assert_string_equal(name->raw, "outer");
	assert_string_equal(name->module, "[sample]");
	assert_in_range(name->line, 54, 62);
	assert_string_equal(name->frames[name->nr_frames - 1].function, "outer");
	assert_non_null(strstr(name->file, "/names/sample.c"));
	for (ip = CODE; ip < CODE + 64 && !inlined; ip++) {
		name = namer_code(namer, 0, 0, ip);
		inlined = name->nr_frames == 3 &&
			  !strcmp(name->frames[0].function, "deepest") &&
			  !strcmp(name->frames[1].function, "middle") &&
			  !strcmp(name->frames[2].function, "outer");
	}
	assert_true(inlined);
}

static void assert_field(__u64 address, const char *name, const char *field, __u64 at)
{
	const struct data_name *data = namer_data(namer, 0, 0, address, 0);

	assert_int_equal(data->kind, DATA_KERNEL);
	assert_string_equal(data->name, name);
	if (field) {
		assert_non_null(data->field);
		assert_string_equal(data->field, field);
		assert_non_null(strstr(data->file, "/names/"));
	} else {
		assert_null(data->field);
	}
	assert_int_equal(data->start, at);
	assert_string_equal(data->module, "[sample]");
}

TEST_WITH(data, NULL, end)
{
	const struct data_name *name;

	start(false);
	assert_field(DATA + 112, "stats", ".per_cpu[3].hits", DATA);
	assert_field(DATA + 297, "stats", ".tail[9]", DATA);
	name = namer_data(namer, 0, 0, STATIC, 0);
	assert_string_equal(name->name, "counter");
	assert_string_equal(name->type, "volatile long int");
	assert_int_equal(name->start, STATIC);
	assert_field(PER_CPU + 192, "matrix of CPU 3", "[2][1][3]", PER_CPU);
	/* It is not known which of the two it is. */
	assert_field(TWIN + 8, "twin", NULL, TWIN);
}

TEST_WITH(another_build, NULL, end)
{
	start(true);
	assert_field(DATA + 112, "stats", NULL, DATA);
	assert_int_equal(namer_code(namer, 0, 0, CODE)->line, 0);
	assert_string_equal(namer_code(namer, 0, 0, CODE)->function, "outer");
}

/* A profile contains build ids. After a merge, each is there once. */
TEST_WITH(in_a_profile, NULL, end)
{
	struct kernel_names *again, *into = NULL;
	__u8 id[HISTORY_BUILD_ID_MAX];
	const char *why;
	size_t size, i, builds = 0;
	void *bytes;

	start(false);
	kernel_names_encode(profile.kernel, &bytes, &size);
	assert_int_equal(kernel_names_decode(&again, bytes, size, &why), 0);
	free(bytes);
	kernel_names_merge(&into, again);
	kernel_names_merge(&into, again);
	for (i = 0; i < into->nr; i++)
		builds += into->rows[i].kind == KERNEL_BUILD;
	assert_int_equal(builds, 1);
	assert_int_equal(kernel_module_id(into, "other", id), 0);
	assert_int_equal(kernel_module_id(into, "sample", id), 20);
	kernel_names_free(again);
	kernel_names_free(profile.kernel);
	profile.kernel = into;
	assert_field(DATA + 112, "stats", ".per_cpu[3].hits", DATA);
}

/* A text that is no build id names no file. */
TEST(odd_ids)
{
	static const char *const odd[] = {
		"", "0", "abc", "zz", "00112233445566778899aabbccddeeff0011223344",
	};
	__u8 id[HISTORY_BUILD_ID_MAX];
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct kernel_row row = { .kind = KERNEL_BUILD, .name = odd[i], .module = "m" };
		struct kernel_names *names = calloc(1, sizeof(*names));

		assert_non_null(names);
		kernel_row_add(names, &row);
		assert_int_equal(kernel_module_id(names, "m", id), 0);
		kernel_names_free(names);
	}
}
