// SPDX-License-Identifier: GPL-2.0
/* Reading what the preload library writes. The library itself: test_ctl_preload.c. */
#define _GNU_SOURCE	/* AT_EMPTY_PATH */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl_test.h"
#include "heap/format.h"
#include "profile/heap_internal.h"

#define FOREVER	(~0ULL)

static char folder[] = "/tmp/memlat-test-heap.XXXXXX";
static struct heap_log *heap;	/* what was read from it */

static int begin(void **state)
{
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char path[512];
	struct dirent *entry;
	DIR *names = opendir(folder);

	heap_log_free(heap);
	heap = NULL;
	while (names && (entry = readdir(names))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.')
			unlink(path);
	}
	closedir(names);
	return rmdir(folder);
}

/* A file as the library writes it. */
struct file {
	struct heap_file *head;
	__u64 *log, *table;
	size_t used;		/* words of the log */
	unsigned char bytes[3 * HEAP_BLOCK];
};

static struct file file;

static void file_begin(__u32 pid, __u32 number, __u64 from)
{
	memset(&file, 0, sizeof(file));
	file.head = (struct heap_file *)file.bytes;
	file.table = (__u64 *)(file.bytes + HEAP_BLOCK);
	file.log = (__u64 *)(file.bytes + 2 * HEAP_BLOCK);
	*file.head = (struct heap_file){
		.magic = HEAP_MAGIC, .pid = pid, .file = number, .from = from, .blocks = 3,
	};
	file.table[0] = HEAP_BLOCK_TABLE;
	file.log[0] = HEAP_BLOCK_LOG;
	file.used = 1;
}

static void file_add(const void *record, size_t size)
{
	memcpy(file.log + file.used, record, size);
	file.used += size / sizeof(__u64);
}

static void add_site(__u32 number, __u64 frame)
{
	const __u64 record[] = { HEAP_TAG(HEAP_SITE, 3, number), frame, frame + 0x100 };

	file_add(record, sizeof(record));
}

static struct heap_record_object object_of(__u32 site, __u64 start, __u64 size, __u64 from,
					   __u64 until)
{
	return (struct heap_record_object){
		.tag = HEAP_TAG(HEAP_OBJECT, HEAP_WORDS(heap_record_object), site),
		.start = start, .size = size, .from = from, .again = from,
		.until = until, .count = 1,
	};
}

static void add_object(__u32 site, __u64 start, __u64 size, __u64 from, __u64 until)
{
	struct heap_record_object record = object_of(site, start, size, from, until);

	file_add(&record, sizeof(record));
}

static void add_free(__u64 start, __u64 time)
{
	const struct heap_record_free record = {
		.tag = HEAP_TAG(HEAP_FREE, HEAP_WORDS(heap_record_free), 0),
		.start = start, .time = time,
	};

	file_add(&record, sizeof(record));
}

/* One object, which is never freed. */
static void begin_with_object(__u32 pid)
{
	file_begin(pid, 0, 1);
	add_site(1, 0x4000);
	add_object(1, 0x1000, 64, 10, 0);
}

static void file_write(size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%u.%u", folder, file.head->pid, file.head->file);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.bytes, size), size);
	close(fd);
}

/* Process 7, which 6 forked and which allocated an object later. */
static void write_child(__u64 forked, __u64 frame, __u64 start, __u64 from)
{
	file_begin(7, 0, forked);
	file.head->parent = 6;
	add_site(1, frame);
	add_object(1, start, 64, from, 0);
	file_write(sizeof(file.bytes));
}

static void log_read(void)
{
	assert_int_equal(heap_log_read(&heap, folder), 0);
}

static const struct heap_object *find(__u32 pid, __u64 addr, __u64 from, __u64 until)
{
	return heap_find(heap, pid, addr, from, until);
}

