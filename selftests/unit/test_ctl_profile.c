// SPDX-License-Identifier: GPL-2.0
/* The profile file: written and read again, and errors of writing. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl_profile.h"

#include "profile/file_format.h"
#include "profile/history.h"
#include "profile/snapshot.h"

/* What was written is what is read: test_ctl_property says that of all that a file has. */
TEST_WITH(who_was_recorded, own_folder_make, own_folder_remove)
{
	struct bytes file = written(in("a"));
	struct profile profile;

	profile_get(&profile, in("a"), 0);
	assert_false(profile.live);
	assert_int_equal(profile.recorded_at, 1790000000);
	assert_string_equal(profile.machine.host, "lab");
	assert_int_equal(machine_node(&profile.machine, 2), 1);
	assert_int_equal(machine_node(&profile.machine, 4), -1);
	assert_string_equal(history_map_at(history_find(profile.history, SAMPLE_GONE_PID, 0), 0x401136)->path,
			    "/tmp/\033[2J/chase");
	assert_int_equal(history_lost_events(profile.history), 2);
	assert_int_equal(heap_lost(profile.heap), 3);
	assert_string_equal(kernel_row_at(profile.kernel, KERNEL_CODE, 0xffffffff81000010)->name, "poll_idle");
	profile_free(&profile);
	free(file.at);
}

/* Tables that are not requested are not kept, but they are checked. */
TEST_WITH(some_tables, own_folder_make, own_folder_remove)
{
	struct bytes file = written(in("a"));
	struct profile profile;
	char why[PROFILE_ERROR_MAX];

	profile_get(&profile, in("a"), 1U << MEMLAT_REC_SITE);
	assert_int_equal(profile.snap.nr_lines, 0);
	assert_int_equal(profile.snap.nr_sites, 2);
	assert_int_equal(profile.snap.nr_threads, 2);
	assert_int_equal(profile.snap.nr_accesses, 0);
	assert_int_equal(profile.snap.sum[TABLE_LINES].rows, 3);
	assert_int_equal(profile.snap.sum[TABLE_LINES].samples, 1096);
	assert_true(snapshot_has(&profile.snap, TABLE_SITES));
	assert_false(snapshot_has(&profile.snap, TABLE_LINES));
	assert_null(account_snapshot_broken(&profile.snap));
	/* Half of it is no profile. */
	assert_int_equal(profile_write(&profile, in("b"), why), -EINVAL);
	assert_true(access(in("b"), F_OK));
	profile_free(&profile);
	free(file.at);
}

/* The bytes that the device returned stay as they are, also types that are not known here. */
TEST_WITH(stream_is_kept, own_folder_make, own_folder_remove)
{
	unsigned char strange[64] = { 0 }, longer[MEMLAT_REC_MAX];
	struct stream stream = { 0 }, plain = { 0 };
	static const __u64 slots[MEMLAT_LINE_SLOTS];
	struct profile profile;
	struct bytes file;

	sample_profile(&profile);
	snapshot_free(&profile.snap);
	stream_add_status(&stream);
	stream_add_buckets(&stream);
	stream_add_raw(&stream);
	memset(strange, 0x5a, sizeof(strange));
	stream_add(&stream, 4711, strange, sizeof(strange));
	stream_add_line(&plain, 0x1000, 1, slots);
	memset(longer, 0xa5, sizeof(longer));
	memcpy(longer, plain.bytes, plain.used);
	stream_add(&stream, MEMLAT_REC_LINE, longer, plain.used + 64);
	stream_add_end(&stream);
	assert_int_equal(snapshot_feed(&profile.snap, stream.bytes, stream.used), 0);
	profile.snap.stream = malloc(stream.used);
	assert_non_null(profile.snap.stream);
	memcpy(profile.snap.stream, stream.bytes, stream.used);
	profile.snap.stream_bytes = stream.used;
	profile_put(&profile, in("a"));
	profile_free(&profile);

	file = file_bytes(in("a"));
	assert_memory_equal(section_at(&file, SECTION_SNAPSHOT) +
			    sizeof(struct profile_section), stream.bytes, stream.used);
	free(file.at);
	profile_get(&profile, in("a"), 0);
	assert_int_equal(profile.snap.skipped, 1);
	assert_int_equal(profile.snap.lines[0].addr, 0x1000);
	profile_free(&profile);
}

