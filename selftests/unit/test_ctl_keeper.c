// SPDX-License-Identifier: GPL-2.0
/* Names that stay: the keeper, its answers, and deleted files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../signal_child.h"
#include "profile/history.h"
#include "profile/keeper.h"
#include "record/keeper.h"
#include "ctl_profile.h"
#include "ctl_test.h"

#define STARTED	4711

static struct folder folder;
static pid_t keeper;	/* of the test that runs; 0: none */

static int begin(void **state)
{
	folder_make(&folder);
	keeper = 0;
	return 0;
}

static int end(void **state)
{
	/* The test has failed, or it would have waited for the keeper's end. */
	if (keeper && !waitpid(keeper, NULL, WNOHANG)) {
		signal_child(keeper, SIGKILL);
		waitpid(keeper, NULL, 0);
	}
	/* Programs of this machine that were deleted in between are kept, too. */
	kept_files_remove(folder_file(&folder, "names-4711.files"));
	kept_files_remove(folder_file(&folder, "names-4712.files"));
	folder_remove(&folder);
	return 0;
}

static struct history *ask(struct keeper_told *told)
{
	return keeper_ask(folder.path, STARTED, NULL, 0, false, told);
}

TEST_WITH(nobody_keeps_anything, begin, end)
{
	struct keeper_told told;

	assert_null(ask(&told));
	assert_int_equal(told.state, KEEPER_NONE);
}

TEST_WITH(what_is_left_and_no_answer, begin, end)
{
	static const struct keeper_answer wrong[] = {
		{ .magic = KEEPER_MAGIC, .started_ns = STARTED, .size = 8 },
		{ .magic = KEEPER_MAGIC, .started_ns = STARTED + 1 },
		{ .magic = KEEPER_MAGIC, .started_ns = STARTED, .size = ~0ULL },
		{ .magic = 1, .started_ns = STARTED },
	};
	struct keeper_told told;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		FILE *file = fopen(folder_file(&folder, "names-4711"), "w");

		fwrite(&wrong[i], sizeof(wrong[i]), 1, file);
		fclose(file);
		assert_null(ask(&told));
		assert_int_equal(told.state, KEEPER_DIED);
	}
}

/* What the module would say about a session. */
static void session_is(const char *cpus, const char *state, unsigned int started)
{
	FILE *file = fopen(folder_file(&folder, "new"), "w");

	fprintf(file, "model skx\nstate %s\nended none\nstarted_ns %u\n", state, started);
	fclose(file);
	assert_int_equal(rename(folder_file(&folder, "new"), folder_file(&folder, "status")), 0);
	file = fopen(folder_file(&folder, "new"), "w");
	fprintf(file, "%s\n", cpus);
	fclose(file);
	assert_int_equal(rename(folder_file(&folder, "new"), folder_file(&folder, "cpus")), 0);
}

/* False: the kernel does not report processes here. */
static bool keeper_made(struct keeper_child *child)
{
	const struct keeper_place place = { .folder = folder.path, .sys = folder.path };

	session_is("0-1", "running", STARTED);
	keeper_begin(child, &place, 0);
	if (child->error == EACCES || child->error == EPERM || child->error == ENOSYS) {
		print_message("# the kernel does not tell of processes here\n");
		return false;
	}
	assert_int_equal(child->error, 0);
	keeper = child->pid;
	return true;
}

static void wait_until_gone(const char *path)
{
	unsigned int tries;

	for (tries = 0; tries < 1000 && !access(path, F_OK); tries++)
		usleep(10000);
	assert_int_equal(access(path, F_OK), -1);
}

static pid_t run_true(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return pid;
}

/* The keeper's answer about a process that has ended. */
static struct history *ask_for(pid_t pid, struct keeper_told *told)
{
	const __u32 pids[] = { (__u32)pid };
	struct history *kept = keeper_ask(folder.path, STARTED, pids, 1, false, told);

	assert_non_null(kept);
	history_settle(kept, NULL);
	return kept;
}

static bool is_known(const struct history *kept, pid_t pid)
{
	const struct history_image *image = history_find(kept, (__u32)pid, 0);

	return image && !strcmp(image->comm, "true") && image->until != ~0ULL &&
	       image->nr_maps > 3;
}

