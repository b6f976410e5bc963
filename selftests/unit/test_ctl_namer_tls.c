// SPDX-License-Identifier: GPL-2.0
/* Thread-local variables of libraries, at the addresses that a real loader chose. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl_named.h"

static struct named c;

static int begin(void **state)
{
	memset(&c, 0, sizeof(c));
	setenv("DEBUGINFOD_CACHE_PATH", "/nonexistent", 1);
	unsetenv("LD_PRELOAD");
	unsetenv("NAMES_LATE");
	return 0;
}

static int end(void **state)
{
	named_end(&c);
	return begin(state);
}

/* The number that the loader gives a file. The program is the first one. 0: it has none. */
static unsigned int load_order(const char *path)
{
	const char *name = strrchr(path, '/');
	char label[64];
	size_t i;

	snprintf(label, sizeof(label), "load.%.40s", name ? name + 1 : path);
	for (i = 0; i < c.nr_places; i++)
		if (!strcmp(c.places[i].label, label))
			return c.places[i].line + 1;
	return !strcmp(path, c.path);
}

/* Note the mappings again in the order in which the loader made them. */
static void date_maps(void)
{
	struct history *dated = history_new();
	const struct history_image *image = history_find(c.profile.history, (__u32)c.pid, 0);
	size_t i;

	assert_non_null(dated);
	assert_non_null(image);
	history_comm(dated, 1, (__u32)c.pid, (__u32)c.pid, "sample", true);
	for (i = 0; i < image->nr_maps; i++) {
		struct history_map map = image->maps[i];

		map.time = 2 + load_order(map.path);
		history_map(dated, (__u32)c.pid, 0, &map);
	}
	history_settle(dated, NULL);
	history_free(c.profile.history);
	c.profile.history = dated;
}

static void run(bool dated)
{
	named_run(&c, named_file("tls_sample"), false);
	if (dated)
		date_maps();
	c.namer = namer_new(&c.profile, NULL);
	assert_non_null(c.namer);
}

static void assert_program(void)
{
	assert_data(&c, "main.own", "tls own[3] (char[24])+3 of 24 .tdata");
	assert_data(&c, "thread.own", "tls own[3] (char[24])+3 of 24 .tdata");
}

static void assert_libraries(void)
{
	static const char *const of[] = { "main", "thread" };
	const struct data_name *data;
	char label[64];
	size_t i;

	assert_program();
	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		snprintf(label, sizeof(label), "%s.one", of[i]);
		assert_data(&c, label, "tls one_local.rest[3] (struct local)+14 of 16 .tdata");
		assert_string_equal(named_data(&c, label)->module, "libtls_one.so");
		assert_int_equal(named_data(&c, label)->tid, i ? named_place(&c, "tid")->address :
				 (__u32)c.pid);
		snprintf(label, sizeof(label), "%s.two", of[i]);
		assert_data(&c, label, "tls two_local.rest[0] (struct local)+8 of 16 .tbss");
		snprintf(label, sizeof(label), "%s.three", of[i]);
		assert_data(&c, label, "tls three_local.rest[95] (struct local)+198 of 200 .tbss");
		assert_string_equal(named_data(&c, label)->module, "libtls_three.so");
		snprintf(label, sizeof(label), "%s.errno", of[i]);
		data = named_data(&c, label);
		assert_int_equal(data->kind, DATA_TLS);
		assert_string_equal(data->name, "errno");
		assert_string_equal(data->module, "libc.so.6");
		assert_int_equal(data->start, named_place(&c, label)->address);
	}
}

/* One of the libraries may or may not have come first, so nothing is guessed. */
static void assert_uncertain(void)
{
	static const char *const places[] = {
		"main.one", "main.two", "main.three", "main.errno", "thread.one",
		"thread.two", "thread.three", "thread.errno",
	};
	size_t i;

	assert_program();
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct data_name *data = named_data(&c, places[i]);

		/* At least they belong to no other file, as far as the known blocks reach. */
		if (data->kind == DATA_TLS)
			assert_string_equal(data->name,
					    "[thread-local data of libraries of tls_sample]");
		else
			assert_in_range(data->kind, DATA_STACK, DATA_ANON);
		assert_null(data->field);
	}
	assert_int_equal(named_data(&c, "main.one")->kind, DATA_TLS);
	assert_int_equal(named_data(&c, "thread.one")->kind, DATA_TLS);
}

