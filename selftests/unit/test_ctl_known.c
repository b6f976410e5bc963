// SPDX-License-Identifier: GPL-2.0
/* The names that a profile keeps: they read the same when their program is gone. */
#define _GNU_SOURCE
#include <limits.h>
#include <unistd.h>

#include "ctl_named.h"
#include "ctl_profile.h"
#include "ctl_view.h"

#include "profile/known.h"

static struct named c;

/* What is sampled: an address of data by a thread. */
static const struct {
	const char *label, *tid;
} data[] = {
	{ "hits", NULL }, { "matrix", NULL }, { "kept[1]", NULL }, { "wide", NULL },
	{ "thread.tls_second", "tid" }, { "main.tls_first", NULL }, { "main.stack", NULL },
};

#define DATA_NR	(sizeof(data) / sizeof(data[0]))

static const char *const code[] = { "deepest" };

#define CODE_NR	(sizeof(code) / sizeof(code[0]))

/* Copy another program there, or remove it. */
static void do_to_app(const char *command, const char *with)
{
	char text[2 * PATH_MAX];

	snprintf(text, sizeof(text), "%s %s '%s'", command, with ? named_file(with) : "",
		 in("app"));
	assert_int_equal(system(text), 0);
}

static void begin(const char *from)
{
	struct snapshot *snap;
	size_t i;

	do_to_app("cp", from);
	named_run(&c, in("app"), true);
	snap = &c.profile.snap;
	snap->accesses = calloc(DATA_NR, sizeof(*snap->accesses));
	snap->sites = calloc(CODE_NR, sizeof(*snap->sites));
	assert_non_null(snap->accesses);
	assert_non_null(snap->sites);
	for (i = 0; i < CODE_NR; i++)
		snap->sites[snap->nr_sites++] = (struct memlat_rec_site){
			.ip = named_place(&c, code[i])->address, .space = (__u32)c.pid,
			.samples = 1, .cost = 100,
		};
	for (i = 0; i < DATA_NR; i++)
		snap->accesses[snap->nr_accesses++] = (struct memlat_rec_access){
			.addr = named_place(&c, data[i].label)->address,
			.ip = named_place(&c, code[0])->address, .tgid = (__u32)c.pid,
			.tid = data[i].tid ? (__u32)named_place(&c, data[i].tid)->address :
					     (__u32)c.pid, .samples = 1,
		};
}

/* All that a namer tells of what was sampled. */
static char *told(struct namer *namer)
{
	const struct snapshot *snap = &c.profile.snap;
	char *text;
	size_t size, i, k;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (i = 0; i < snap->nr_sites; i++) {
		const struct code_name *name = namer_sampled(namer, snap->sites[i].space,
							     snap->sites[i].gen, snap->sites[i].ip);

		fprintf(out, "%s %s +%llu of %llu at %s:%u in %s %s +%llu\n", name->function,
			name->raw, name->offset, name->size, name->file, name->line, name->module,
			name->path, name->module_offset);
		for (k = 0; k < name->nr_frames; k++)
			fprintf(out, "\t%s %s:%u\n", name->frames[k].function, name->frames[k].file,
				name->frames[k].line);
	}
	for (i = 0; i < snap->nr_accesses; i++) {
		const struct data_name *name = namer_access(namer, &snap->accesses[i]);

		fprintf(out, "%s %u %s | %s | %s | %s 0x%llx %llu +%llu of %u %s %s %s %s:%u\n",
			data_kind_name(name->kind), name->how, name->name, name->text, name->field,
			name->type, name->start, name->size, name->offset, name->tid, name->section,
			name->module, name->path, name->file, name->line);
	}
	fclose(out);
	return text;
}

/* As after a way through a file. */
static struct known *copied(struct known *known)
{
	struct known *copy;
	const char *why;
	void *bytes;
	size_t size;

	known_encode(known, &bytes, &size);
	assert_int_equal(known_decode(&copy, bytes, size, &why), 0);
	free(bytes);
	known_free(known);
	return copy;
}

/* As a profile that was read later. */
static void keep_names(void)
{
	struct namer *namer = namer_new(&c.profile, NULL);
	struct known *known = namer_keep(namer);

	namer_free(namer);
	c.profile.live = false;
	c.profile.known = copied(known);
}

