// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ctl_test.h"
#include "profile/history_internal.h"

static struct history *history;
static const struct history_image *image;	/* of one process in it */

static int begin(void **state)
{
	history = history_new();
	return history ? 0 : -1;
}

static int end(void **state)
{
	history_free(history);
	return 0;
}

static void add_map(__u64 time, __u32 pid, __u64 start, __u64 last, __u64 offset,
		    const char *path)
{
	struct history_map map = {
		.start = start, .end = last, .offset = offset, .time = time,
		.inode = 7, .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
		.path = path,
	};

	history_map(history, pid, 0, &map);
}

static void add_anon(__u64 time, __u32 pid, __u32 tid, __u64 start, __u64 last)
{
	struct history_map map = {
		.start = start, .end = last, .time = time, .path = "//anon",
		.prot = PROT_READ | PROT_WRITE, .flags = MAP_PRIVATE | MAP_ANONYMOUS,
	};

	history_map(history, pid, tid, &map);
}

static void add_thread(struct snapshot *snap, __u32 tgid, __u32 gen, __u64 first_ns)
{
	struct memlat_rec_thread *more;

	more = realloc(snap->threads, (snap->nr_threads + 1) * sizeof(*more));
	assert_non_null(more);
	snap->threads = more;
	more += snap->nr_threads++;
	memset(more, 0, sizeof(*more));
	more->tgid = tgid;
	more->tid = tgid;
	more->gen = gen;
	more->first_ns = first_ns;
}

/* Look the process up, after all events. */
static void settled(__u32 pid)
{
	history_settle(history, NULL);
	image = history_find(history, pid, 0);
	assert_non_null(image);
}

static void expect_map(const struct history_image *of, __u64 address, __u64 start,
		       __u64 last, __u64 offset, const char *path)
{
	const struct history_map *map = history_map_at(of, address);

	assert_non_null(map);
	assert_string_equal(map->path, path);
	assert_int_equal(map->start, start);
	assert_int_equal(map->end, last);
	assert_int_equal(map->offset, offset);
}

/* The mappings that are there at last. */
static size_t maps_at_last(void)
{
	size_t nr = 0;

	while (nr < image->nr_maps && image->maps[nr].start < HISTORY_PAST)
		nr++;
	return nr;
}

TEST_WITH(a_later_map_lies_over_an_earlier_one, begin, end)
{
	add_map(10, 5, 0x1000, 0x9000, 0x100000, "/whole");
	add_map(20, 5, 0x3000, 0x5000, 0, "/middle");
	add_map(30, 5, 0x4000, 0x6000, 0, "/across");
	add_map(40, 5, 0x8000, 0xa000, 0, "/end");
	add_map(50, 5, 0x0000, 0x2000, 0, "/begin");
	settled(5);
	assert_int_equal(maps_at_last(), 6);
	expect_map(image, 0x1fff, 0, 0x2000, 0, "/begin");
	expect_map(image, 0x2000, 0x2000, 0x3000, 0x101000, "/whole");
	expect_map(image, 0x3fff, 0x3000, 0x4000, 0, "/middle");
	expect_map(image, 0x4000, 0x4000, 0x6000, 0, "/across");
	expect_map(image, 0x7abc, 0x6000, 0x8000, 0x105000, "/whole");
	expect_map(image, 0x9fff, 0x8000, 0xa000, 0, "/end");
	assert_null(history_map_at(image, 0xa000));
}

/* A forked process has room for its parent's mappings and no more: one mapping becomes three. */
TEST_WITH(a_map_inside_the_only_one_of_a_fork, begin, end)
{
	add_map(10, 5, 0x1000, 0x9000, 0x100000, "/whole");
	history_fork(history, 20, 6, 6, 5, 5);
	add_map(30, 6, 0x3000, 0x5000, 0, "/middle");
	settled(6);
	assert_int_equal(maps_at_last(), 3);
	expect_map(image, 0x1000, 0x1000, 0x3000, 0x100000, "/whole");
	expect_map(image, 0x3000, 0x3000, 0x5000, 0, "/middle");
	expect_map(image, 0x8fff, 0x5000, 0x9000, 0x104000, "/whole");
}

TEST_WITH(a_map_that_covers_all_is_alone, begin, end)
{
	add_map(10, 5, 0x3000, 0x4000, 0, "/a");
	add_map(11, 5, 0x5000, 0x6000, 0, "/b");
	add_map(12, 5, 0x7000, 0x8000, 0, "/c");
	add_map(20, 5, 0x3000, 0x8000, 0, "/all");
	settled(5);
	assert_int_equal(maps_at_last(), 1);
	expect_map(image, 0x5000, 0x3000, 0x8000, 0, "/all");
}