TEST_WITH(objects_one_after_the_other, begin, end)
{
	const struct heap_object *object;

	file_begin(6, 0, 1);
	add_site(4, 0x4000);
	add_site(9, 0x9000);
	add_object(4, 0x1000, 64, 10, 20);
	add_object(9, 0x1000, 32, 20, 90);
	add_object(4, 0x2000, 64, 10, 0);
	file_write(sizeof(file.bytes));
	log_read();
	/* The object that lived longest while this was sampled. */
	object = find(6, 0x101f, 0, FOREVER);
	assert_non_null(object);
	assert_int_equal(object->size, 32);
	assert_int_equal(heap_site(heap, object->site)->frame[0], 0x9000);
	assert_int_equal(heap_site(heap, object->site)->frames, 2);
	object = find(6, 0x101f, 0, 22);
	assert_int_equal(object->size, 64);
	/* Behind the smaller object there was only the other one. */
	object = find(6, 0x1020, 0, FOREVER);
	assert_int_equal(object->size, 64);
	assert_null(find(6, 0x1040, 0, FOREVER));
	assert_null(find(6, 0xfff, 0, FOREVER));
	assert_null(find(7, 0x1000, 0, FOREVER));
	object = find(6, 0x2000, 0, FOREVER);
	assert_int_equal(object->until, FOREVER);
	assert_int_equal(heap_site(heap, object->site)->objects, 2);
	assert_int_equal(heap_site(heap, object->site)->bytes, 128);
	assert_null(heap_site(heap, 2));
	assert_int_equal(heap_objects(heap), 3);
}

/* A large object that existed before many small ones, and one beside them. */
TEST_WITH(a_large_object_before_small_ones, begin, end)
{
	__u64 i;

	file_begin(6, 0, 1);
	add_site(1, 0x4000);
	add_object(1, 0x10000, 0x10000, 10, 1000);
	for (i = 0; i < 16; i++)
		add_object(1, 0x10000 + i * 0x100, 0x80, 2000, 2010);
	file_write(sizeof(file.bytes));
	log_read();
	assert_int_equal(find(6, 0x1ffff, 0, FOREVER)->size, 0x10000);
	assert_int_equal(find(6, 0x10100, 0, FOREVER)->size, 0x10000);
	assert_int_equal(find(6, 0x10100, 2000, FOREVER)->size, 0x80);
}

TEST_WITH(another_thread_frees, begin, end)
{
	struct heap_record_object alive;
	const struct heap_object *object;

	file_begin(6, 0, 1);
	add_site(1, 0x4000);
	add_site(2, 0x5000);
	add_free(0x1000, 5);		/* of one that was before all this */
	add_object(1, 0x1000, 64, 10, 0);
	add_free(0x1000, 30);
	add_object(2, 0x1000, 48, 40, 0);
	/* It was allocated three times, and another thread freed it the first time. */
	alive = object_of(1, 0x3000, 16, 10, 0);
	alive.again = 50;
	alive.count = 3;
	memcpy(file.table + 1 + 7 * HEAP_WORDS(heap_record_object), &alive, sizeof(alive));
	add_free(0x3000, 20);
	/* Nobody freed it, and yet another one was allocated there. */
	add_object(1, 0x6000, 8, 10, 0);
	add_object(1, 0x6000, 24, 70, 0);
	file_write(sizeof(file.bytes));
	log_read();
	object = find(6, 0x1000, 0, 35);
	assert_int_equal(object->size, 64);
	assert_int_equal(object->from, 10);
	assert_int_equal(object->until, 30);
	object = find(6, 0x1000, 41, FOREVER);
	assert_int_equal(object->size, 48);
	assert_int_equal(object->until, FOREVER);
	object = find(6, 0x3000, 0, FOREVER);
	assert_int_equal(object->until, FOREVER);
	assert_int_equal(heap_site(heap, object->site)->objects, 1 + 3 + 2);
	assert_int_equal(find(6, 0x6000, 0, 60)->until, 70);
}

static void add_latest(unsigned int entry, __u32 site, __u64 start, __u64 size, __u64 from)
{
	const struct heap_record_object record = object_of(site, start, size, from, 0);

	memcpy(file.table + 1 + entry * HEAP_WORDS(heap_record_object), &record, sizeof(record));
}

