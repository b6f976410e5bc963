// SPDX-License-Identifier: GPL-2.0
/* Profiles on the command line: -i, merge and diff, as a user types them. */
#include <unistd.h>

#include "ctl_profile.h"
#include "ctl_view.h"

static char said[65536];

/* Two sessions, a and b, and files that are no profiles. */
static int make(void **state)
{
	struct profile profile;
	struct bytes file;

	own_folder_make(state);
	sample_profile(&profile);
	profile.snap.head.status.started_ns = 1000;
	profile_put(&profile, in("a"));
	profile.snap.head.status.started_ns = 2000;
	profile_put(&profile, in("b"));
	profile.snap.head.status.started_ns = 3000;
	profile.machine.boot_id[0] = '7';
	profile_put(&profile, in("boot"));
	profile_free(&profile);
	file = file_bytes(in("a"));
	file_put(in("short"), file.at, file.size / 2);
	file.at[file.size / 2] ^= 1;
	file_put(in("damaged"), file.at, file.size);
	file_put(in("foreign"), "what is this\n", 13);
	free(file.at);
	return 0;
}

static void ends(int status, int expected, const char *words)
{
	if (status != expected || (words && !strstr(said, words)))
		fail_msg("exit status %d, not %d, or no \"%s\": %s", status, expected,
			 words ? words : "", said);
}

#define RUN(expected, words, ...) \
	ends(program(said, sizeof(said), __VA_ARGS__), expected, words)

TEST_WITH(inputs, make, own_folder_remove)
{
	static const char *const views[] = {
		"lines", "dcache --by site", "dcache", "dcache --by data", "c2c", "buckets", "status",
	};
	const size_t with_rows = 5;
	size_t i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		RUN(1, "No such file", "%s -i '%s'", views[i], in("none"));
		RUN(1, "it is cut off", "%s -i '%s'", views[i], in("short"));
		RUN(1, "it is damaged", "%s -i '%s'", views[i], in("damaged"));
		RUN(1, "it is not a profile of memlat; give a file that 'memlat-ctl record' wrote",
		    "%s -i '%s'", views[i], in("foreign"));
		RUN(2, "-i needs a value", "%s -i", views[i]);
		if (i >= with_rows)
			continue;
		RUN(2, "-n x: not a whole decimal number; give how many rows", "%s -n x", views[i]);
	}
	RUN(1, "cannot read the profile \"\"", "lines -i ''");
	/* A name that would move the cursor is printed in escaped form. */
	RUN(1, "\\033[2J: No such file", "lines -i \"$(printf '\\033[2J')\"");
}

/* Tables hold CPU numbers modulo 64, so that 3 and 67 cannot be told apart. */
TEST_WITH(many_cpus, make, own_folder_remove)
{
	static const char *const views[] = { "lines", "dcache --by site", "dcache --by thread", "c2c" };
	struct profile profile;
	size_t i;

	sample_profile(&profile);
	profile.snap.head.status.cpus_online = 112;
	profile_put(&profile, in("many"));
	profile_free(&profile);
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		RUN(0, "(of 112 CPUs the numbers are known modulo 64 only: CPU 3 may also be 67)",
		    "%s -i '%s'", views[i], in("many"));
		RUN(0, "samples", "%s -i '%s'", views[i], in("a"));
		assert_null(strstr(said, "modulo"));
	}
}

/* Few CPUs may have high numbers, where others are offline or not there. */
TEST_WITH(few_cpus_with_high_numbers, make, own_folder_remove)
{
	static const char *const views[] = { "lines", "dcache --by site", "dcache --by thread", "c2c" };
	struct profile profile;
	struct machine *machine = &profile.machine;
	size_t i;

	sample_profile(&profile);
	profile.snap.head.status.cpus_online = 48;
	machine->cpu_node = realloc(machine->cpu_node, 128 * sizeof(*machine->cpu_node));
	machine->cpu_socket = realloc(machine->cpu_socket, 128 * sizeof(*machine->cpu_socket));
	assert_true(machine->cpu_node && machine->cpu_socket);
	machine->nr_cpus = 128;
	for (i = 0; i < machine->nr_cpus; i++) {
		machine->cpu_node[i] = 0;
		machine->cpu_socket[i] = i < 24 || (i >= 64 && i < 88) ? 0 : -1;
	}
	profile_put(&profile, in("high"));
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		RUN(0, "(numbers of CPUs are known modulo 64 only: CPU 87 is called 23 here)",
		    "%s -i '%s'", views[i], in("high"));
	for (i = 24; i < machine->nr_cpus; i++)
		machine->cpu_socket[i] = -1;
	profile_put(&profile, in("high"));
	profile_free(&profile);
	RUN(0, "samples", "lines -i '%s'", in("high"));
	assert_null(strstr(said, "modulo"));
}

