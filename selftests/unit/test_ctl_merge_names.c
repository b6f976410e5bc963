// SPDX-License-Identifier: GPL-2.0
/* What names of several sessions come from, as one: processes, the kernel, and heap objects. */
#include <time.h>

#include "ctl_profile.h"

#include "profile/heap_internal.h"
#include "profile/history_internal.h"
#include "profile/kernel_names.h"

/* Each process of one is looked up among those of the other, in less time than adding them took. */
TEST(many_processes)
{
	struct history *one = history_new(), *two = history_new();
	const clock_t begun = clock();
	const __u32 nr = 100000;
	clock_t added;
	__u32 i;

	for (i = 1; i <= nr; i++) {
		history_comm(one, 0, i, i, "one", false);
		history_comm(two, 0, i, i, "two", false);
	}
	history_settle(one, NULL);
	history_settle(two, NULL);
	added = clock();
	history_merge(one, two, 5000);
	/*
	 * Both are of one run, because a busy host stretches a process's time. Merging takes a
	 * seventh of adding; if each process were searched among all, it would take three times as long.
	 */
	print_message("added in %ld, merged in %ld of %ld a second\n", (long)(added - begun),
		      (long)(clock() - added), (long)CLOCKS_PER_SEC);
	assert_true(clock() - added < added - begun);
	assert_int_equal(one->nr_images, 2 * nr);
	history_free(one);
	history_free(two);
}

TEST_WITH(kernel_names, own_folder_make, own_folder_remove)
{
	struct kernel_names *one = NULL, *two = calloc(1, sizeof(*two));

	assert_non_null(two);
	sample_kernel_row(two, KERNEL_CODE, 100, 200, "poll", "");
	sample_kernel_row(two, KERNEL_DATA, 100, 200, "stats", "net");
	kernel_names_merge(&one, two);
	assert_int_equal(one->nr, 2);
	sample_kernel_row(two, KERNEL_CODE, 300, 400, "later", "net");
	sample_kernel_row(two, KERNEL_CODE, 10, 20, "earlier", "");
	kernel_names_merge(&one, two);
	kernel_names_free(two);
	assert_int_equal(one->nr, 4);
	assert_string_equal(kernel_row_at(one, KERNEL_CODE, 15)->name, "earlier");
	assert_string_equal(kernel_row_at(one, KERNEL_CODE, 150)->name, "poll");
	assert_string_equal(kernel_row_at(one, KERNEL_CODE, 399)->name, "later");
	assert_string_equal(kernel_row_at(one, KERNEL_DATA, 150)->module, "net");
	assert_null(kernel_row_at(one, KERNEL_CODE, 250));
	kernel_names_free(one);
}

TEST_WITH(heap_logs, own_folder_make, own_folder_remove)
{
	struct heap_log *one = NULL, *two = sample_heap(20, 0x2000, 0x22), *three;
	const struct heap_object *object;
	const char *why;
	void *bytes;
	size_t size;

	heap_merge(&one, two);
	heap_log_free(two);
	two = sample_heap(10, 0x1000, 0x11);
	heap_merge(&one, two);
	heap_log_free(two);
	object = heap_find(one, 10, 0x1010, 0, ~0ULL);
	assert_non_null(object);
	assert_int_equal(heap_site(one, object->site)->frame[0], 0x11);
	object = heap_find(one, 20, 0x203f, 0, ~0ULL);
	assert_non_null(object);
	assert_int_equal(heap_site(one, object->site)->frame[0], 0x22);
	assert_null(heap_find(one, 10, 0x2000, 0, ~0ULL));
	assert_int_equal(heap_lost(one), 6);
	/* And it is in the order that a file needs. */
	heap_encode(one, &bytes, &size);
	assert_int_equal(heap_decode(&three, bytes, size, &why), 0);
	free(bytes);
	heap_log_free(three);
	heap_log_free(one);
}

/* Two processes, of which the second was forked by the first. */
static struct heap_log *with_child(__u32 parent, __u32 child)
{
	struct heap_log *log = sample_heap(child, 0x1000, 1), *other = sample_heap(parent, 0x1000, 1);

	heap_merge(&log, other);
	heap_log_free(other);
	log->processes[1].parent = 0;
	return log;
}

TEST(parents_in_heap_logs)
{
	struct heap_log *one = with_child(10, 30), *two = with_child(5, 25);
	const struct heap_process *process;

	heap_merge(&one, two);
	heap_log_free(two);
	process = one->processes;
	assert_int_equal(one->nr_processes, 4);
	assert_true(process[0].parent == HEAP_NO_PARENT && process[1].parent == HEAP_NO_PARENT);
	assert_int_equal(process[process[2].parent].pid, 5);
	assert_int_equal(process[process[3].parent].pid, 10);
	heap_log_free(one);
}