/* Times are to the clock tick. The table, which is read first, has the latest object of a place. */
TEST_WITH(objects_of_one_tick, begin, end)
{
	const struct heap_object *object;
	unsigned int i;

	file_begin(6, 0, 1);
	add_site(1, 0x4000);
	add_site(2, 0x5000);
	/* A buffer that was freed before, an older one about it, and the object. */
	add_object(1, 0x0fc0, 4096, 40, 44);
	add_object(1, 0x1000, 4096, 48, 48);
	add_latest(0, 2, 0x1000, 16, 48);
	/* The thread's table had no room for it any more when it was freed. */
	add_object(1, 0x8000, 4096, 48, 0);
	add_free(0x8000, 48);
	add_latest(1, 2, 0x8000, 16, 48);
	/* Several in the log. */
	for (i = 0; i < 4; i++) {
		add_object(1, 0xc000, 64, 48, 0);
		add_free(0xc000, 48);
	}
	add_object(2, 0xc000, 16, 48, 0);
	file_write(sizeof(file.bytes));
	log_read();
	for (i = 0; i < 3; i++) {
		object = find(6, 0x1000 * (i ? 4 + 4 * i : 1), 0, 1000);
		assert_int_equal(object->size, 16);
		assert_int_equal(object->until, FOREVER);
	}
}

TEST_WITH(a_forked_child_has_its_parents_objects, begin, end)
{
	begin_with_object(6);
	add_object(1, 0x2000, 64, 10, 20);
	add_object(1, 0x3000, 64, 60, 0);
	file_write(sizeof(file.bytes));
	write_child(50, 0x7000, 0x5000, 55);
	/* Another program of the same process: it inherits nothing, and all objects end. */
	file_begin(7, 1, 100);
	file_write(sizeof(file.bytes));
	log_read();
	assert_int_equal(heap_processes(heap), 3);
	assert_int_equal(find(7, 0x1000, 0, FOREVER)->pid, 6);
	assert_null(find(7, 0x2000, 0, FOREVER));
	assert_null(find(7, 0x3000, 0, FOREVER));
	assert_int_equal(find(7, 0x5000, 0, FOREVER)->until, 100);
	assert_null(find(7, 0x5000, 100, FOREVER));
	assert_null(find(7, 0x1000, 100, FOREVER));
}

/* execve() twice within a tick: the times are equal, the numbers are not. */
TEST_WITH(programs_of_one_tick, begin, end)
{
	struct heap_log *merged = NULL;
	const struct heap_object *object;
	unsigned int i;

	/* Files of many processes: the folder decides the order in which they are read. */
	for (i = 0; i < 32; i++) {
		file_begin(6 + i / 4, 3 - i % 4, 50);
		add_site(1, 0x4000);
		add_object(1, 0x1000 * (1 + file.head->file), 64, 50, 0);
		file_write(sizeof(file.bytes));
	}
	log_read();
	heap_merge(&merged, heap);
	for (i = 0; i < 32; i++) {
		object = find(6 + i / 4, 0x1000 * (1 + i % 4), 0, FOREVER);
		assert_int_equal(object->until, i % 4 == 3 ? FOREVER : 50);
		assert_int_equal(heap->processes[i].file, i % 4);
		assert_int_equal(merged->processes[i].file, i % 4);
	}
	heap_log_free(merged);
}

/* A process of a later session has the number of one that ended, which nothing reports. */
TEST_WITH(a_number_of_two_sessions, begin, end)
{
	struct heap_log *merged = NULL;

	begin_with_object(6);
	file_write(sizeof(file.bytes));
	log_read();
	heap_merge(&merged, heap);
	heap_log_free(heap);
	file_begin(6, 0, 500);
	add_site(1, 0x7000);
	add_object(1, 0x1000, 64, 510, 0);
	file_write(sizeof(file.bytes));
	log_read();
	heap_merge(&merged, heap);
	assert_int_equal(heap_find(merged, 6, 0x1000, 500, FOREVER)->from, 510);
	assert_int_equal(heap_find(merged, 6, 0x1000, 0, 500)->from, 10);
	heap_log_free(merged);
}

