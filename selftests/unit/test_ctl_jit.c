// SPDX-License-Identifier: GPL-2.0
/* Code that a real program generated, and its notes about it in every state that they may be in. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl_named.h"
#include "../signal_child.h"

static struct named c;
static char notes[64];

/* All places but one were sampled, one of them as a return address. */
static void sample_places(void)
{
	struct snapshot *snap = &c.profile.snap;
	size_t i;

	snap->sites = calloc(c.nr_places, sizeof(*snap->sites));
	snap->stacks = calloc(1, sizeof(*snap->stacks));
	assert_non_null(snap->sites);
	assert_non_null(snap->stacks);
	for (i = 0; i < c.nr_places; i++)
		if (strcmp(c.places[i].label, "answer"))
			snap->sites[snap->nr_sites++] = (struct memlat_rec_site){
				.space = (__u32)c.pid,
				.ip = c.places[i].address,
			};
	snap->stacks[0].tgid = (__u32)c.pid;
	snap->stacks[0].frames = 1;
	snap->stacks[0].frame[0] = named_place(&c, "answer")->address + 1;
	snap->nr_stacks = 1;
}

static int begin(void **state)
{
	named_run(&c, named_file("jit_sample"), false);
	snprintf(notes, sizeof(notes), "/tmp/perf-%d.map", c.pid);
	sample_places();
	return 0;
}

static int end(void **state)
{
	named_end(&c);
	unlink(notes);
	return 0;
}

static void start(bool live)
{
	c.profile.live = live;
	c.namer = namer_new(&c.profile, NULL);
	assert_non_null(c.namer);
}

static void assert_named(void)
{
	const struct code_name *code = named_code(&c, "answer");

	assert_non_null(code->function);
	assert_string_equal(code->function, "LazyCompile:*answer /srv/app.js:7:12");
	assert_int_equal(code->offset, 5);
	assert_string_equal(code->module, "[jit]");
	assert_null(named_code(&c, "behind")->function);
	assert_string_equal(named_code(&c, "behind")->module, "[anon]");
	assert_string_equal(named_code(&c, "before")->function, "moved_away");
	assert_int_equal(named_code(&c, "before")->offset, 0x10);
	/*
	 * What the last note lies in continues behind it. Samples there may be of either: nobody
	 * tells when they were taken.
	 */
	code = named_code(&c, "moved");
	assert_string_equal(code->function, "shop::Till::add(long), or before that moved_away");
	assert_string_equal(code->raw, "_ZN4shop4Till3addEl");
	assert_int_equal(code->offset, 4);
	assert_string_equal(named_code(&c, "after")->function, "moved_away");
	assert_int_equal(named_code(&c, "after")->offset, 0xff);
	/* A line without a newline is not complete. */
	assert_null(named_code(&c, "cut")->function);
}

static void assert_nothing(void)
{
	history_read_jit(c.profile.history, &c.profile.snap);
	start(false);
	assert_null(named_code(&c, "answer")->function);
	assert_null(named_code(&c, "before")->function);
	assert_string_equal(named_code(&c, "answer")->module, "[anon]");
}

TEST_WITH(while_it_runs, begin, end)
{
	start(true);
	assert_named();
}

/* The file is removed, and the process ends. What was recorded stays. */
TEST_WITH(in_a_profile, begin, end)
{
	struct history *history = c.profile.history;
	const char *why;
	size_t size;
	void *bytes;

	history_read_jit(history, &c.profile.snap);
	history_encode(history, &bytes, &size);
	assert_int_equal(unlink(notes), 0);
	history_free(history);
	assert_int_equal(history_decode(&c.profile.history, bytes, size, &why), 0);
	free(bytes);
	history_settle(c.profile.history, &c.profile.snap);
	start(false);
	assert_named();
	/* What was not sampled is not kept. */
	assert_null(namer_code(c.namer, (__u32)c.pid, 0,
			       named_place(&c, "answer")->address + 2)->function);
}

TEST_WITH(in_a_merged_profile, begin, end)
{
	struct history *into = history_new();

	assert_non_null(into);
	history_read_jit(c.profile.history, &c.profile.snap);
	history_merge(into, c.profile.history, 1);
	/* The same process again, in a session that knew no more. */
	history_merge(into, c.profile.history, 2);
	history_free(c.profile.history);
	c.profile.history = into;
	history_settle(into, &c.profile.snap);
	start(false);
	assert_named();
}

static int decode(const void *bytes, size_t size)
{
	struct history *history;
	const char *why;
	int ret = history_decode(&history, bytes, size, &why);

	if (ret) {
		assert_non_null(why);
		return ret;
	}
	history_settle(history, &c.profile.snap);
	history_free(history);
	return 0;
}

TEST_WITH(damaged_profile, begin, end)
{
	void *bytes;
	size_t size;

	history_read_jit(c.profile.history, &c.profile.snap);
	history_encode(c.profile.history, &bytes, &size);
	decode_damaged(bytes, size, decode);
	free(bytes);
}

