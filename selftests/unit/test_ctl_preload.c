// SPDX-License-Identifier: GPL-2.0
/* libmemlat-heap.so with a program that prints what it allocates (heap/program.c). */
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl_test.h"
#include "heap/format.h"
#include "profile/heap.h"

#define FOREVER		(~0ULL)
#define FUNCTION_BYTES	256	/* no function of the program is longer */

static char folder[64];

static int begin(void **state)
{
	strcpy(folder, "/tmp/memlat-test-preload.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	struct dirent *entry;
	DIR *names = opendir(folder);

	while (names && (entry = readdir(names)))
		unlinkat(dirfd(names), entry->d_name, 0);
	closedir(names);
	return rmdir(folder);
}

/* The path of a file of the build to which this test belongs. */
static void built(char path[PATH_MAX], const char *name)
{
	ssize_t got = readlink("/proc/self/exe", path, PATH_MAX - 64);

	assert_true(got > 0);
	path[got] = '\0';
	strcpy(strrchr(path, '/') + 1, name);
}

/* Run it and return its output. *status: as from waitpid(). */
static FILE *run(const char *what, const char *into, int *status)
{
	char library[PATH_MAX], program[PATH_MAX];
	FILE *output = tmpfile();
	pid_t pid;

	assert_non_null(output);
	built(library, "libmemlat-heap.so");
	built(program, "heap_program");
	assert_int_equal(access(library, R_OK), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fileno(output), STDOUT_FILENO);
		setenv("LD_PRELOAD", library, 1);
		if (into)
			setenv("MEMLAT_HEAP_FOLDER", into, 1);
		execl(program, program, what, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, status, 0), pid);
	rewind(output);
	return output;
}

/*
 * Is everything that the program printed in the log? Returns the number of objects that it printed.
 */
static unsigned int compare(const struct heap_log *log, FILE *output)
{
	unsigned long address, function;
	unsigned int told = 0;
	char what[16];
	size_t size;
	int pid;

	while (fscanf(output, "%15s %d %lx %zu %lx", what, &pid, &address, &size,
		      &function) == 5) {
		const struct heap_object *object;
		const struct heap_site *site;

		object = heap_find(log, (__u32)pid, address + size - 1, 0, FOREVER);
		if (!object)
			print_message("%s of %zu bytes by %lx is not there\n", what, size,
				      function);
		assert_non_null(object);
		assert_int_equal(object->start, address);
		assert_int_equal(object->size, size);
		if (strcmp(what, "gone"))
			assert_int_equal(object->until, FOREVER);
		else
			assert_int_not_equal(object->until, FOREVER);
		site = heap_site(log, object->site);
		assert_true(site->frames >= 2 && site->frames <= HEAP_FRAMES);
		assert_true(site->frame[0] > function &&
			    site->frame[0] < function + FUNCTION_BYTES);
		told++;
	}
	fclose(output);
	return told;
}

static struct heap_log *log_read(void)
{
	struct heap_log *log;

	assert_int_equal(heap_log_read(&log, folder), 0);
	assert_int_equal(heap_cut(log), 0);
	return log;
}

static void try(const char *what, unsigned int objects, size_t processes)
{
	struct heap_log *log;
	FILE *output;
	int status;

	output = run(what, folder, &status);
	assert_int_equal(status, 0);
	log = log_read();
	assert_int_equal(heap_lost(log), 0);
	assert_int_equal(heap_processes(log), processes);
	assert_int_equal(compare(log, output), objects);
	heap_log_free(log);
}

TEST_WITH(all_functions, begin, end)
{
	try("kinds", 9, 1);
}

TEST_WITH(after_exec, begin, end)
{
	try("exec", 9, 2);
}

TEST_WITH(threads_and_who_frees_for_them, begin, end)
{
	try("threads", 8, 1);
}

/* A thread continues with the blocks of one that ended, also if libc freed something after it. */
TEST_WITH(threads_in_turn, begin, end)
{
	char path[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *names;

	try("turns", 1, 1);
	names = opendir(folder);
	assert_non_null(names);
	while ((entry = readdir(names))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		assert_int_equal(stat(path, &st), 0);
		if (st.st_size > 16 * HEAP_BLOCK)
			fail_msg("%s: %lld bytes", path, (long long)st.st_size);
	}
	closedir(names);
}

TEST_WITH(children_and_what_they_inherit, begin, end)
{
	try("forks", 3, 21);
}

TEST_WITH(children_without_their_parents_blocks, begin, end)
{
	try("child", 0, 3);
}

/* The two children of it miss the allocation in which they were forked, and no other. */
TEST_WITH(a_fork_in_the_middle_of_an_allocation, begin, end)
{
	struct heap_log *log;
	FILE *output;
	int status;

	output = run("interrupted", folder, &status);
	assert_int_equal(status, 0);
	log = log_read();
	assert_int_equal(heap_lost(log), 2);
	assert_int_equal(heap_processes(log), 3);
	assert_int_equal(compare(log, output), 3);
	heap_log_free(log);
}

TEST_WITH(a_program_that_closes_all_files, begin, end)
{
	try("closes", 8, 1);
}

TEST_WITH(a_program_that_is_killed, begin, end)
{
	struct heap_log *log;
	FILE *output;
	int status;

	output = run("killed", folder, &status);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	log = log_read();
	assert_int_equal(compare(log, output), 1);
	heap_log_free(log);
}

/* When there was no more room in the only file of the folder. */
static __u64 full_since(void)
{
	struct heap_file file = { 0 };
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *names = opendir(folder);
	FILE *opened;

	assert_non_null(names);
	while ((entry = readdir(names))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		opened = fopen(path, "r");
		assert_non_null(opened);
		assert_int_equal(fread(&file, sizeof(file), 1, opened), 1);
		fclose(opened);
	}
	closedir(names);
	return file.full;
}

TEST_WITH(a_program_that_may_not_write, begin, end)
{
	struct heap_log *log;
	FILE *output;
	int status;

	output = run("limited", folder, &status);
	assert_int_equal(status, 0);
	fclose(output);
	log = log_read();
	/* More than its first blocks can hold, and all of it is counted. */
	assert_true(heap_lost(log) > 0);
	assert_true(heap_objects(log) + heap_lost(log) >= 2 * 8 * 2000);
	/* Frees were lost as well, and the file says since when. */
	assert_true(full_since() > 0);
	heap_log_free(log);
}

TEST_WITH(a_program_that_may_not_open, begin, end)
{
	int status;

	fclose(run("no files", folder, &status));
	assert_int_equal(status, 0);
}

TEST_WITH(without_a_folder_nothing_is_noted, begin, end)
{
	static const char *const folders[] = { NULL, "", "relative", "/nowhere/at/all" };
	unsigned int i;
	int status;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		fclose(run("threads", folders[i], &status));
		assert_int_equal(status, 0);
	}
	assert_int_equal(access("/nowhere", F_OK), -1);
}