TEST_WITH(files_that_broke_off, begin, end)
{
	begin_with_object(6);
	file.head->lost = 5;
	file_write(sizeof(file.bytes));
	/* A record whose first word was not written yet. What follows it does not exist. */
	begin_with_object(7);
	file.log[file.used++] = 0;
	add_object(1, 0x2000, 64, 10, 0);
	file_write(sizeof(file.bytes));
	/* A block that was allocated but not initialized, and one that the library never writes. */
	begin_with_object(8);
	file.head->blocks = 9;
	file.log[file.used++] = HEAP_TAG(77, 2, 0);
	file_write(sizeof(file.bytes));
	file_begin(9, 0, 1);
	file_write(100);
	file_begin(10, 0, 1);
	file_write(0);
	file_begin(11, 0, 1);
	file.head->magic++;
	file_write(sizeof(file.bytes));
	log_read();
	assert_int_equal(heap_lost(heap), 5);
	assert_int_equal(heap_cut(heap), 4);
	assert_int_equal(heap_processes(heap), 3);
	assert_non_null(find(6, 0x1000, 0, FOREVER));
	assert_non_null(find(7, 0x1000, 0, FOREVER));
	assert_null(find(7, 0x2000, 0, FOREVER));
	assert_non_null(find(8, 0x1000, 0, FOREVER));
	heap_log_free(heap);
	assert_int_equal(heap_log_read(&heap, "/nowhere/at/all"), -ENOENT);
}

/* A file that cannot be opened, here a link that leads nowhere, takes no other file away. */
TEST_WITH(a_file_that_cannot_be_opened, begin, end)
{
	char path[128];

	begin_with_object(6);
	file_write(sizeof(file.bytes));
	snprintf(path, sizeof(path), "%s/7.0", folder);
	assert_int_equal(symlink("nowhere", path), 0);
	log_read();
	assert_int_equal(heap_cut(heap), 1);
	assert_int_equal(heap_processes(heap), 1);
	assert_non_null(find(6, 0x1000, 0, FOREVER));
}

/* A pipe without a writer takes no other file away either, and is not waited for. */
TEST_WITH(a_pipe, begin, end)
{
	char path[128];

	begin_with_object(6);
	file_write(sizeof(file.bytes));
	snprintf(path, sizeof(path), "%s/7.0", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(600);
	log_read();
	alarm(0);
	assert_int_equal(heap_cut(heap), 1);
	assert_non_null(find(6, 0x1000, 0, FOREVER));
}

/* Once its size was asked for, a file of this inode is cut short. */
static ino_t to_shorten;

int fstat(int fd, struct stat *st)
{
	int ret = fstatat(fd, "", st, AT_EMPTY_PATH);
	char path[32];

	if (!ret && to_shorten && st->st_ino == to_shorten) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		assert_int_equal(truncate(path, 2 * HEAP_BLOCK), 0);
		to_shorten = 0;
	}
	return ret;
}

/* A program that still runs truncates its file while it is read. What is left of it is kept. */
TEST_WITH(a_file_that_becomes_shorter, begin, end)
{
	const struct heap_record_object in_table = object_of(1, 0x2000, 64, 10, 0);
	struct stat st;
	char path[128];

	begin_with_object(6);
	/* The log, with the site, is the block that remains. */
	memcpy(file.table, file.log, HEAP_BLOCK);
	memset(file.log, 0, HEAP_BLOCK);
	file.log[0] = HEAP_BLOCK_TABLE;
	memcpy(file.log + 1, &in_table, sizeof(in_table));
	file_write(sizeof(file.bytes));
	snprintf(path, sizeof(path), "%s/6.0", folder);
	assert_int_equal(stat(path, &st), 0);
	to_shorten = st.st_ino;
	log_read();
	assert_int_equal(to_shorten, 0);
	assert_int_equal(heap_processes(heap), 1);
	assert_non_null(find(6, 0x1000, 0, FOREVER));
	assert_null(find(6, 0x2000, 0, FOREVER));
}

