// SPDX-License-Identifier: GPL-2.0
/* The parts of record that need no device: the command, the kernel's events, the folder. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/format.h"
#include "profile/history_internal.h"
#include "profile/intervals.h"
#include "record/engine.h"
#include "record/follow.h"
#include "record/recording.h"
#include "record/take.h"
#include "ctl_output.h"
#include "ctl_own.h"
#include "ctl_profile.h"
#include "ctl_test.h"

static sigset_t mask;

static int block(void **state)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	return sigprocmask(SIG_BLOCK, &set, &mask);
}

static int unblock(void **state)
{
	return sigprocmask(SIG_SETMASK, &mask, NULL);
}

static void run(struct child *child, char *const words[], char *const environment[])
{
	assert_int_equal(child_make(child, words, &mask, environment, -1), 0);
	assert_true(child->pid > 0);
	assert_false(child_ended(child));
}

TEST_WITH(a_command_and_its_status, block, unblock)
{
	char *const environment[] = { "MEMLAT_TEST=5", NULL };
	char *const words[] = { "sh", "-c", "exit $MEMLAT_TEST", NULL };
	char *const killed[] = { "sh", "-c", "kill -TERM $$", NULL };
	struct child child;

	run(&child, words, environment);
	assert_int_equal(child_go(&child), 0);
	assert_true(child_wait(&child, 60000));
	assert_int_equal(child_status(&child), 5);
	assert_int_equal(child.pid, 0);
	/* It does not have the test's signals blocked. */
	run(&child, killed, NULL);
	assert_int_equal(child_go(&child), 0);
	assert_true(child_wait(&child, 60000));
	assert_int_equal(child_status(&child), 128 + SIGTERM);
}