/* What cannot be written at the end is refused before the command runs. */
TEST_WITH(targets_of_record, make, own_folder_remove)
{
	assert_int_equal(symlink("nowhere", in("link")), 0);
	RUN(1, "-o \"\": no name of a file; give one such as memlat.out", "record -o '' -- true");
	RUN(1, ": it is a folder; give the name of a file", "record -o '%s' -- true", own_folder.path);
	RUN(1, "-o /dev/null: it is a device or the like; give the name of a file",
	    "record -o /dev/null -- true");
	RUN(1, ": it is a symbolic link to a file that is not there", "record -o '%s' -- true",
	    in("link"));
	RUN(1, ": cannot write there: No such file or directory", "record -o '%s/no/x' -- true",
	    own_folder.path);
}

TEST_WITH(merges, make, own_folder_remove)
{
	struct profile profile;
	struct bytes file = file_bytes(in("a"));

	RUN(0, "2 sessions in", "fleet '%s' '%s' -o '%s'", in("b"), in("a"), in("c"));
	profile_get(&profile, in("c"), 0);
	assert_int_equal(profile.snap.head.status.samples, 2200);
	assert_int_equal(profile.nr_sessions, 2);
	assert_int_equal(profile.sessions[0], 1000);
	profile_free(&profile);
	RUN(1, "both hold the same session", "fleet '%s' '%s' -o '%s'", in("a"), in("c"), in("d"));
	RUN(1, "different machines or during different boots", "fleet '%s' '%s' -o '%s'", in("a"), in("boot"),
	    in("d"));
	RUN(1, "it is damaged", "fleet '%s' '%s' -o '%s'", in("a"), in("damaged"), in("d"));
	RUN(1, "it is a folder", "fleet '%s' '%s' -o '%s'", in("a"), in("b"), own_folder.path);
	RUN(2, "give two profiles or more", "fleet '%s' -o '%s'", in("a"), in("d"));
	RUN(2, "-o needs a value", "fleet '%s' '%s' -o", in("a"), in("b"));
	RUN(0, "usage: memlat-ctl fleet", "fleet --help");
	assert_int_equal(access(in("d"), F_OK), -1);
	/*
	 * Commands that failed did not change the files. The new file may be one of the old ones.
	 */
	file_is(in("a"), &file);
	RUN(0, NULL, "fleet '%s' '%s' -o '%s'", in("a"), in("b"), in("a"));
	profile_get(&profile, in("a"), 0);
	assert_int_equal(profile.snap.head.status.samples, 2200);
	profile_free(&profile);
	free(file.at);
}

TEST_WITH(diffs, make, own_folder_remove)
{
	/* Profiles of different boots, which diff is made for. */
	RUN(0, "before", "diff '%s' '%s' -n 1", in("a"), in("boot"));
	RUN(0, NULL, "diff '%s' '%s' | head -c 0", in("a"), in("b"));
	RUN(1, "it is damaged", "diff '%s' '%s'", in("a"), in("damaged"));
	RUN(1, "it is cut off", "diff '%s' '%s'", in("short"), in("a"));
	RUN(2, "give two profiles, of before and after", "diff '%s'", in("a"));
	RUN(2, "give two profiles, of before and after", "diff '%s' '%s' '%s'", in("a"),
	    in("b"), in("a"));
	RUN(2, "--by x: rows have no such name; give variable, function, line or type",
	    "diff '%s' '%s' --by x", in("a"), in("b"));
	RUN(2, "leave out one of them", "diff '%s' '%s' --json --csv", in("a"), in("b"));
	RUN(2, "-n -1: out of range", "diff '%s' '%s' -n -1", in("a"), in("b"));
	RUN(2, "-i: no such option", "diff -i '%s'", in("a"));
	RUN(0, "usage: memlat-ctl diff", "diff --help");
}