/* The free of an old object may be missing, so it does not outlive a newer one in its place. */
TEST_WITH(a_file_that_is_full, begin, end)
{
	begin_with_object(6);
	add_object(1, 0x2000, 64, 10, 20);
	add_object(1, 0x3000, 64, 60, 0);
	add_object(1, 0xfc0, 128, 60, 90);
	file.head->full = 50;
	file_write(sizeof(file.bytes));
	log_read();
	assert_int_equal(find(6, 0x1000, 10, 61)->until, 50);
	assert_int_equal(find(6, 0x1000, 55, FOREVER)->size, 128);
	assert_int_equal(find(6, 0x2000, 0, FOREVER)->until, 20);
	assert_int_equal(find(6, 0x3000, 0, FOREVER)->until, FOREVER);
}

TEST_WITH(only_what_was_sampled_is_kept, begin, end)
{
	struct memlat_rec_line line = { .addr = 0x1040 };
	struct memlat_rec_access access = { .addr = 0x3008 };
	struct snapshot snap;

	begin_with_object(6);			/* ends where the line begins */
	add_object(1, 0x1070, 8, 10, 0);
	add_object(1, 0x3030, 8, 10, 0);	/* beside the access, in its line */
	add_object(1, 0x2000, 0x800, 10, 0);
	file_write(sizeof(file.bytes));
	log_read();
	snapshot_init(&snap);
	snap.lines = &line;
	snap.accesses = &access;
	snap.nr_lines = snap.nr_accesses = 1;
	heap_keep(heap, &snap);
	assert_null(find(6, 0x1000, 0, FOREVER));
	assert_non_null(find(6, 0x1070, 0, FOREVER));
	assert_non_null(find(6, 0x3030, 0, FOREVER));
	assert_null(find(6, 0x2000, 0, FOREVER));
	/* The number of its objects is still known. */
	assert_int_equal(heap_objects(heap), 4);
}

static void fill(void)
{
	file_begin(6, 0, 1);
	add_site(1, 0x4000);
	add_site(2, 0x5000);
	add_object(1, 0x1000, 64, 10, 20);
	add_object(2, 0x2000, 64, 10, 0);
	file_write(sizeof(file.bytes));
	write_child(15, 0x6000, 0x3000, 30);
}

TEST_WITH(written_and_read_again, begin, end)
{
	struct heap_log *again;
	const char *why;
	size_t size;
	void *bytes;

	fill();
	log_read();
	heap_encode(heap, &bytes, &size);
	assert_int_equal(heap_decode(&again, bytes, size, &why), 0);
	assert_int_equal(heap_objects(again), 3);
	assert_int_equal(heap_find(again, 7, 0x1000, 0, FOREVER)->pid, 6);
	assert_int_equal(heap_find(again, 7, 0x3010, 0, FOREVER)->from, 30);
	assert_int_equal(heap_site(again, heap_find(again, 6, 0x2000, 0, FOREVER)->site)->frame[1],
			 0x5100);
	heap_log_free(again);
	free(bytes);
}

static int decode(const void *bytes, size_t size)
{
	struct heap_log *again;
	const char *why;
	int ret = heap_decode(&again, bytes, size, &why);

	if (ret) {
		assert_non_null(why);
		return ret;
	}
	heap_find(again, 6, 0x1000, 0, FOREVER);
	heap_find(again, 7, 0x1000, 0, FOREVER);
	heap_log_free(again);
	return 0;
}

TEST_WITH(damaged_bytes, begin, end)
{
	void *bytes;
	size_t size;

	fill();
	log_read();
	heap_encode(heap, &bytes, &size);
	decode_damaged(bytes, size, decode);
	free(bytes);
}