static void stays_the_same(const char *from, const char *command, const char *with)
{
	struct namer *namer;
	char *before, *now;

	begin(from);
	namer = namer_new(&c.profile, NULL);
	before = told(namer);
	namer_free(namer);
	keep_names();
	do_to_app(command, with);
	namer = namer_new(&c.profile, NULL);
	now = told(namer);
	assert_string_equal(before, now);
	free(before);
	free(now);
	now = PRINTED(namer_print_notes(namer, out));
	assert_null(strstr(now, "another file has that name now"));
	assert_null(strstr(now, "deleted since"));
	free(now);
	namer_free(namer);
	named_end(&c);
}

TEST_WITH(removed_program, own_folder_make, own_folder_remove)
{
	stays_the_same("sample", "rm", NULL);
}

TEST_WITH(program_built_anew, own_folder_make, own_folder_remove)
{
	stays_the_same("sample", "cp --remove-destination", "sample-old");
}

TEST_WITH(other_forms, own_folder_make, own_folder_remove)
{
	stays_the_same("sample-static", "rm", NULL);
	stays_the_same("sample-old", "rm", NULL);
	stays_the_same("sample-plain", "rm", NULL);
}

/* Machine code of a sampled function, and the names of all of its instructions. */
TEST_WITH(code_of_a_function, own_folder_make, own_folder_remove)
{
	unsigned char before[4096], after[4096];
	const struct code_name *name;
	struct namer *namer;
	unsigned int lines[4096];
	__u64 ip, start, size;
	size_t got;

	begin("sample");
	namer = namer_new(&c.profile, NULL);
	ip = named_place(&c, "deepest")->address;
	name = namer_code(namer, (__u32)c.pid, 0, ip);
	start = ip - name->offset;
	size = name->size;
	assert_in_range(size, 1, sizeof(before));
	got = namer_text(namer, (__u32)c.pid, 0, start, before, size);
	assert_int_equal(got, size);
	for (ip = start; ip < start + size; ip++)
		lines[ip - start] = namer_code(namer, (__u32)c.pid, 0, ip)->line;
	namer_free(namer);
	keep_names();
	do_to_app("rm", NULL);
	namer = namer_new(&c.profile, NULL);
	assert_int_equal(namer_text(namer, (__u32)c.pid, 0, start, after, size), size);
	assert_memory_equal(before, after, size);
	assert_int_equal(namer_text(namer, (__u32)c.pid, 0, start + 5, after, 3), 3);
	assert_memory_equal(before + 5, after, 3);
	for (ip = start; ip < start + size; ip++)
		assert_int_equal(namer_code(namer, (__u32)c.pid, 0, ip)->line, lines[ip - start]);
	namer_free(namer);
	named_end(&c);
}

/* What memlat-ctl itself caused is not shown, so its code is not read to name it. */
TEST_WITH(names_of_its_own, own_folder_make, own_folder_remove)
{
	begin("sample");
	assert_int_equal(c.profile.snap.threads[0].tgid, c.pid);
	c.profile.snap.threads[0].gen = 0;
	strcpy(c.profile.snap.threads[0].comm, "memlat-ctl");
	keep_names();
	assert_int_equal(c.profile.known->code.nr, 0);
	assert_int_equal(c.profile.known->data.nr, 0);
	assert_int_equal(c.profile.known->widths.nr, 0);
	assert_int_equal(c.profile.known->text.nr, 0);
	named_end(&c);
}

/* Names that were not to be had come from a folder that has the very program, and from no other. */
TEST_WITH(a_folder_with_the_program, own_folder_make, own_folder_remove)
{
	char text[2 * PATH_MAX], *now;
	struct namer *namer;

	begin("sample");
	c.profile.live = false;
	snprintf(text, sizeof(text), "cd '%s' && mkdir saved other && mv app saved && cp '%s' other/app",
		 own_folder.path, named_file("sample-old"));
	assert_int_equal(system(text), 0);
	namer = namer_new(&c.profile, in("other"));
	now = told(namer);
	assert_null(strstr(now, "stats.per_cpu[3].hits"));
	free(now);
	now = PRINTED(namer_print_notes(namer, out));
	assert_non_null(strstr(now, "--debug-path takes a folder"));
	free(now);
	namer_free(namer);
	namer = namer_new(&c.profile, in("saved"));
	now = told(namer);
	assert_non_null(strstr(now, "stats.per_cpu[3].hits"));
	free(now);
	namer_free(namer);
	named_end(&c);
	snprintf(text, sizeof(text), "rm -r '%s' '%s'", in("saved"), in("other"));
	assert_int_equal(system(text), 0);
}

static const struct code_name code_named = {
	.function = "outer", .raw = "outer", .file = "a.c", .line = 7, .module = "app",
	.path = "/app", .size = 100, .nr_frames = 1,
	.frames = &(const struct code_frame){ .function = "outer", .file = "a.c", .line = 7 },
};

