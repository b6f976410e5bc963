// SPDX-License-Identifier: GPL-2.0
/* Records of the kernel's, as in a ring. */
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "ctl_test.h"

#include "profile/history_internal.h"
#include "import/perf_record.h"

static struct history *history;
static const struct perf_trailer trailer = { .size = 16, .time = 8 };

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

/* A record as in a ring, with process and time at its end. */
struct record {
	struct perf_event_header header;
	__u32 word[64];
};

static void seal(struct record *record, __u32 type, __u16 misc, unsigned int words, __u64 time)
{
	record->header.type = type;
	record->header.misc = misc;
	memcpy(&record->word[words + 2], &time, sizeof(time));
	record->header.size = (__u16)(sizeof(record->header) + 4 * (words + 4));
}

static void ksymbol(__u64 start, __u32 length, __u16 flags, const char *name)
{
	struct record record = { .word = { 0 } };

	memcpy(&record.word[0], &start, sizeof(start));
	record.word[2] = length;
	record.word[3] = 1 | (__u32)flags << 16;
	strncpy((char *)&record.word[4], name, 4 * 6);
	seal(&record, PERF_RECORD_KSYMBOL, 0, 10, 100);
	perf_record_take(history, &record.header, &trailer);
}

/* Programs of BPF have the names that the kernel told when it loaded them. */
TEST_WITH(programs_of_bpf, begin, end)
{
	const __u64 at = 0xffffffffc0001000;
	struct kernel_names *names = NULL;

	history_name_kernel(history, &names);
	assert_null(names);
	ksymbol(at + 0x1000, 0x80, 0, "bpf_prog_2_later");
	ksymbol(at, 0x200, 0, "bpf_prog_1_first");
	ksymbol(at, 0x200, 1, "bpf_prog_1_first");
	ksymbol(0x1000, 0x200, 0, "bpf_prog_of_nobody");
	ksymbol(~0ULL, 0x200, 0, "bpf_prog_past_end");
	ksymbol(at + 0x2000, 0x200, 0, "");
	assert_int_equal(history_lost_events(history), 0);
	/* Its name has no end before the time. */
	ksymbol(at + 0x2000, 0x200, 0, "bpf_prog_without_an_end_");
	assert_int_equal(history_lost_events(history), 1);
	history_name_kernel(history, &names);
	assert_int_equal(names->nr, 2);
	assert_int_equal(history_loads(history), 2);
	assert_string_equal(kernel_row_at(names, KERNEL_CODE, at + 0x1ff)->name,
			    "bpf_prog_1_first");
	assert_null(kernel_row_at(names, KERNEL_CODE, at + 0x200));
	assert_string_equal(kernel_row_at(names, KERNEL_CODE, at + 0x1000)->name,
			    "bpf_prog_2_later");
	/* What the kernel itself says of a place stays. */
	history_name_kernel(history, &names);
	assert_int_equal(names->nr, 2);
	kernel_names_free(names);
	/* It has no maps. */
	ksymbol(at + 0x4000, 0x80, 0, "bpf_trampoline_6442");
	assert_int_equal(history_loads(history), 2);
}

TEST_WITH(records_of_the_kernel, begin, end)
{
	const struct history_image *image;
	const struct history_map *map;
	struct record record = { .word = { 0 } };
	__u64 place[3] = { 0x400000, 0x1000, 0x2000 };

	record.word[0] = record.word[1] = 6;
	memcpy(&record.word[2], "prog", 5);
	seal(&record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 4, 100);
	perf_record_take(history, &record.header, &trailer);

	memset(&record, 0, sizeof(record));
	record.word[0] = record.word[1] = 6;
	memcpy(&record.word[2], place, sizeof(place));
	record.word[8] = 20;
	memset(&record.word[9], 0xab, 20);
	record.word[14] = PROT_READ | PROT_EXEC;
	record.word[15] = MAP_PRIVATE;
	memcpy(&record.word[16], "/prog", 6);
	seal(&record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, 18, 101);
	perf_record_take(history, &record.header, &trailer);

	memset(&record, 0, sizeof(record));
	record.word[2] = 5;
	seal(&record, PERF_RECORD_LOST, 0, 4, 102);
	perf_record_take(history, &record.header, &trailer);

	/* Records that are too short, or have a name that is not terminated. */
	memset(&record, 0xff, sizeof(record));
	seal(&record, PERF_RECORD_MMAP2, 0, 6, 103);
	perf_record_take(history, &record.header, &trailer);
	memset(&record, 0x41, sizeof(record));
	seal(&record, PERF_RECORD_COMM, 0, 6, 104);
	perf_record_take(history, &record.header, &trailer);
	/* A type of record that is not known here. */
	seal(&record, 77, 0, 6, 105);
	perf_record_take(history, &record.header, &trailer);

	history_settle(history, NULL);
	/* It is not known what it was before, and it is not taken for what it became. */
	assert_int_equal(history->nr_images, 2);
	assert_int_equal(history->images[0].nr_maps, 0);
	image = &history->images[1];
	assert_string_equal(image->comm, "prog");
	assert_int_equal(image->from, 100);
	map = history_map_at(image, 0x400fff);
	assert_non_null(map);
	assert_string_equal(map->path, "/prog");
	assert_int_equal(map->offset, 0x2000);
	assert_int_equal(map->build_id_size, 20);
	assert_int_equal(map->build_id[19], 0xab);
	assert_int_equal(map->inode, 0);
	assert_int_equal(history_lost_events(history), 5 + 2);
}