/* Events of different CPUs come in any order. */
TEST_WITH(events_count_in_order_of_time, begin, end)
{
	history_exit(history, 90, 6, 6);
	add_map(40, 6, 0x1000, 0x2000, 0, "/new");
	history_comm(history, 30, 6, 6, "new", true);
	add_map(20, 6, 0x1000, 0x2000, 0, "/old");
	history_fork(history, 10, 6, 6, 5, 5);
	history_settle(history, NULL);
	assert_int_equal(history->nr_images, 2);
	image = &history->images[0];
	assert_int_equal(image->from, 10);
	assert_int_equal(image->until, 30);
	expect_map(image, 0x1000, 0x1000, 0x2000, 0, "/old");
	image = &history->images[1];
	assert_int_equal(image->from, 30);
	assert_int_equal(image->until, 90);
	assert_int_equal(image->parent, 5);
	assert_string_equal(image->comm, "new");
	assert_int_equal(image->nr_maps, 1);
	expect_map(image, 0x1000, 0x1000, 0x2000, 0, "/new");
}

TEST_WITH(a_fork_has_what_its_parent_had_then, begin, end)
{
	history_comm(history, 5, 5, 5, "parent", false);
	add_map(10, 5, 0x1000, 0x2000, 0, "/before");
	history_fork(history, 20, 6, 6, 5, 5);
	add_map(30, 5, 0x3000, 0x4000, 0, "/after");
	add_map(40, 6, 0x5000, 0x6000, 0, "/own");
	settled(6);
	expect_map(image, 0x1000, 0x1000, 0x2000, 0, "/before");
	expect_map(image, 0x5000, 0x5000, 0x6000, 0, "/own");
	assert_null(history_map_at(image, 0x3000));
	assert_null(history_map_at(history_find(history, 5, 0), 0x5000));
	assert_string_equal(image->comm, "parent");
	assert_int_equal(image->parent, 5);
	assert_int_equal(image->from, 20);
	assert_int_equal(image->until, ~0ULL);
}

TEST_WITH(a_process_ends_with_its_last_thread, begin, end)
{
	history_fork(history, 10, 6, 6, 5, 5);
	history_fork(history, 20, 6, 7, 6, 6);
	history_comm(history, 25, 6, 7, "worker", false);
	history_exit(history, 30, 6, 6);
	add_map(40, 6, 0x1000, 0x2000, 0, "/late");
	history_exit(history, 50, 6, 7);
	history_settle(history, NULL);
	assert_int_equal(history->nr_images, 1);
	image = &history->images[0];
	assert_int_equal(image->until, 50);
	assert_int_equal(image->nr_threads, 2);
	assert_int_equal(image->threads[1].tid, 7);
	assert_string_equal(image->threads[1].comm, "worker");
	expect_map(image, 0x1000, 0x1000, 0x2000, 0, "/late");
}

/* The mapping that a thread's creator made just before the thread is its stack. */
TEST_WITH(threads_have_stacks, begin, end)
{
	history_comm(history, 5, 6, 6, "team", false);
	add_anon(10, 6, 6, 0x10000, 0x20000);
	history_fork(history, 20, 6, 7, 6, 6);
	/* This one was mapped before, so its place is not known. */
	history_fork(history, 30, 6, 8, 6, 6);
	settled(6);
	assert_int_equal(image->nr_threads, 3);
	assert_int_equal(image->threads[1].stack_start, 0x10000);
	assert_int_equal(image->threads[1].stack_end, 0x20000);
	assert_int_equal(image->threads[2].stack_end, 0);
}

static clock_t serve(__u32 pid, __u32 nr)
{
	const clock_t begun = clock();
	struct history *served = history_new();
	__u32 i;

	history_comm(served, 5, pid, pid, "server", false);
	for (i = 1; i <= nr; i++) {
		history_fork(served, 10 * i, pid, pid + i, pid, pid);
		history_exit(served, 10 * i + 5, pid, pid + i);
	}
	history_settle(served, NULL);
	assert_int_equal(history_find(served, pid, 0)->nr_threads, nr + 1);
	history_free(served);
	return clock() - begun;
}

/* A server that makes a thread for each request: a hundredfold if all were looked through. */
TEST(threads_without_end)
{
	const clock_t few = serve(6, 10000), many = serve(6, 100000);

	print_message("10,000: %ld, 100,000: %ld\n", (long)few, (long)many);
	assert_true(many < 30 * few);
}