static struct data_name data_named(const char *field)
{
	return (struct data_name){
		.kind = DATA_VARIABLE, .how = DATA_SYMBOL, .name = "stats", .text = field,
		.field = field, .start = 0x1000, .size = 64,
	};
}

/* What both profiles have stays, and what one of them has is added. */
TEST(merged)
{
	struct known *one = NULL, *two = known_new();
	struct data_name a = data_named(".a"), b = data_named(".b");
	struct code_name code_name;

	known_add_code(two, 10, 7, 0x400, 16, &code_named);
	known_add_data(two, 10, 7, 0x1000, 0, 0, &a);
	known_add_width(two, 10, 7, 0x404, 8);
	known_add_text(two, "/app", 0x400, "code", 4);
	known_merge(&one, two);
	known_free(two);
	two = known_new();
	known_add_data(two, 10, 7, 0x1000, 0, 0, &b);
	known_add_data(two, 10, 7, 0x1000, 12, 0, &b);
	known_add_data(two, 10, 7, 0x1000, 12, 0x404, &a);
	known_add_data(two, 11, 7, 0x1000, 0, 0, &b);
	known_merge(&one, two);
	known_free(two);
	one = copied(one);
	assert_string_equal(known_find_data(one, 10, 7, 0x1000, 0, 0)->field, ".a");
	assert_string_equal(known_find_data(one, 10, 7, 0x1000, 13, 0)->field, ".a");
	assert_string_equal(known_find_data(one, 10, 7, 0x1000, 12, 0)->field, ".b");
	assert_string_equal(known_find_data(one, 10, 7, 0x1000, 12, 0x404)->field, ".a");
	assert_string_equal(known_find_data(one, 10, 7, 0x1000, 12, 0x408)->field, ".b");
	assert_string_equal(known_find_data(one, 11, 7, 0x1000, 12, 0x408)->field, ".b");
	assert_null(known_find_data(one, 11, 8, 0x1000, 12, 0x408));
	assert_null(known_find_data(one, 11, 7, 0x1001, 12, 0x408));
	assert_true(known_find_code(one, 10, 7, 0x40f, &code_name));
	assert_int_equal(code_name.offset, 15);
	assert_string_equal(code_name.frames[0].file, "a.c");
	assert_false(known_find_code(one, 10, 7, 0x410, &code_name));
	assert_false(known_find_code(one, 10, 7, 0x3ff, &code_name));
	assert_int_equal(known_find_width(one, 10, 7, 0x404), 8);
	assert_int_equal(known_find_width(one, 10, 7, 0x405), 0);
	known_free(one);
}

static int decode(const void *bytes, size_t size)
{
	struct known *known = NULL;
	const char *why = NULL;
	int ret = known_decode(&known, bytes, size, &why);

	if (ret)
		assert_non_null(why);
	else
		known_free(copied(known));
	return ret;
}

/* Bytes that a hostile program may write: several are others, and some are there twice. */
static void decode_mutated(const unsigned char *bytes, size_t size)
{
	unsigned char *other = malloc(2 * size);
	unsigned int seed = 1, turn, k;
	size_t nr, at;

	assert_non_null(other);
	for (turn = 0; turn < 20000; turn++) {
		memcpy(other, bytes, size);
		nr = size;
		for (k = 0; k < 1 + turn % 8; k++) {
			seed = seed * 1103515245 + 12345;
			at = 12 + (seed >> 8) % (size - 12);
			if (seed >> 30) {
				other[at] = (unsigned char)(seed >> 20);
			} else if (nr < 2 * size) {
				memmove(other + at + 1, other + at, nr - at);
				nr++;
			}
		}
		/* It says that as many bytes follow as there are, so that they are read. */
		nr -= 12;
		memcpy(other + 4, &nr, sizeof(nr));
		decode(other, nr + 12);
	}
	free(other);
}

/* So few names are not packed, so that each bit is one that is read. */
TEST(damaged_names)
{
	struct known *known = known_new();
	struct data_name a = data_named(".a"), b = data_named(".b");
	void *bytes;
	size_t size;

	a.site = b.site = &code_named;
	a.frames = &a.site;
	a.nr_frames = 1;
	known_add_code(known, 10, 7, 0x400, 16, &code_named);
	known_add_data(known, 10, 7, 0x1000, 0, 0, &a);
	known_add_data(known, 10, 7, 0x1000, 12, 0x404, &b);
	known_add_width(known, 10, 7, 0x404, 8);
	known_add_text(known, "/app", 0x400, "code", 4);
	known_encode(known, &bytes, &size);
	known_free(known);
	decode_damaged(bytes, size, decode);
	decode_mutated(bytes, size);
	free(bytes);
}