TEST_WITH(by_what_is_needed, begin, end)
{
	run(false);
	assert_libraries();
}

TEST_WITH(by_when_it_was_loaded, begin, end)
{
	run(true);
	assert_libraries();
}

TEST_WITH(preloaded, begin, end)
{
	setenv("LD_PRELOAD", named_file("libtls_early.so"), 1);
	run(true);
	assert_libraries();
}

TEST_WITH(preloaded_before_recording, begin, end)
{
	setenv("LD_PRELOAD", named_file("libtls_early.so"), 1);
	run(false);
	assert_uncertain();
}

/*
 * A library that the program needs, which comes before the others all the same, as its place shows.
 */
static void needed_and_preloaded(bool dated)
{
	setenv("LD_PRELOAD", named_file("libtls_three.so"), 1);
	run(dated);
	if (dated)
		assert_libraries();
	else
		assert_uncertain();
}

TEST_WITH(needed_and_preloaded_then, begin, end)
{
	needed_and_preloaded(true);
}

TEST_WITH(needed_and_preloaded_before, begin, end)
{
	needed_and_preloaded(false);
}

/* A library that the program opened later is in no thread's first block, and moves no other one. */
TEST_WITH(opened_later, begin, end)
{
	const struct data_name *data;

	setenv("NAMES_LATE", named_file("libtls_late.so"), 1);
	run(true);
	assert_libraries();
	data = named_data(&c, "thread.late");
	assert_int_not_equal(data->kind, DATA_TLS);
	/* What is below the last of the others is not its block either. */
	data = named_data(&c, "thread.three");
	data = namer_data(c.namer, (__u32)c.pid, 0, data->start - 8, 0);
	assert_int_not_equal(data->kind, DATA_TLS);
}

TEST_WITH(opened_before_recording, begin, end)
{
	setenv("NAMES_LATE", named_file("libtls_late.so"), 1);
	run(false);
	assert_uncertain();
}

/* The places of files, from below. The loader's is between two libraries with variables. */
static __u64 place_of(const char *path)
{
	static const char *const names[] = {
		"libtls_three", "libc.so", "libtls_two", "/ld-", "libtls_one",
	};
	__u64 i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(path, names[i]))
			return (i + 1) << 32;
	return 0;
}

/*
 * Two libraries were seen at once in /proc, and with them the loader, which has no variables of
 * this kind. So their times do not tell which was loaded first, but the program's needs do.
 */
TEST_WITH(seen_at_once, begin, end)
{
	struct history *other = history_new();
	const struct history_image *image;
	const char *last = "";
	__u64 first = 0;
	size_t i;

	named_run(&c, named_file("tls_sample"), false);
	image = history_find(c.profile.history, (__u32)c.pid, 0);
	assert_non_null(image);
	history_comm(other, 1, (__u32)c.pid, (__u32)c.pid, "sample", true);
	for (i = 0; i < image->nr_maps; i++) {
		struct history_map map = image->maps[i];
		const __u64 place = place_of(map.path);

		if (strcmp(last, map.path))
			first = map.start;
		last = map.path;
		map.time = 5;
		if (!strstr(map.path, "/ld-") && !strstr(map.path, "libtls_one") &&
		    !strstr(map.path, "libtls_three"))
			map.time += load_order(map.path);
		if (place) {
			map.start += place - first;
			map.end += place - first;
		}
		history_map(other, (__u32)c.pid, 0, &map);
	}
	history_settle(other, NULL);
	history_free(c.profile.history);
	c.profile.history = other;
	c.namer = namer_new(&c.profile, NULL);
	assert_libraries();
}