TEST_WITH(the_first_threads_stack, begin, end)
{
	history_comm(history, 10, 6, 6, "new", true);
	add_map(11, 6, 0x7ffc903a6000, 0x7ffc903c7000, 0, "[stack]");
	/* Older kernels report the place where it is created, not where it moves. */
	history_comm(history, 10, 7, 7, "old", true);
	add_map(11, 7, 0x7ffffffde000, 0x7ffffffff000, 0, "[stack]");
	add_map(12, 7, 0x7ffd00001000, 0x7ffd00003000, 0, "[vdso]");
	settled(6);
	assert_int_equal(image->threads[0].stack_start, 0x7ffc903a6000);
	assert_int_equal(image->threads[0].stack_end, 0x7ffc903c7000);
	expect_map(image, 0x7ffc903a6000, 0x7ffc903a6000, 0x7ffc903c7000, 0, "[stack]");
	image = history_find(history, 7, 0);
	assert_string_equal(history_map_at(image, 0x7ffc12345678)->path, "[stack]");
	assert_string_equal(history_map_at(image, 0x7ffd00001000)->path, "[vdso]");
	assert_string_equal(history_map_at(image, 0x7fff12345678)->path, "[stack]");
	assert_null(history_map_at(image, 0x7ff000000000));
}

TEST_WITH(a_pid_is_used_again, begin, end)
{
	struct snapshot snap;

	history_fork(history, 10, 6, 6, 5, 5);
	add_map(11, 6, 0x1000, 0x2000, 0, "/first");
	history_exit(history, 20, 6, 6);
	history_fork(history, 30, 6, 6, 5, 5);
	add_map(31, 6, 0x3000, 0x4000, 0, "/second");
	history_exit(history, 40, 6, 6);
	snapshot_init(&snap);
	/* It was read after it had exited, which the kernel had reported before. */
	add_thread(&snap, 6, 111, 22);
	add_thread(&snap, 6, 222, 35);
	history_settle(history, &snap);
	assert_int_equal(history->nr_images, 2);
	expect_map(history_find(history, 6, 111), 0x1000, 0x1000, 0x2000, 0, "/first");
	assert_null(history_map_at(history_find(history, 6, 111), 0x3000));
	expect_map(history_find(history, 6, 222), 0x3000, 0x3000, 0x4000, 0, "/second");
	assert_null(history_map_at(history_find(history, 6, 222), 0x1000));
	/* A time that is in no table of threads means the last one. */
	assert_ptr_equal(history_find(history, 6, 333), history_find(history, 6, 222));
	assert_ptr_equal(history_find(history, 6, 0), history_find(history, 6, 222));
	assert_null(history_find(history, 7, 111));
	snapshot_free(&snap);
}

TEST_WITH(generations_of_an_exec_chain, begin, end)
{
	static const char *const names[] = { "/sh", "/walker", "/chase" };
	char comm[2] = "a";
	struct snapshot snap;
	unsigned int i;
	__u64 start;

	history_fork(history, 10, 6, 6, 5, 5);
	for (i = 0; i < 3; i++) {
		comm[0] = (char)('a' + i);
		history_comm(history, 100 * (i + 1), 6, 6, comm, true);
		/* The second is where the first was, the third is not. */
		start = i < 2 ? 0x400000 : 0x800000;
		add_map(100 * (i + 1) + 1, 6, start, start + 0x100000, 0, names[i]);
	}
	snapshot_init(&snap);
	/* Generations do not rise with time. The earliest thread decides. */
	add_thread(&snap, 6, 900, 150);
	add_thread(&snap, 6, 17, 250);
	add_thread(&snap, 6, 500, 777);
	add_thread(&snap, 6, 500, 301);
	add_thread(&snap, 6, 500, 0);
	history_settle(history, &snap);
	assert_int_equal(history->nr_images, 4);
	expect_map(history_find(history, 6, 900), 0x400000, 0x400000, 0x500000, 0, "/sh");
	expect_map(history_find(history, 6, 17), 0x400000, 0x400000, 0x500000, 0, "/walker");
	expect_map(history_find(history, 6, 500), 0x800000, 0x800000, 0x900000, 0, "/chase");
	assert_null(history_map_at(history_find(history, 6, 500), 0x400000));
	assert_string_equal(history_find(history, 6, 17)->comm, "b");
	snapshot_free(&snap);
}

TEST_WITH(who_is_in_no_table_is_left_out, begin, end)
{
	struct snapshot snap;

	add_map(10, 5, 0x1000, 0x2000, 0, "/parent");
	history_fork(history, 20, 6, 6, 5, 5);
	snapshot_init(&snap);
	add_thread(&snap, 6, 1, 30);
	history_settle(history, &snap);
	assert_int_equal(history->nr_images, 1);
	expect_map(history_find(history, 6, 1), 0x1000, 0x1000, 0x2000, 0, "/parent");
	snapshot_free(&snap);
}