TEST_WITH(after_its_end, begin, end)
{
	assert_int_equal(signal_child(c.pid, SIGKILL), 0);
	assert_int_equal(waitpid(c.pid, NULL, 0), c.pid);
	history_read_jit(c.profile.history, &c.profile.snap);
	start(false);
	assert_named();
	c.pid = -c.pid;
}

TEST_WITH(of_somebody_else, begin, end)
{
	if (geteuid()) {
		print_message("# only root may give files away\n");
		skip();
	}
	assert_int_equal(chown(notes, 12345, 12345), 0);
	assert_nothing();
}

TEST_WITH(behind_a_link, begin, end)
{
	char other[80];

	snprintf(other, sizeof(other), "%s.other", notes);
	assert_int_equal(rename(notes, other), 0);
	assert_int_equal(symlink(other, notes), 0);
	assert_nothing();
	unlink(other);
}

TEST_WITH(no_file, begin, end)
{
	assert_int_equal(unlink(notes), 0);
	assert_int_equal(mkfifo(notes, 0600), 0);
	assert_nothing();
}

TEST_WITH(of_another_time, begin, end)
{
	const struct timespec times[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };

	assert_int_equal(utimensat(AT_FDCWD, notes, times, 0), 0);
	assert_nothing();
}

/* /proc tells more of a process whose user is in many groups. Only root may join them. */
static bool in_groups;

static int begin_in_groups(void **state)
{
	gid_t groups[2000], before[2000];
	const int nr = getgroups(2000, before);
	size_t i;

	for (i = 0; i < 2000; i++)
		groups[i] = (gid_t)(100000 + i);
	in_groups = nr >= 0 && !setgroups(2000, groups);
	begin(state);
	return in_groups ? setgroups((size_t)nr, before) : 0;
}

TEST_WITH(of_a_user_in_many_groups, begin_in_groups, end)
{
	const struct timespec times[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };

	if (!in_groups) {
		print_message("# only root may join groups\n");
		skip();
	}
	assert_int_equal(utimensat(AT_FDCWD, notes, times, 0), 0);
	assert_nothing();
}

TEST_WITH(too_large, begin, end)
{
	assert_int_equal(truncate(notes, (64L << 20) + 1), 0);
	assert_nothing();
}

/* A hostile file: each of a million lines names each of more than 100,000 sampled addresses. */
TEST_WITH(lines_that_cover_everything, begin, end)
{
	const struct history_image *image = history_find(c.profile.history, (__u32)c.pid, 0);
	struct snapshot *snap = &c.profile.snap;
	const struct history_map *stack = NULL;
	const struct history_code *code;
	FILE *file = fopen(notes, "w");
	size_t i, k;

	for (i = 0; i < image->nr_maps; i++)
		if (!strcmp(image->maps[i].path, "[stack]"))
			stack = &image->maps[i];
	assert_non_null(stack);
	free(snap->stacks);
	snap->nr_stacks = 120000 / MEMLAT_STACK_FRAMES;
	snap->stacks = calloc(snap->nr_stacks, sizeof(*snap->stacks));
	assert_non_null(snap->stacks);
	for (i = 0; i < snap->nr_stacks; i++) {
		snap->stacks[i].tgid = (__u32)c.pid;
		snap->stacks[i].frames = MEMLAT_STACK_FRAMES;
		for (k = 0; k < MEMLAT_STACK_FRAMES; k++)
			snap->stacks[i].frame[k] = stack->start + 1 +
						   i * MEMLAT_STACK_FRAMES + k;
	}
	assert_non_null(file);
	for (i = 0; i < 1000000; i++)
		fprintf(file, "0 7fffffffffffffff all%zu\n", i);
	fclose(file);
	endless_begin();
	history_read_jit(c.profile.history, snap);
	endless_end();
	code = history_code_at(image, stack->start + 1000);
	assert_non_null(code);
	assert_string_equal(code->name, "all999999, or before that all999998");
}

/* A file with any contents. */
TEST_WITH(nonsense, begin, end)
{
	const __u64 at = named_place(&c, "answer")->address;
	FILE *file = fopen(notes, "w");
	size_t i;

	assert_non_null(file);
	fprintf(file, "\n \nx y z\n%llx\n%llx \n%llx zz name\n%llx ffffffffffffffff all\n"
		"-1 -1 minus\nffffffffffffffffffffffff 1 more\n", at, at, at, at);
	fwrite("\0\0\0\n", 1, 4, file);
	fprintf(file, "%llx 10 ", at);
	for (i = 0; i < 100000; i++)
		fputc('\033', file);
	fputc('\n', file);
	fclose(file);
	start(true);
	assert_non_null(named_code(&c, "answer")->function);
	assert_int_equal(strspn(named_code(&c, "answer")->function, "\033"), 1024);
	assert_null(named_code(&c, "before")->function);
}