/* How many events the keeper has lost. The ring of a CPU tells so with its next event. */
static __u64 lost(void)
{
	int fd = open("/proc/self/exe", O_RDONLY), cpu;
	struct keeper_told told;
	struct history *kept;
	cpu_set_t all, one;
	__u64 events;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), 4096);
	}
	sched_setaffinity(0, sizeof(all), &all);
	close(fd);
	kept = ask_for(getpid(), &told);
	events = history_lost_events(kept);
	history_free(kept);
	return events;
}

/* The whole keeper, if it may listen to the kernel: a process that has ended is known. */
TEST_WITH(a_keeper_keeps, begin, end)
{
	struct keeper_child child;
	struct keeper_told told;
	struct history *kept;
	__u64 before, now = 0;
	__u32 pids[1];
	pid_t pid;
	int status;

	if (!keeper_made(&child))
		skip();
	keeper_stay(&child, STARTED);
	assert_int_equal(child.error, 0);
	/* While others keep the machine busy, rings overflow. Then another process has to do. */
	for (;;) {
		pid = run_true();
		kept = ask_for(pid, &told);
		if (is_known(kept, pid))
			break;
		before = now;
		now = lost();
		if (now == before)
			break;
		history_free(kept);
	}
	pids[0] = (__u32)pid;
	assert_int_equal(told.state, KEEPER_HERE);
	assert_int_equal(told.pid, child.pid);
	assert_string_equal(history_find(kept, pids[0], 0)->comm, "true");
	assert_true(history_find(kept, pids[0], 0)->until != ~0ULL);
	assert_true(history_find(kept, pids[0], 0)->nr_maps > 3);
	history_free(kept);
	/* It is told to end, and leaves everything that was requested. */
	kept = keeper_ask(folder.path, STARTED, pids, 1, true, &told);
	assert_non_null(kept);
	history_free(kept);
	assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
	assert_int_equal(status, 0);
	kept = keeper_ask(folder.path, STARTED, pids, 1, false, &told);
	assert_non_null(kept);
	assert_int_equal(told.state, KEEPER_OVER);
	history_settle(kept, NULL);
	assert_string_equal(history_find(kept, pids[0], 0)->comm, "true");
	history_free(kept);
}

/* The socket ends with the session. If the session ended by itself, a file stays. */
TEST_WITH(a_keeper_ends_with_the_session, begin, end)
{
	struct keeper_child child;
	struct keeper_told told;
	struct history *kept;
	int status;

	if (!keeper_made(&child))
		skip();
	keeper_stay(&child, STARTED);
	assert_int_equal(child.error, 0);
	session_is("", "idle", STARTED);
	wait_until_gone(folder_file(&folder, "names-4711.socket"));
	assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
	kept = ask(&told);
	assert_non_null(kept);
	assert_int_equal(told.state, KEEPER_OVER);
	history_settle(kept, NULL);
	assert_non_null(history_find(kept, (__u32)getpid(), 0));
	history_free(kept);

	/* The next keeper removes that file. Its own is removed with its tables. */
	assert_true(keeper_made(&child));
	keeper_stay(&child, STARTED + 1);
	assert_null(ask(&told));
	assert_int_equal(told.state, KEEPER_NONE);
	session_is("", "running", STARTED + 2);
	assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
	assert_int_equal(access(folder_file(&folder, "names-4712.socket"), F_OK), -1);
	assert_int_equal(access(folder_file(&folder, "names-4712"), F_OK), -1);
}

TEST_WITH(a_keeper_that_is_killed_is_missed, begin, end)
{
	struct keeper_child child;
	struct keeper_told told;
	int status;

	if (!keeper_made(&child))
		skip();
	keeper_stay(&child, STARTED);
	signal_child(child.pid, SIGKILL);
	assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
	assert_null(ask(&told));
	assert_int_equal(told.state, KEEPER_DIED);
}