TEST_WITH(this_process_from_proc, begin, end)
{
	const struct history_map *map;
	int local = 0;

	assert_int_equal(history_read_proc(history, (__u32)getpid()), 0);
	settled((__u32)getpid());
	assert_int_equal(image->from, 0);
	assert_int_equal(image->until, ~0ULL);
	assert_string_equal(image->comm, "test_ctl_histor");
	map = history_map_at(image, (__u64)(uintptr_t)this_process_from_proc);
	assert_non_null(map);
	assert_non_null(strstr(map->path, "test_ctl_history"));
	assert_int_not_equal(map->inode, 0);
	map = history_map_at(image, (__u64)(uintptr_t)&local);
	assert_non_null(map);
	assert_true(image->nr_threads >= 1);
	/* A process that has ended. */
	assert_true(history_read_proc(history, SAMPLE_GONE_PID) < 0);
}

/*
 * /proc was read after it had executed another program, so the mappings are those of that program.
 */
TEST_WITH(proc_does_not_reach_back_beyond_an_exec, begin, end)
{
	const __u32 pid = (__u32)getpid();
	struct timespec now;
	__u64 time;

	clock_gettime(CLOCK_MONOTONIC, &now);
	time = (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
	history_comm(history, 5, pid, pid, "before", false);
	history_comm(history, time - 1000, pid, pid, "now", true);
	assert_int_equal(history_read_proc(history, pid), 0);
	history_settle(history, NULL);
	assert_int_equal(history->nr_images, 2);
	image = &history->images[0];
	assert_int_equal(image->nr_maps, 0);
	assert_string_equal(image->comm, "before");
	image = &history->images[1];
	assert_non_null(history_map_at(image,
			(__u64)(uintptr_t)proc_does_not_reach_back_beyond_an_exec));
}

static void fill(void)
{
	struct history_map map = {
		.start = 0x7000, .end = 0x8000, .time = 25, .major = 8, .minor = 1,
		.inode = 99, .prot = PROT_READ, .flags = MAP_SHARED, .build_id_size = 3,
		.build_id = { 1, 2, 3 }, .path = "/odd\033\n\xff name",
	};

	history_fork(history, 10, 6, 6, 5, 5);
	history_comm(history, 20, 6, 6, "six", true);
	history_map(history, 6, 0, &map);
	add_map(26, 6, 0x1000, 0x2000, 0, "");
	history_fork(history, 30, 7, 7, 6, 6);
	history_exit(history, 40, 7, 7);
	history_lost(history, 12);
	history_settle(history, NULL);
}

TEST_WITH(written_and_read_again, begin, end)
{
	struct history *again;
	const char *why;
	size_t size;
	void *bytes;

	fill();
	history_encode(history, &bytes, &size);
	assert_int_equal(history_decode(&again, bytes, size, &why), 0);
	history_settle(again, NULL);
	assert_int_equal(again->nr_images, history->nr_images);
	assert_int_equal(history_lost_events(again), 12);
	image = history_find(again, 6, 0);
	assert_string_equal(image->comm, "six");
	assert_int_equal(image->parent, 5);
	expect_map(image, 0x7fff, 0x7000, 0x8000, 0, "/odd\033\n\xff name");
	assert_int_equal(history_map_at(image, 0x7000)->build_id_size, 3);
	assert_memory_equal(history_map_at(image, 0x7000)->build_id, "\1\2\3", 3);
	expect_map(image, 0x1000, 0x1000, 0x2000, 0, "");
	expect_map(history_find(again, 7, 0), 0x7000, 0x7000, 0x8000, 0,
		   "/odd\033\n\xff name");
	assert_int_equal(history_find(again, 7, 0)->until, 40);
	history_free(again);
	free(bytes);
}

/* A hostile file. With a fixed number of chains of names, they would take minutes. */
TEST(millions_of_names)
{
	const __u32 nr = 1500000;
	const struct {
		__u32 layout, names;
		__u64 lost;
	} head = { .layout = 2, .names = nr };
	const size_t size = sizeof(head) + 12UL * nr + 4;
	char *bytes = calloc(1, size);
	struct history *again;
	const char *why;
	__u32 i, length = 8;

	assert_non_null(bytes);
	memcpy(bytes, &head, sizeof(head));
	for (i = 0; i < nr; i++) {
		char *at = bytes + sizeof(head) + 12UL * i;

		memcpy(at, &length, sizeof(length));
		/* Its final zero byte is overwritten, or is part of the number of processes. */
		sprintf(at + sizeof(length), "%08x", i);
	}
	endless_begin();
	assert_int_equal(history_decode(&again, bytes, size, &why), 0);
	endless_end();
	history_free(again);
	free(bytes);
}

static int decode(const void *bytes, size_t size)
{
	struct history *again;
	const char *why;
	int ret = history_decode(&again, bytes, size, &why);

	if (ret) {
		assert_non_null(why);
		assert_null(again);
		return ret;
	}
	history_settle(again, NULL);
	history_free(again);
	return 0;
}

TEST_WITH(damaged_bytes, begin, end)
{
	void *bytes;
	size_t size;

	fill();
	history_encode(history, &bytes, &size);
	decode_damaged(bytes, size, decode);
	free(bytes);
}
