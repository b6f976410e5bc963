// SPDX-License-Identifier: GPL-2.0
/*
 * A history that is recorded for a long time stays within bounds, and parts of it are given away.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl_test.h"
#include "profile/history_internal.h"

static struct history *history;

static int begin(void **state)
{
	history = history_new();
	return 0;
}

static int end(void **state)
{
	history_free(history);
	return 0;
}

static void add_map(struct history *to, __u64 time, __u32 pid, __u64 start, const char *path)
{
	struct history_map map = {
		.start = start, .end = start + 0x1000, .time = time,
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
		.build_id_size = 4, .build_id = { 0xab, 0xcd, 1, 2 }, .path = path,
	};

	history_map(to, pid, 0, &map);
}

/* A program that forks, executes another one, and ends. And one that goes on. */
static void tell(struct history *to, unsigned int step)
{
	switch (step) {
	case 0:
		add_map(to, 10, 5, 0x1000, "/parent");
		history_comm(to, 11, 5, 5, "parent", false);
		break;
	case 1:
		history_fork(to, 20, 6, 6, 5, 5);
		add_map(to, 21, 6, 0x3000, "/library");
		break;
	case 2:
		history_comm(to, 30, 6, 6, "child", true);
		add_map(to, 31, 6, 0x1000, "/child");
		break;
	case 3:
		add_map(to, 40, 5, 0x5000, "/late");
		history_exit(to, 41, 6, 6);
		break;
	}
}

static void expect_same(const struct history *one, const struct history *other)
{
	size_t i, k;

	assert_int_equal(one->nr_images, other->nr_images);
	for (i = 0; i < one->nr_images; i++) {
		const struct history_image *a = &one->images[i];
		const struct history_image *b = &other->images[i];

		assert_int_equal(a->pid, b->pid);
		assert_int_equal(a->from, b->from);
		assert_int_equal(a->until, b->until);
		assert_string_equal(a->comm, b->comm);
		assert_int_equal(a->nr_maps, b->nr_maps);
		for (k = 0; k < a->nr_maps; k++) {
			assert_int_equal(a->maps[k].start, b->maps[k].start);
			assert_int_equal(a->maps[k].time, b->maps[k].time);
			assert_string_equal(a->maps[k].path, b->maps[k].path);
		}
		assert_int_equal(a->nr_threads, b->nr_threads);
	}
}

TEST_WITH(folded_bit_by_bit_it_is_the_same, begin, end)
{
	struct history *whole = history_new(), *part;
	unsigned int step;

	for (step = 0; step < 4; step++) {
		tell(whole, step);
		tell(history, step);
		/* The last event of each step is still to come. */
		history_fold(history, 10 * step + 10, NULL);
	}
	history_fold(history, ~0ULL, NULL);
	part = history_extract(history, NULL, 0);
	history_settle(part, NULL);
	history_settle(whole, NULL);
	expect_same(whole, part);
	history_free(part);
	/* And what was folded can be settled itself. */
	history_settle(history, NULL);
	expect_same(whole, history);
	history_free(whole);
}

/* Events of one time count in the order in which they came, also if there was a fold in between. */
TEST_WITH(events_of_one_time, begin, end)
{
	history_comm(history, 10, 5, 5, "zero", false);
	history_comm(history, 11, 5, 5, "one", false);
	history_comm(history, 20, 5, 5, "two", false);
	history_fold(history, 15, NULL);
	history_comm(history, 20, 5, 5, "three", false);
	history_settle(history, NULL);
	assert_string_equal(history->images[0].comm, "three");
}

TEST_WITH(only_whom_one_asks_for, begin, end)
{
	const __u32 wanted[] = { 6 };
	struct history *part;
	unsigned int step;

	for (step = 0; step < 4; step++)
		tell(history, step);
	history_fold(history, ~0ULL, NULL);
	part = history_extract(history, wanted, 1);
	history_settle(part, NULL);
	assert_int_equal(part->nr_images, 2);
	assert_null(history_find(part, 5, 0));
	assert_string_equal(history_find(part, 6, 0)->comm, "child");
	history_free(part);
}

