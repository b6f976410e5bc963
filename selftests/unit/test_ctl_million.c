// SPDX-License-Identifier: GPL-2.0
/*
 * A large profile is read and sorted at once and in little memory: a million lines in
 * under two seconds, in less than four times the file's size. Under sanitizers, where
 * all is slower and larger, a tenth of that; MEMLAT_LINES sets another number.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl_profile.h"

#include "lib/account.h"
#include "lib/line.h"

#define LINES_DEFAULT	100000
#define SECONDS		2.0
#define MEMORY		4	/* times the file's size */

static struct folder folder;
static size_t nr_lines;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* What it took of a CPU: others that run here at the same time are not its doing. */
static double cpu_seconds(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static __u64 cost_of(size_t line)
{
	/* In no order, and each one once as long as the lines are fewer than 2^20. */
	return line * 2654435761U % (1U << 20);
}

static int make(void **state)
{
	const char *wanted = getenv("MEMLAT_LINES");
	const struct memlat_rec_line sample = { .samples = 1, .weight = 1009 };
	struct profile profile;
	struct snapshot *snap = &profile.snap;
	size_t i;

	nr_lines = wanted ? strtoul(wanted, NULL, 10) : LINES_DEFAULT;
	if (!nr_lines)
		return -1;
	folder_make(&folder);
	sample_profile(&profile);
	snap->lines = realloc(snap->lines, nr_lines * sizeof(*snap->lines));
	if (!snap->lines)
		return -1;
	for (i = 0; i < nr_lines; i++) {
		snap->lines[i] = sample;
		snap->lines[i].addr = i * MEMLAT_LINE_BYTES;
		snap->lines[i].space = 71;
		snap->lines[i].cost = cost_of(i);
	}
	snap->nr_lines = nr_lines;
	profile_put(&profile, folder_file(&folder, "million"));
	profile_free(&profile);
	return 0;
}

static int done(void **state)
{
	folder_remove(&folder);
	return 0;
}

/* What a view does with it, in a process of its own so that its memory can be told. */
static int read_and_sort(const char *path)
{
	char why[PROFILE_ERROR_MAX];
	struct profile profile;
	size_t i;

	if (profile_read(&profile, path, 1U << MEMLAT_REC_LINE, why) ||
	    profile.snap.nr_lines != nr_lines)
		return 1;
	line_sort(profile.snap.lines, profile.snap.nr_lines, LINE_BY_COST);
	for (i = 1; i < nr_lines; i++)
		if (profile.snap.lines[i].cost > profile.snap.lines[i - 1].cost)
			return 2;
	profile_free(&profile);
	return 0;
}

static void read_sorted(void **state)
{
	const char *path = folder_file(&folder, "million");
	struct rusage before, usage;
	struct stat file;
	double start, seconds;
	int status;
	pid_t pid;

	assert_int_equal(stat(path, &file), 0);
	/* What a process has to begin with, sanitizers and all. */
	pid = fork();
	if (!pid)
		_exit(0);
	assert_int_equal(wait4(pid, &status, 0, &before), pid);
	start = now();
	pid = fork();
	if (!pid)
		_exit(read_and_sort(path));
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	seconds = now() - start;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	print_message("# %zu lines: %.2f s, %.2f s of CPU, %ld KiB of memory for a file of %lld KiB\n",
		      nr_lines, seconds, cpu_seconds(&usage), usage.ru_maxrss - before.ru_maxrss,
		      (long long)file.st_size / 1024);
	assert_true((usage.ru_maxrss - before.ru_maxrss) * 1024LL < MEMORY * file.st_size);
	assert_true(cpu_seconds(&usage) < SECONDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(read_sorted, make, done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
