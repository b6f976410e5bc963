// SPDX-License-Identifier: GPL-2.0
#include "ctl_named.h"

static struct named c;

static int begin(void **state)
{
	named_start(&c, named_file("sample"), NULL);
	return 0;
}

static int end(void **state)
{
	named_end(&c);
	return 0;
}

TEST(fields)
{
	assert_data(&c, "stats", "variable stats.version (struct stats)+0 of 308 .data");
	assert_data(&c, "hits", "variable stats.per_cpu[3].hits (struct stats)+112 of 308 .data");
	assert_data(&c, "misses",
		    "variable stats.per_cpu[7].misses (struct stats)+248 of 308 .data");
	assert_data(&c, "name", "variable stats.per_cpu[0].name[5] (struct stats)+37 of 308 .data");
	assert_data(&c, "inner", "variable stats.nested.inner (struct stats)+280 of 308 .data");
	/* The symbol is larger than the type, by the contents of the flexible array. */
	assert_data(&c, "tail", "variable stats.tail[9] (struct stats)+297 of 308 .data");
	assert_data(&c, "matrix", "variable matrix[2][1][3] (int[3][4][5])+192 of 240 .bss");
	assert_data(&c, "matrix.byte", "variable matrix[0][3][0] (int[3][4][5])+61 of 240 .bss");
	assert_data(&c, "words", "variable words[1] (const char *const[2])+8 of 16 .data.rel.ro");
	assert_data(&c, "hook", "variable hook (void (*)())+0 of 8 .bss");
	assert_data(&c, "plain", "variable plain (volatile const int)+0 of 4 .data");
	assert_data(&c, "counter", "variable counter (volatile long int)+0 of 8 .bss");
}

TEST(several_at_one_place)
{
	assert_data(&c, "union", "variable stats.{low|whole} (struct stats)+272 of 308 .data");
	assert_data(&c, "union.high", "variable stats.{high|whole} (struct stats)+274 of 308 .data");
	assert_data(&c, "bits", "variable stats.{ready|done|wide} (struct stats)+276 of 308 .data");
	assert_data(&c, "wide", "variable stats.wide (struct stats)+277 of 308 .data");
}

TEST(marks)
{
	assert_data(&c, "marked", "variable marked.second (struct {...})+8 of 24 .bss");
	assert_data(&c, "marked.end", "variable marked.third (struct {...})+16 of 24 .bss");
}

TEST(nothing_there)
{
	const struct data_name *data;

	assert_data(&c, "padding", "variable stats.(padding) (struct stats)+4 of 308 .data");
	assert_data(&c, "nobits", "variable stats.(padding) (struct stats)+279 of 308 .data");
	data = named_data(&c, "lonely");
	assert_string_equal(data->name, "lonely");
	assert_string_equal(data->field, "[2]");
	assert_int_equal(data->size, 3);
	/* One byte further is between variables. */
	data = named_data(&c, "lonely.past");
	assert_int_equal(data->kind, DATA_FILE);
	assert_string_equal(data->name, "[.bss of sample]");
	assert_string_equal(data->section, ".bss");
	assert_null(data->field);
	assert_null(data->type);
	/* The byte behind an array is not in it. */
	data = named_data(&c, "matrix.past");
	assert_true(!data->name || strcmp(data->name, "matrix"));
	data = namer_data(c.namer, (__u32)c.pid, 0, 8, 0);
	assert_int_equal(data->kind, DATA_UNKNOWN);
	assert_null(data->name);
	assert_null(namer_code(c.namer, (__u32)c.pid, 0, 8)->function);
	/* A process that does not exist. */
	assert_int_equal(namer_data(c.namer, SAMPLE_GONE_PID, 0, named_place(&c, "stats")->address,
				    0)->kind, DATA_UNKNOWN);
	assert_null(namer_code(c.namer, SAMPLE_GONE_PID, 0, named_place(&c, "main")->address)->module);
}

TEST(statics_of_functions)
{
	const struct data_name *data;

	assert_data(&c, "kept", "variable hidden::kept (long int)+0 of 8 .bss");
	assert_data(&c, "kept[1]", "variable other::kept[1] (long int[2])+8 of 16 .bss");
	data = named_data(&c, "kept");
	assert_int_equal(data->line, 68);
	assert_non_null(strstr(data->file, "/names/sample.c"));
	assert_int_equal(data->file[0], '/');
	assert_string_equal(data->module, "sample");
	assert_string_equal(data->path, c.path);
}

TEST(code)
{
	static const char *const labels[] = { "deepest", "outer", "hidden", "main" };
	const struct code_name *name;
	unsigned int i;

	for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		name = named_code(&c, labels[i]);
		assert_string_equal(name->function, labels[i]);
		assert_int_equal(name->line, named_place(&c, labels[i])->line);
		assert_non_null(strstr(name->file, "/names/sample.c"));
		assert_string_equal(name->module, "sample");
		assert_string_equal(name->path, c.path);
		assert_false(name->deleted);
		assert_false(name->stripped);
	}
	assert_chain(&c, "deepest", "deepest<middle<outer");
	assert_chain(&c, "outer", "outer");
	name = named_code(&c, "deepest");
	assert_string_equal(name->raw, "outer");
	assert_true(name->offset < 64);
	/* Where each was called: the lines of "deepest();" and "middle();". */
	assert_int_equal(name->frames[0].line, name->line);
	assert_int_equal(name->frames[1].line, 57);
	assert_int_equal(name->frames[2].line, 62);
}

/*
 * Of equally good names perf takes the longest. memlat takes the same, so that both can be
 * compared.
 */
TEST(two_names)
{
	assert_string_equal(named_code(&c, "spun_out")->raw, "spun_out");
}