/*
 * Processes that have ended and were not sampled are removed. Sampled ones stay, and so do living
 * ones.
 */
TEST_WITH(trimmed_by_who_was_sampled, begin, end)
{
	const __u32 sampled[] = { 101, 103 };
	struct history *part;
	__u32 pid;

	for (pid = 100; pid < 106; pid++) {
		history_fork(history, pid, pid, pid, 1, 1);
		add_map(history, pid, pid, 0x1000, "/program");
		if (pid < 105)
			history_exit(history, 1000 + pid, pid, pid);
	}
	history_fold(history, ~0ULL, NULL);
	/* The last ones that ended may still get into the tables. */
	assert_int_equal(history_trim(history, sampled, 2, 1104, ~(size_t)0), 0);
	part = history_extract(history, NULL, 0);
	history_settle(part, NULL);
	for (pid = 100; pid < 106; pid++)
		assert_int_equal(!history_find(part, pid, 0), pid == 100 || pid == 102);
	history_free(part);
}

/* If there is no room for what is needed, the oldest is removed, and counted. */
TEST_WITH(trimmed_by_size, begin, end)
{
	const size_t nr = 1000;
	struct history *part;
	size_t dropped, most;
	__u32 pids[1000], pid;
	char path[32];

	for (pid = 1; pid <= nr; pid++) {
		pids[pid - 1] = pid;
		snprintf(path, sizeof(path), "/program%u", pid);
		history_fork(history, pid, pid, pid, 5000, 5000);
		add_map(history, pid, pid, 0x1000, path);
		history_exit(history, 2000 + pid, pid, pid);
	}
	history_fold(history, ~0ULL, NULL);
	most = history_size(history) - 100000;
	dropped = history_trim(history, pids, nr, ~0ULL, most);
	assert_true(dropped > 0 && dropped < nr);
	assert_true(history_size(history) <= most);
	part = history_extract(history, NULL, 0);
	history_settle(part, NULL);
	assert_int_equal(part->nr_images, nr - dropped);
	assert_null(history_find(part, 1, 0));
	assert_string_equal(history_find(part, nr, 0)->maps[0].path, "/program1000");
	history_free(part);
}

/* However often /proc is read, the time of a mapping and its build id stay. */
TEST_WITH(proc_takes_nothing_away, begin, end)
{
	const struct history_image *image;
	struct history *part;
	__u32 self = (__u32)getpid();
	const struct history_map *map;
	void *code;
	int fd;

	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	code = mmap(NULL, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(code != MAP_FAILED);
	history_read_proc(history, self);
	history_fold(history, ~0ULL, NULL);
	part = history_extract(history, NULL, 0);
	history_settle(part, NULL);
	map = history_map_at(history_find(part, self, 0), (__u64)(uintptr_t)code);
	assert_non_null(map);
	add_map(history, 77, self, (__u64)(uintptr_t)code, map->path);
	history_free(part);
	history_fold(history, ~0ULL, NULL);
	history_read_proc(history, self);
	history_fold(history, ~0ULL, NULL);
	history_settle(history, NULL);
	image = history_find(history, self, 0);
	map = history_map_at(image, (__u64)(uintptr_t)code);
	assert_non_null(map);
	assert_int_equal(map->time, 77);
	assert_int_equal(map->build_id_size, 4);
	assert_true(map->inode);
	munmap(code, 0x1000);
	close(fd);
}

/* In another PID namespace, the tables have another number for it. */
TEST_WITH(only_one_under_another_number, begin, end)
{
	const struct history_image *image;

	tell(history, 0);
	tell(history, 1);
	tell(history, 2);
	history_only(history, 6, 1006);
	history_settle(history, NULL);
	assert_int_equal(history->nr_images, 2);
	assert_null(history_find(history, 5, 0));
	assert_null(history_find(history, 6, 0));
	image = history_find(history, 1006, 0);
	assert_string_equal(image->comm, "child");
	assert_int_equal(image->threads[0].tid, 1006);
	history_only(history, 0, 0);
}