/* A session without a sample is a profile, too. */
TEST_WITH(no_samples, own_folder_make, own_folder_remove)
{
	struct memlat_rec_status status = {
		.abi_version = MEMLAT_ABI_VERSION, .model_name = "skx",
	};
	struct profile profile;
	struct stream stream = { 0 };
	struct memlat_rec_buckets *buckets;

	sample_profile(&profile);
	snapshot_free(&profile.snap);
	stream_add(&stream, MEMLAT_REC_STATUS, &status, sizeof(status));
	stream_add_buckets(&stream);
	buckets = (void *)(stream.bytes + sizeof(status));
	memset(buckets->count, 0, sizeof(buckets->count));
	memset(buckets->weight, 0, sizeof(buckets->weight));
	memset(buckets->latency, 0, sizeof(buckets->latency));
	stream_add(&stream, MEMLAT_REC_RAW, &(struct memlat_rec_raw){ 0 },
		   sizeof(struct memlat_rec_raw));
	stream_add_end(&stream);
	assert_int_equal(snapshot_feed(&profile.snap, stream.bytes, stream.used), 0);
	profile_put(&profile, in("a"));
	profile_free(&profile);
	profile_get(&profile, in("a"), 0);
	assert_int_equal(profile.snap.head.status.samples, 0);
	assert_int_equal(profile.snap.nr_lines, 0);
	assert_int_equal(snapshot_cost(&profile.snap), 0);
	assert_null(account_snapshot_broken(&profile.snap));
	profile_free(&profile);
}

static unsigned int entries(void)
{
	DIR *listing = opendir(own_folder.path);
	unsigned int count = 0;

	assert_non_null(listing);
	while (readdir(listing))
		count++;
	closedir(listing);
	return count - 2;
}

/* If the file cannot be written, the old one stays, and nothing else is left. */
TEST_WITH(failing_writes, own_folder_make, own_folder_remove)
{
	struct rlimit limit, before;
	struct profile profile;
	struct bytes file = written(in("a"));
	char why[PROFILE_ERROR_MAX];
	size_t size;

	sample_profile(&profile);
	profile.recorded_at++;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	for (size = 0; size < file.size; size += 1 + file.size / 50) {
		limit.rlim_cur = size;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		assert_int_equal(profile_write(&profile, in("a"), why), -EFBIG);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		assert_string_equal(why, strerror(EFBIG));
		file_is(in("a"), &file);
		assert_int_equal(entries(), 1);
	}
	profile_put(&profile, in("a"));
	profile_free(&profile);
	profile_get(&profile, in("a"), 0);
	assert_int_equal(profile.recorded_at, 1790000001);
	profile_free(&profile);
	free(file.at);
}

/* Write in a process that may write only so many bytes, and dies beyond that. */
static int written_until_killed(const struct profile *profile, const char *path, rlim_t most)
{
	struct rlimit limit = { 0 };
	char why[PROFILE_ERROR_MAX];
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_CORE, &limit);
		limit.rlim_cur = limit.rlim_max = most;
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(profile_write(profile, path, why) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* The process dies at any point, as by kill -9. Nothing runs after that. */
TEST_WITH(killed_while_it_writes, own_folder_make, own_folder_remove)
{
	struct bytes file;
	struct profile profile;
	unsigned int deaths = 0;
	size_t size;
	int status, probe = open(own_folder.path, O_TMPFILE | O_WRONLY, 0600);

	if (probe < 0) {
		print_message("# no files without a name here: %s\n", strerror(errno));
		skip();
	}
	close(probe);
	file = written(in("a"));
	sample_profile(&profile);
	for (size = 0; size < file.size; size += 1 + file.size / 20) {
		status = written_until_killed(&profile, in("a"), size);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGXFSZ);
		file_is(in("a"), &file);
		status = written_until_killed(&profile, in("b"), size);
		assert_true(WIFSIGNALED(status));
		/* Not even a part of a new file is there. */
		assert_int_equal(entries(), 1);
		deaths++;
	}
	assert_true(deaths > 10);
	/* With enough room, it is written over an older file and anew. */
	assert_int_equal(written_until_killed(&profile, in("a"), file.size), 0);
	assert_int_equal(written_until_killed(&profile, in("b"), file.size), 0);
	assert_int_equal(entries(), 2);
	file_is(in("a"), &file);
	file_is(in("b"), &file);
	profile_free(&profile);
	free(file.at);
}