TEST(a_library)
{
	const struct code_name *name = named_code(&c, "puts");

	assert_string_equal(name->raw, "puts");
	assert_int_equal(name->offset, 0);
	assert_string_equal(name->module, "libc.so.6");
	assert_false(name->stripped);
	name = namer_code(c.namer, (__u32)c.pid, 0, named_place(&c, "vdso")->address + 0x40);
	assert_string_equal(name->module, "[vdso]");
}

TEST(areas)
{
	const struct data_name *data;
	char text[64];

	data = named_data(&c, "heap");
	assert_int_equal(data->kind, DATA_HEAP);
	assert_string_equal(data->name, "[heap]");
	data = named_data(&c, "anon");
	assert_int_equal(data->kind, DATA_ANON);
	assert_int_equal(data->start + data->offset, named_place(&c, "anon")->address);
	assert_true(data->offset < data->size);
	data = named_data(&c, "shared");
	assert_int_equal(data->kind, DATA_SHARED);
	assert_int_equal(data->offset, 0x456);
	data = named_data(&c, "main.stack");
	assert_int_equal(data->kind, DATA_STACK);
	assert_int_equal(data->tid, c.pid);
	snprintf(text, sizeof(text), "[stack] of sample:%d", c.pid);
	assert_string_equal(data->name, text);
	data = named_data(&c, "thread.stack");
	assert_int_equal(data->kind, DATA_STACK);
	assert_int_equal(data->tid, named_place(&c, "tid")->address);
}

TEST(thread_local)
{
	__u32 tid = (__u32)named_place(&c, "tid")->address;
	struct memlat_rec_thread *again;
	const struct data_name *data;
	struct namer *namer;

	assert_data(&c, "main.tls_first", "tls tls_first (long int)+0 of 8 .tdata");
	assert_data(&c, "thread.tls_first", "tls tls_first (long int)+0 of 8 .tdata");
	assert_data(&c, "main.tls_second",
		    "tls tls_second[1].misses (struct per_cpu[2])+40 of 64 .tbss");
	assert_data(&c, "thread.tls_second",
		    "tls tls_second[1].misses (struct per_cpu[2])+40 of 64 .tbss");
	assert_int_equal(named_data(&c, "main.tls_first")->tid, c.pid);
	assert_int_equal(named_data(&c, "thread.tls_first")->tid, tid);
	/* The thread control block is no variable. */
	assert_int_not_equal(named_data(&c, "thread.tp")->kind, DATA_TLS);

	/* Two threads had one stack in turn. Only the thread of an access tells whose it was. */
	again = calloc(3, sizeof(*again));
	assert_non_null(again);
	memcpy(again, c.profile.snap.threads, 2 * sizeof(*again));
	again[2] = again[1];
	again[2].tid = tid + 1;
	free(c.profile.snap.threads);
	c.profile.snap.threads = again;
	c.profile.snap.nr_threads = 3;
	namer = namer_new(&c.profile, NULL);
	assert_non_null(namer);
	data = namer_data(namer, (__u32)c.pid, 0, named_place(&c, "thread.tls_first")->address, 0);
	assert_string_equal(data->name, "tls_first");
	assert_int_equal(data->tid, 0);
	data = namer_data(namer, (__u32)c.pid, 0, named_place(&c, "thread.tls_first")->address,
			  tid + 1);
	assert_int_equal(data->tid, tid + 1);
	data = namer_data(namer, (__u32)c.pid, 0, named_place(&c, "thread.stack")->address, tid);
	assert_int_equal(data->kind, DATA_ANON);
	namer_free(namer);
	/* Without thread pointers, no variable is guessed. */
	c.profile.snap.nr_threads = 0;
	namer = namer_new(&c.profile, NULL);
	assert_non_null(namer);
	data = namer_data(namer, (__u32)c.pid, 0, named_place(&c, "thread.tls_first")->address,
			  tid);
	assert_int_equal(data->kind, DATA_ANON);
	namer_free(namer);
	c.profile.snap.nr_threads = 2;
}

TEST(machine_code)
{
	const struct place *place = named_place(&c, "main");
	unsigned char text[16], own[16];
	char path[64];
	FILE *memory;

	assert_int_equal(namer_text(c.namer, (__u32)c.pid, 0, place->address, text, 16), 16);
	snprintf(path, sizeof(path), "/proc/%d/mem", c.pid);
	memory = fopen(path, "r");
	assert_non_null(memory);
	assert_int_equal(fseek(memory, (long)place->address, SEEK_SET), 0);
	assert_int_equal(fread(own, 1, sizeof(own), memory), sizeof(own));
	fclose(memory);
	assert_memory_equal(text, own, sizeof(own));
	assert_int_equal(namer_text(c.namer, (__u32)c.pid, 0, 8, text, 16), 0);
	/* Zeroes are not in the file. */
	assert_int_equal(namer_text(c.namer, (__u32)c.pid, 0, named_place(&c, "matrix")->address,
				    text, 16), 0);
}

TEST(kept_answers)
{
	const struct code_name *code = named_code(&c, "main");
	const struct data_name *data = named_data(&c, "hits");

	/* Other answers in between take no room of these. */
	assert_ptr_not_equal(named_code(&c, "deepest"), code);
	assert_ptr_not_equal(named_data(&c, "matrix"), data);
	assert_ptr_equal(named_code(&c, "main"), code);
	assert_ptr_equal(named_data(&c, "hits"), data);
	assert_string_equal(code->function, "main");
	assert_string_equal(data->text, "stats.per_cpu[3].hits");
	assert_string_equal(data_kind_name(DATA_TLS), "tls");
	assert_string_equal(data_kind_name(DATA_KINDS), "unknown");
}

TEST_GROUP(begin, end)