TEST_WITH(a_keeper_of_no_session_leaves_nothing, begin, end)
{
	struct keeper_child child;
	int status;

	if (!keeper_made(&child))
		skip();
	keeper_drop(&child);
	assert_int_equal(waitpid(child.pid, &status, 0), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(access(folder_file(&folder, "names-4711.socket"), F_OK), -1);
}

/* Nobody else may put names there. */
TEST_WITH(a_folder_of_everybodys_is_refused, begin, end)
{
	struct keeper_child child;
	const struct keeper_place place = { .folder = folder.path, .sys = folder.path };

	assert_int_equal(chmod(folder.path, 0777), 0);
	keeper_begin(&child, &place, 0);
	assert_int_equal(child.error, EPERM);
}

/* Run a copy of sleep with that name, and find its first executable mapping. */
static pid_t run_copy(const char *path, struct history_map *map)
{
	char command[512], maps[64], line[512];
	unsigned long long start, last;
	char *go = path ? strdup(path) : NULL;
	struct stat st;
	pid_t pid;
	FILE *file;

	snprintf(command, sizeof(command), "cp /bin/sleep %s", path);
	assert_int_equal(system(command), 0);
	pid = fork();
	if (!pid) {
		execl(path, "sleep", "1000", NULL);
		_exit(1);
	}
	memset(map, 0, sizeof(*map));
	snprintf(maps, sizeof(maps), "/proc/%d/maps", pid);
	while (!map->start) {
		file = fopen(maps, "r");
		while (fgets(line, sizeof(line), file))
			if (strstr(line, path) && strstr(line, "r-xp") &&
			    sscanf(line, "%llx-%llx", &start, &last) == 2) {
				map->start = start;
				map->end = last;
			}
		fclose(file);
	}
	map->prot = PROT_READ | PROT_EXEC;
	assert_int_equal(stat(path, &st), 0);
	map->inode = st.st_ino;
	map->path = go;
	map->build_id_size = 4;
	memcpy(map->build_id, "\xab\xcd\x01\x02", 4);
	return pid;
}

static void end_copy(pid_t pid, struct history_map *map)
{
	signal_child(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	free((void *)(uintptr_t)map->path);
}

TEST_WITH(a_deleted_program_is_copied, begin, end)
{
	const char *copies = folder_file(&folder, "names-4711.files");
	struct kept_files files = { .folder = copies, .most = 1 << 20 };
	char command[512], path[256];
	struct history_map map;
	pid_t pid;

	snprintf(path, sizeof(path), "%s", folder_file(&folder, "program"));
	pid = run_copy(path, &map);
	kept_files_mapped(&files, (__u32)pid, &map);
	/* Everybody can open the file where it is, so it is not kept. */
	kept_files_ended(&files, (__u32)pid);
	assert_int_equal(files.copies, 0);
	assert_int_equal(access(copies, F_OK), -1);
	kept_files_mapped(&files, (__u32)pid, &map);
	/* Another process's end does not matter. The file is kept once. */
	kept_files_mapped(&files, (__u32)pid + 1, &map);
	kept_files_ended(&files, (__u32)pid + 1);
	assert_int_equal(unlink(path), 0);
	kept_files_ended(&files, (__u32)pid);
	end_copy(pid, &map);
	assert_int_equal(files.copies, 1);
	assert_int_equal(files.lost, 0);
	snprintf(command, sizeof(command), "cmp -s /bin/sleep %s/.build-id/ab/cd0102", copies);
	assert_int_equal(system(command), 0);
	assert_int_equal(files.nr_held, 0);
	free(files.held);
	free(files.stored);
	kept_files_remove(copies);
	assert_int_equal(access(copies, F_OK), -1);
}

/* The mapping has changed since, and another program has got the path: it is not what was mapped. */
TEST_WITH(a_program_in_the_place_of_another_is_not_taken, begin, end)
{
	const char *copies = folder_file(&folder, "names-4711.files");
	struct kept_files files = { .folder = copies, .most = 1 << 20 };
	char command[512], path[256];
	struct history_map map;
	pid_t pid;

	snprintf(path, sizeof(path), "%s", folder_file(&folder, "program"));
	pid = run_copy(path, &map);
	map.end += 1 << 20;
	/* Its build id is another one. */
	kept_files_mapped(&files, (__u32)pid, &map);
	assert_int_equal(files.nr_held, 0);
	/* None was told, and the file is the same. */
	files.told = false;
	map.build_id_size = 0;
	kept_files_mapped(&files, (__u32)pid, &map);
	assert_in_range(map.build_id_size, 8, HISTORY_BUILD_ID_MAX);
	assert_int_equal(files.nr_held, 1);
	kept_files_end(&files);
	files = (struct kept_files){ .folder = copies, .most = 1 << 20 };
	/* Now it is another file. */
	snprintf(command, sizeof(command), "cp /bin/true %s.new && mv %s.new %s", path, path, path);
	assert_int_equal(system(command), 0);
	map.build_id_size = 0;
	kept_files_mapped(&files, (__u32)pid, &map);
	assert_int_equal(map.build_id_size, 0);
	assert_int_equal(files.nr_held, 0);
	kept_files_end(&files);
	end_copy(pid, &map);
}

/* Kernels before 5.12 tell no build ids, so it is read from the file that was mapped. */
TEST_WITH(a_build_id_that_was_not_told_is_read, begin, end)
{
	const char *copies = folder_file(&folder, "names-4711.files");
	struct kept_files files = { .folder = copies, .most = 1 << 20 };
	char command[512], path[256];
	struct history_map map, other;
	unsigned int i;
	pid_t pid;

	snprintf(path, sizeof(path), "%s", folder_file(&folder, "program"));
	pid = run_copy(path, &map);
	for (i = 0; i < 3; i++) {
		/* First a segment of data, which names need, too. */
		map.prot = i ? PROT_READ | PROT_EXEC : PROT_READ;
		map.build_id_size = 0;
		memset(map.build_id, 0, sizeof(map.build_id));
		kept_files_mapped(&files, (__u32)pid, &map);
		assert_in_range(map.build_id_size, 8, HISTORY_BUILD_ID_MAX);
		assert_int_equal(files.nr_held, !!i);
	}
	/* Where the kernel tells them, a file without one has none. */
	other = map;
	kept_files_mapped(&files, (__u32)pid, &other);
	other.build_id_size = 0;
	kept_files_mapped(&files, (__u32)pid, &other);
	assert_int_equal(other.build_id_size, 0);
	assert_int_equal(unlink(path), 0);
	kept_files_ended(&files, (__u32)pid);
	end_copy(pid, &map);
	assert_int_equal(files.copies, 1);
	snprintf(command, sizeof(command), "cmp -s /bin/sleep %s/.build-id/%02x/%02x*", copies,
		 map.build_id[0], map.build_id[1]);
	assert_int_equal(system(command), 0);
	free(files.held);
	free(files.stored);
	kept_files_remove(copies);
}

/* As many files are held as there may be, and one more: the oldest has to make room. */
TEST_WITH(a_deleted_program_makes_room, begin, end)
{
	const char *copies = folder_file(&folder, "names-4711.files");
	struct kept_files files = { .folder = copies, .most = 1 << 20 };
	struct history_map map, other;
	char path[256];
	unsigned int i;
	pid_t pid, pid_other;

	snprintf(path, sizeof(path), "%s", folder_file(&folder, "program"));
	pid = run_copy(path, &map);
	pid_other = run_copy(folder_file(&folder, "other"), &other);
	kept_files_mapped(&files, (__u32)pid, &map);
	assert_int_equal(unlink(path), 0);
	for (i = 1; i <= 512; i++) {
		memcpy(other.build_id, &i, sizeof(i));
		kept_files_mapped(&files, (__u32)pid_other, &other);
	}
	assert_int_equal(files.nr_held, 512);
	assert_int_equal(files.copies + files.lost, 1);
	kept_files_ended(&files, (__u32)pid);
	kept_files_ended(&files, (__u32)pid_other);
	end_copy(pid, &map);
	end_copy(pid_other, &other);
	assert_int_equal(files.copies + files.lost, 1);
	assert_int_equal(files.nr_held, 0);
	free(files.held);
	free(files.stored);
	kept_files_remove(copies);
}