static void decode_soon(struct known *known)
{
	struct known *again = NULL;
	const char *why = NULL;
	void *bytes;
	size_t size;

	known_encode(known, &bytes, &size);
	known_free(known);
	endless_begin();
	if (known_decode(&again, bytes, size, &why))
		assert_non_null(why);
	known_free(again);
	endless_end();
	free(bytes);
}

/* A file of some kilobytes, each name of which has all of the same long text. */
TEST(one_text_in_all_names)
{
	const size_t length = 1 << 20;
	struct data_name name = data_named(".field");
	struct known *known = known_new();
	char *text = malloc(length + 1);
	unsigned int i;

	assert_non_null(text);
	memset(text, 'x', length);
	text[length] = '\0';
	name.name = name.text = text;
	name.field = NULL;
	known_keep_data(known, &name);
	known->reading = true;
	name = *(const struct data_name *)known->data_names.row[0];
	name.field = known_keep(known, ".field");
	memcpy(text + length - 6, ".field", 6);
	for (i = 1; i < 5000; i++) {
		name.start = i;
		name.section = name.cache = name.module = name.path = name.file = name.name;
		known_keep_data(known, &name);
	}
	known->reading = false;
	free(text);
	decode_soon(known);
}

/* Places of allocation with 4,096 frames, in each of which 4,096 functions are inlined. */
TEST(chains_of_chains)
{
	struct code_frame *inlined = calloc(KNOWN_FRAMES_MOST, sizeof(*inlined));
	const struct code_name **chain = calloc(KNOWN_FRAMES_MOST, sizeof(*chain));
	struct code_name one = code_named;
	struct data_name name = data_named(".a");
	struct known *known = known_new();
	unsigned int i;

	assert_true(inlined && chain);
	for (i = 0; i < KNOWN_FRAMES_MOST; i++)
		inlined[i].function = known_keep(known, "deep");
	one.nr_frames = KNOWN_FRAMES_MOST;
	one.frames = inlined;
	chain[0] = known_keep_code(known, &one);
	for (i = 1; i < KNOWN_FRAMES_MOST; i++)
		chain[i] = chain[0];
	known->reading = true;
	for (i = 0; i < 100; i++) {
		name.start = i;
		name.name = name.text = name.field = chain[0]->function;
		name.frames = chain;
		name.nr_frames = KNOWN_FRAMES_MOST;
		known_keep_data(known, &name);
	}
	known->reading = false;
	free(inlined);
	free(chain);
	decode_soon(known);
}

/* A view that could name more says what is missing. So does annotate where that name is missing. */
TEST_WITH(every_view_says_what_it_lacks, own_folder_make, own_folder_remove)
{
	static const struct {
		int status;
		unsigned int notes;
		const char *words;
	} views[] = {
		{ 0, 1, "report -i golden/before.memlat" }, { 0, 1, "advise -i golden/before.memlat" },
		{ 0, 1, "lines -i golden/before.memlat" }, { 0, 1, "dcache --by site -i golden/before.memlat" },
		{ 0, 1, "c2c -i golden/before.memlat" }, { 0, 1, "dcache -i golden/before.memlat" },
		{ 0, 1, "dcache --by data -i golden/before.memlat" }, { 0, 1, "stride -i golden/stride.memlat" },
		{ 0, 1, "annotate -i golden/before.memlat" },
		{ 1, 1, "annotate count_hit -i golden/before.memlat" },
		/* Its two sides do not lack the same names. */
		{ 0, 2, "diff golden/before.memlat golden/after.memlat" },
		{ 0, 1, "diff golden/before.memlat golden/before.memlat --by function" },
		{ 0, 1, "fleet golden/before.memlat golden/before.memlat" },
		{ 0, 1, "report -i golden/before.memlat --html -o \"$PAGE\" && cat \"$PAGE\" && rm \"$PAGE\"" },
	};
	unsigned int notes;
	char *said, *at;
	size_t i;

	setenv("PAGE", in("page.html"), 1);
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		said = program_ends(views[i].status, "%s", views[i].words);
		for (at = said, notes = 0; (at = strstr(at, "(no names from ")); at++)
			notes++;
		if (notes != views[i].notes)
			fail_msg("%s: %u notes: %s", views[i].words, notes, said);
		free(said);
	}
}