/* The mapping of a library that cannot be read: everything behind it is at an unknown place. */
TEST_WITH(one_is_gone, begin, end)
{
	struct history *other = history_new();
	const struct history_image *image;
	size_t i;

	assert_non_null(other);
	named_run(&c, named_file("tls_sample"), false);
	date_maps();
	image = history_find(c.profile.history, (__u32)c.pid, 0);
	for (i = 0; i < image->nr_maps; i++) {
		struct history_map map = image->maps[i];

		if (strstr(map.path, "libtls_two"))
			map.path = "/nonexistent/libtls_two.so";
		history_map(other, (__u32)c.pid, 0, &map);
	}
	history_settle(other, NULL);
	history_free(c.profile.history);
	c.profile.history = other;
	/* Otherwise the process's memory would be read. */
	c.profile.live = false;
	c.namer = namer_new(&c.profile, NULL);
	assert_non_null(c.namer);
	assert_program();
	assert_data(&c, "thread.one", "tls one_local.rest[3] (struct local)+14 of 16 .tdata");
	assert_null(named_data(&c, "thread.two")->field);
	assert_null(named_data(&c, "thread.three")->field);
	assert_string_not_equal(named_data(&c, "thread.errno")->name, "errno");
}

static void first_sampled(__u64 time)
{
	size_t i;

	for (i = 0; i < c.profile.snap.nr_threads; i++)
		c.profile.snap.threads[i].first_ns = time;
	namer_free(c.namer);
	c.namer = namer_new(&c.profile, NULL);
}

/*
 * A thread's stack is older than its first sample. A younger mapping may have got its place after
 * the thread had ended. Only what the thread itself accessed is its own for sure.
 */
TEST_WITH(mapped_again, begin, end)
{
	const struct data_name *data;
	__u64 address;
	__u32 tid;

	run(true);
	address = named_place(&c, "thread.own")->address;
	tid = (__u32)named_place(&c, "tid")->address;
	first_sampled(3);
	assert_libraries();
	first_sampled(1);
	assert_data(&c, "main.own", "tls own[3] (char[24])+3 of 24 .tdata");
	data = namer_data(c.namer, (__u32)c.pid, 0, address, 0);
	assert_int_not_equal(data->kind, DATA_TLS);
	data = namer_data(c.namer, (__u32)c.pid, 0, address, tid);
	assert_int_equal(data->kind, DATA_TLS);
	assert_int_equal(data->tid, tid);
}

/* Threads 7 and 8 of process 6, the second of which may have the stack of the first. */
static const char *stack_of_two(__u64 tls_base_of_7, __u64 tls_base_of_8, __u64 address)
{
	struct memlat_rec_thread threads[2] = {
		{ .tgid = 6, .tid = 7, .gen = 1, .samples = 1, .tls_base = tls_base_of_7 },
		{ .tgid = 6, .tid = 8, .gen = 1, .samples = 1, .tls_base = tls_base_of_8 },
	};
	const struct history_map stack = {
		.start = 0x10000, .end = 0x20000, .time = 10, .prot = PROT_READ | PROT_WRITE,
		.flags = MAP_PRIVATE | MAP_ANONYMOUS, .path = "//anon",
	};
	static char name[128];
	struct profile profile;
	struct namer *namer;

	profile_init(&profile);
	profile.snap.threads = threads;
	profile.snap.nr_threads = 2;
	profile.history = history_new();
	history_comm(profile.history, 5, 6, 6, "team", false);
	history_map(profile.history, 6, 6, &stack);
	history_fork(profile.history, 20, 6, 7, 6, 6);
	history_comm(profile.history, 25, 6, 7, "first", false);
	history_exit(profile.history, 30, 6, 7);
	history_fork(profile.history, 40, 6, 8, 6, 6);
	history_comm(profile.history, 45, 6, 8, "second", false);
	history_settle(profile.history, &profile.snap);
	namer = namer_new(&profile, NULL);
	snprintf(name, sizeof(name), "%s", namer_data(namer, 6, 1, address, 8)->name);
	namer_free(namer);
	profile.snap.threads = NULL;
	profile.snap.nr_threads = 0;
	profile_free(&profile);
	return name;
}

/* libc gives a new thread the stack of one that has ended. It is not the dead one's alone. */
TEST(a_stack_of_two_threads)
{
	assert_string_equal(stack_of_two(0x1f740, 0x3f740, 0x12345), "[stack] of first:7");
	/* It is a stack all the same, on which objects replace each other. */
	assert_string_equal(stack_of_two(0x1f740, 0x1f740, 0x12345), "[stack] of several threads");
	/* The first one has no row. What was sampled is of the second. */
	assert_string_equal(stack_of_two(0, 0x1f740, 0x12345), "[stack] of second:8");
}