TEST_WITH(a_command_that_cannot_be, block, unblock)
{
	char *const missing[] = { "memlat-no-such-command", NULL };
	char *const folder[] = { "/tmp", NULL };
	struct child child;

	run(&child, missing, NULL);
	assert_int_equal(child_go(&child), ENOENT);
	assert_int_equal(child.pid, 0);
	run(&child, folder, NULL);
	assert_int_equal(child_go(&child), EACCES);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* From now on there are no sockets, as in a kernel without CONFIG_UNIX. */
static bool lose_sockets(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socketpair, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Returns the command's status, or why there is none. */
static int status_without_sockets(void)
{
	char *const words[] = { "sh", "-c", "exit 5", NULL };
	struct child child;
	int none[2];

	if (!lose_sockets() || !socketpair(AF_UNIX, SOCK_STREAM, 0, none))
		return 1;
	if (child_make(&child, words, &mask, NULL, -1))
		return 2;
	if (child_go(&child) || !child_wait(&child, 60000))
		return 3;
	return child_status(&child);
}

TEST_WITH(a_command_on_a_kernel_without_sockets, block, unblock)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(status_without_sockets());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
}

/* The command is held until it is released. If it is not released, it never runs. */
TEST_WITH(a_command_that_is_dropped, block, unblock)
{
	char marker[] = "/tmp/memlat-test-marker.XXXXXX";
	char *words[] = { "rm", marker, NULL };
	struct child child;
	int fd = mkstemp(marker);

	assert_true(fd >= 0);
	close(fd);
	run(&child, words, NULL);
	assert_false(child_wait(&child, 50));
	child_drop(&child);
	assert_int_equal(access(marker, F_OK), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	unlink(marker);
}

/* A pipe whose other end only this process has. The command ends when this end is closed. */
TEST_WITH(what_ends_with_us, block, unblock)
{
	char *const words[] = { "true", NULL };
	struct pollfd other = { .events = POLLIN };
	struct child child;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(child_make(&child, words, &mask, NULL, ends[1]), 0);
	close(ends[1]);
	other.fd = ends[0];
	assert_int_equal(poll(&other, 1, 60000), 1);
	assert_int_equal(other.revents, POLLHUP);
	assert_false(child_ended(&child));
	close(ends[0]);
	child_drop(&child);
}

/* A module that does not know the flag would refuse the start. */
static void set_where_known(void (*set)(struct memlat_config *, const struct memlat_query *),
			    __u32 other, __u32 flag)
{
	struct memlat_query query = { .flags = MEMLAT_F_ALL };
	struct memlat_config config = { .flags = other };

	set(&config, &query);
	assert_int_equal(config.flags, other | flag);
	config.flags = other;
	query.flags = flag - 1;
	set(&config, &query);
	assert_int_equal(config.flags, other);
}

TEST_WITH(tied_and_counted_where_it_is_known, block, unblock)
{
	set_where_known(recording_tie, MEMLAT_F_USER, MEMLAT_F_TIED);
	set_where_known(recording_count, MEMLAT_F_LOADS, MEMLAT_F_COUNT);
}

TEST_WITH(what_the_kernel_tells, block, unblock)
{
	char *const words[] = { "sh", "-c", "(exec cat /dev/null); exit 0", NULL };
	const struct history_image *image = NULL;
	struct history *history = history_new();
	struct collect collect = { 0 };
	struct child child;
	unsigned int shells = 0, cats = 0;
	__u32 pid;
	size_t i, k;
	int ret;

	assert_non_null(history);
	run(&child, words, NULL);
	pid = (__u32)child.pid;
	ret = collect_begin(&collect, history, RING_PAGES);
	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS) {
		print_message("# the kernel tells this user nothing: %s\n", strerror(-ret));
		child_drop(&child);
		collect_end(&collect);
		history_free(history);
		skip();
	}
	assert_int_equal(ret, 0);
	history_read_live(history, pid);
	assert_int_equal(child_go(&child), 0);
	assert_true(child_wait(&child, 60000));
	collect_read(&collect);
	collect_end(&collect);
	history_settle(history, NULL);
	assert_int_equal(history_lost_events(history), 0);
	for (i = 0; i < history->nr_images; i++) {
		image = &history->images[i];
		if (image->pid == pid && image->from == 0) {
			/* The process was this very test until it executed the shell. */
			assert_non_null(history_map_at(image, (__u64)(uintptr_t)what_the_kernel_tells));
			assert_true(image->until < ~0ULL);
		} else if (image->pid == pid) {
			assert_string_equal(image->comm, "sh");
			shells++;
		}
		if (image->parent != pid || strcmp(image->comm, "cat"))
			continue;
		cats++;
		assert_true(image->until > image->from && image->until < ~0ULL);
		for (k = 0; k < image->nr_maps; k++)
			if (image->maps[k].path[0] == '/' && strstr(image->maps[k].path, "libc"))
				break;
		assert_true(k < image->nr_maps);
		assert_true(image->maps[k].build_id_size || image->maps[k].inode);
	}
	assert_int_equal(shells, 1);
	assert_int_equal(cats, 1);
	history_free(history);
}

TEST_WITH(a_folder_for_the_heap, block, unblock)
{
	struct preload preload;
	char folder[PATH_MAX], path[PATH_MAX + 8], library[PATH_MAX];
	struct stat st;
	int fd;

	/* The build has the library beside the test, as beside memlat-ctl. */
	assert_true(heap_library_find(library));
	setenv("LD_PRELOAD", "", 1);
	assert_true(preload_begin(&preload));
	strcpy(folder, preload.folder);
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_string_equal(strchr(preload.environment[0], '=') + 1, library);
	assert_string_equal(strchr(preload.environment[1], '=') + 1, folder);
	assert_null(preload.environment[2]);
	snprintf(path, sizeof(path), "%s/1.0", folder);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	preload_end(&preload);
	assert_int_equal(stat(folder, &st), -1);
	/* What was preloaded before is still preloaded. */
	setenv("LD_PRELOAD", "/other.so", 1);
	assert_true(preload_begin(&preload));
	assert_non_null(strstr(preload.environment[0], ":/other.so"));
	preload_end(&preload);
	unsetenv("LD_PRELOAD");
	setenv("TMPDIR", "/nowhere", 1);
	assert_false(preload_begin(&preload));
	unsetenv("TMPDIR");
}

/* What take_profile() would read of the module. */
int snapshot_read(struct snapshot *snap, int fd)
{
	const bool keep = snap->keep_stream;

	sample_snapshot(snap);
	snap->keep_stream = keep;
	return 0;
}

/* Run take_profile() without a device, and keep what it says. Privileges are dropped for good. */
static void take_apart(struct take *take, char *said, size_t room)
{
	struct caught err;
	int status;
	pid_t pid;

	output_catch(&err, STDERR_FILENO);
	pid = fork();
	if (!pid) {
		take->history = history_new();
		status = take_profile(take);
		if (take->intervals)
			interval_free(take->intervals);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	output_end(&err, said, room);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("wait status %#x: %s", status, said);
}

/* A file that the library could not begin, as on a full disk, is told as what it is. */
TEST_WITH(a_heap_file_without_room, own_folder_make, own_folder_remove)
{
	static const unsigned char rest[HEAP_BLOCK - sizeof(struct heap_file)];
	const struct heap_file good = { .magic = HEAP_MAGIC, .pid = 71, .from = 1, .blocks = 1 };
	struct memlat_query query = { .model_name = "skx" };
	struct cgroups cgroups = { 0 };
	struct take take = {
		.query = &query, .cgroups = &cgroups, .unseen = true, .file = in("profile"),
	};
	char folder[300], path[340], said[1024];
	struct snapshot snap;
	FILE *file;

	sample_snapshot(&snap);
	take.started_ns = snap.head.status.started_ns;
	snapshot_free(&snap);
	snprintf(folder, sizeof(folder), "%s", in("heap"));
	assert_int_equal(mkdir(folder, 0700), 0);
	take.heap_folder = folder;
	snprintf(path, sizeof(path), "%s/71.0", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(&good, sizeof(good), 1, file), 1);
	assert_int_equal(fwrite(rest, sizeof(rest), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	snprintf(path + strlen(path) - 4, 5, "72.0");
	file_put(path, "", 0);
	take_apart(&take, said, sizeof(said));
	unlink(path);
	snprintf(path + strlen(path) - 4, 5, "71.0");
	unlink(path);
	rmdir(folder);
	if (strstr(said, "0 were not") || !strstr(said, "what 1 program allocated is not known"))
		fail_msg("%s", said);
}

/* The last interval covers what came after the snapshot that failed, and the message says so. */
TEST_WITH(an_interval_that_could_not_end, own_folder_make, own_folder_remove)
{
	struct memlat_query query = { .model_name = "skx" };
	struct interval_run run = { .kept = intervals_new(1000000000ULL), .error = -ENOMEM };
	struct cgroups cgroups = { 0 };
	struct take take = {
		.query = &query, .cgroups = &cgroups, .intervals = &run, .unseen = true,
		.file = in("profile"),
	};
	struct profile profile;
	struct snapshot snap;
	char said[1024];

	sample_snapshot(&snap);
	take.started_ns = run.started_ns = snap.head.status.started_ns;
	snapshot_free(&snap);
	take_apart(&take, said, sizeof(said));
	interval_free(&run);
	profile_get(&profile, in("profile"), 0);
	assert_non_null(profile.intervals);
	assert_int_equal(profile.intervals->nr, 1);
	assert_int_equal(profile.intervals->at[0].to_ns, profile.snap.head.status.duration_ns);
	profile_free(&profile);
	if (strstr(said, "end early") || !strstr(said, "(the last interval lasts until the end"))
		fail_msg("%s", said);
}