static bool filtered(struct sock_filter *rules, unsigned short nr)
{
	struct sock_fprog filter = { .len = nr, .filter = rules };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* From now on this process finds no file system that supports files without a name. */
static bool nameless_files_are_refused(void)
{
	const unsigned int flag = O_TMPFILE & ~O_DIRECTORY;
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return filtered(rules, sizeof(rules) / sizeof(rules[0])) &&
	       open(own_folder.path, O_TMPFILE | O_WRONLY, 0600) < 0 && errno == EOPNOTSUPP;
}

/* Nor one that supports hard links. */
static bool links_are_refused(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return filtered(rules, sizeof(rules) / sizeof(rules[0])) &&
	       linkat(AT_FDCWD, in("a"), AT_FDCWD, in("c"), 0) && errno == EPERM;
}

/* A process that is refused one of these writes the file all the same. */
static void written_without(bool (*refuse)(void))
{
	struct bytes file = written(in("a"));
	struct profile profile;
	char why[PROFILE_ERROR_MAX];
	int status, failed = 0;
	pid_t pid;

	sample_profile(&profile);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!refuse())
			_exit(77);
		failed += profile_write(&profile, in("b"), why) != 0;
		failed += profile_write(&profile, in("a"), why) != 0;
		failed += profile_write(&profile, in("none/a"), why) != -ENOENT;
		_exit(failed);
	}
	profile_free(&profile);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# this host has no seccomp filters\n");
		free(file.at);
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(entries(), 2);
	file_is(in("a"), &file);
	file_is(in("b"), &file);
	free(file.at);
}

TEST_WITH(without_nameless_files, own_folder_make, own_folder_remove)
{
	written_without(nameless_files_are_refused);
}

TEST_WITH(without_links, own_folder_make, own_folder_remove)
{
	written_without(links_are_refused);
}

static void not_to_be_written(const char *path, int ret, const char *words)
{
	struct profile profile;
	char why[PROFILE_ERROR_MAX];

	sample_profile(&profile);
	assert_int_equal(profile_write(&profile, path, why), ret);
	if (!strstr(why, words))
		fail_msg("\"%s\" does not say \"%s\"", why, words);
	profile_free(&profile);
}

/* A device must not be replaced by a file, nor a link be broken. */
TEST_WITH(strange_targets, own_folder_make, own_folder_remove)
{
	struct bytes file;
	struct stat is;
	char path[512], name[300];

	not_to_be_written("/dev/null", -EINVAL, "it is a device");
	assert_int_equal(stat("/dev/null", &is), 0);
	assert_true(S_ISCHR(is.st_mode));
	not_to_be_written(own_folder.path, -EINVAL, "it is a folder");
	not_to_be_written(in("none/a"), -ENOENT, "No such file");
	not_to_be_written("", -ENOENT, "No such file");
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	strcpy(path, in(name));
	not_to_be_written(path, -ENAMETOOLONG, "too long");
	assert_int_equal(symlink("nowhere", in("l")), 0);
	not_to_be_written(in("l"), -EINVAL, "link to a file that is not there");
	unlink(in("l"));

	file = written(in("a"));
	assert_int_equal(symlink("a", in("l")), 0);
	file_put(in("a"), "old", 3);
	free(written(in("l")).at);
	assert_int_equal(lstat(in("l"), &is), 0);
	assert_true(S_ISLNK(is.st_mode));
	file_is(in("a"), &file);
	/* Only users who may see kernel addresses may read the file. */
	assert_int_equal(stat(in("a"), &is), 0);
	assert_int_equal(is.st_mode & 0777, 0600);
	free(file.at);
}
