// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "ctl_test.h"

#include "util/cpulist.h"
#include "util/io.h"

TEST(lists)
{
	static const struct {
		const char *text;
		__u64 first;	/* CPUs 0 to 63 */
		const char *again;
	} cases[] = {
		{ "0", 0x1, "0" }, { "3", 0x8, "3" }, { "0-3,8", 0x10f, "0-3,8" },
		{ "8,0-3", 0x10f, "0-3,8" }, { "0-3,2-5", 0x3f, "0-5" }, { "1,1,1", 0x2, "1" },
		{ "5-5", 0x20, "5" }, { "0-63", ~0ULL, "0-63" }, { "0-7:2/4", 0x33, "0-1,4-5" },
		{ "1-7:1/2", 0xaa, "1,3,5,7" }, { "00,01", 0x3, "0-1" },
	};
	__u64 cpus[MEMLAT_CPU_WORDS];
	char text[64];
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(cpus, 0xff, sizeof(cpus));
		assert_int_equal(cpulist_parse(cases[i].text, cpus), CPULIST_OK);
		assert_int_equal(cpus[0], cases[i].first);
		assert_int_equal(cpus[1], 0);
		assert_string_equal(cpulist_text(text, sizeof(text), cpus), cases[i].again);
	}
	assert_int_equal(cpulist_parse("63-64,8191", cpus), CPULIST_OK);
	assert_int_equal(cpus[0], 1ULL << 63);
	assert_int_equal(cpus[1], 1);
	assert_int_equal(cpus[127], 1ULL << 63);
	assert_string_equal(cpulist_text(text, sizeof(text), cpus), "63-64,8191");
}

TEST(no_lists)
{
	static const struct {
		const char *text;
		enum cpulist_result why;
	} cases[] = {
		{ "", CPULIST_NOT }, { ",", CPULIST_NOT }, { "1,", CPULIST_NOT },
		{ ",1", CPULIST_NOT }, { "a", CPULIST_NOT }, { "1-", CPULIST_NOT },
		{ "-1", CPULIST_NOT }, { "1 2", CPULIST_NOT }, { " 1", CPULIST_NOT },
		{ "1-2-3", CPULIST_NOT }, { "0x1", CPULIST_NOT },
		{ "1\n", CPULIST_NOT }, { "0-7:2", CPULIST_NOT },
		{ "0-7:/4", CPULIST_NOT }, { "0-7:2/", CPULIST_NOT },
		{ "3:1/2", CPULIST_NOT }, { "1;2", CPULIST_NOT },
		{ "3-1", CPULIST_ORDER }, { "0-7:0/4", CPULIST_ORDER },
		{ "0-7:5/4", CPULIST_ORDER }, { "0-7:0/0", CPULIST_ORDER },
		{ "8192", CPULIST_RANGE }, { "0-8192", CPULIST_RANGE },
		{ "4294967296", CPULIST_RANGE },
		{ "18446744073709551616", CPULIST_RANGE },
		{ "1,99999999999999999999999", CPULIST_RANGE },
	};
	__u64 cpus[MEMLAT_CPU_WORDS] = { 4711 };
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cpulist_parse(cases[i].text, cpus) != cases[i].why)
			fail_msg("\"%s\" was not refused as it should", cases[i].text);
		assert_int_equal(cpus[0], 4711);
	}
}

/* Whatever the room, the text fits, and says if there is more. */
TEST(lists_keep_to_their_room)
{
	__u64 cpus[MEMLAT_CPU_WORDS];
	char *text;
	size_t room;

	assert_int_equal(cpulist_parse("0-8191:1/2", cpus), CPULIST_OK);
	for (room = 1; room < 40; room++) {
		text = malloc(room);	/* the sanitizer guards its end */
		assert_non_null(text);
		cpulist_text(text, room, cpus);
		assert_true(strlen(text) < room);
		if (room > 5)
			assert_string_equal(text + strlen(text) - 3, "...");
		free(text);
	}
	text = malloc(12);
	assert_non_null(text);
	assert_string_equal(cpulist_text(text, 12, cpus), "0,2,4,6...");
	free(text);
}

TEST(this_machine)
{
	__u64 cpus[MEMLAT_CPU_WORDS];

	if (!cpulist_possible(cpus)) {
		print_message("# no /sys here\n");
		skip();
	}
	assert_int_equal(cpus[0] & 1, 1);
}

static const char *listed;	/* what sysfs says, if not NULL */

ssize_t io_read(int fd, void *bytes, size_t size)
{
	size_t length = listed ? strlen(listed) : 0;

	if (!listed)
		return read(fd, bytes, size);
	length = length < size ? length : size;
	memcpy(bytes, listed, length);
	return (ssize_t)length;
}

/* sysfs prints at most a page, and then cuts a list wherever that ends. */
TEST(a_list_that_the_kernel_cut)
{
	__u64 cpus[MEMLAT_CPU_WORDS];
	char text[64];

	if (!cpulist_online(cpus)) {
		print_message("# no /sys here\n");
		skip();
	}
	listed = "0,2,1638,1640\n";
	assert_true(cpulist_online(cpus));
	assert_string_equal(cpulist_text(text, sizeof(text), cpus), "0,2,1638,1640");
	listed = "0,2,1638,164";
	assert_true(cpulist_online(cpus));
	assert_string_equal(cpulist_text(text, sizeof(text), cpus), "0,2,1638");
	listed = "0-16";
	assert_false(cpulist_online(cpus));
	listed = NULL;
}
