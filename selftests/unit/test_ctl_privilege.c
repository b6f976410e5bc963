// SPDX-License-Identifier: GPL-2.0
/* Which of root's privileges memlat-ctl keeps while it reads untrusted input. */
#define _GNU_SOURCE
#include "ctl_output.h"
#include "ctl_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/landlock.h>

#include "host/privilege.h"

#define BIT(capability)	(1ULL << (capability))
#define ENOUGH		(BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SETPCAP) | BIT(CAP_SYS_ADMIN))

static struct folder folder;

/* A line of a process's status as a number. */
static unsigned long long status_of(pid_t pid, const char *key, int base)
{
	char path[64], line[256];
	unsigned long long found = ~0ULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			found = strtoull(line + strlen(key), NULL, base);
	fclose(file);
	return found;
}

static void skip_without_privileges(void)
{
	if ((status_of(getpid(), "CapEff:", 16) & ENOUGH) == ENOUGH)
		return;
	print_message("# nothing to give back: not root here\n");
	skip();
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

/* errno of opening it for writing; 0: that succeeds. */
static int writing(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* The exit status is the number of the first thing that is wrong. */
static int child(enum privilege_need need, unsigned long long kept)
{
	char command[128];

	privilege_drop(need);
	if (status_of(getpid(), "CapPrm:", 16) != kept ||
	    status_of(getpid(), "CapEff:", 16) != kept)
		return 1;
	if (status_of(getpid(), "NoNewPrivs:", 10) != 1)
		return 2;
	snprintf(command, sizeof(command), "grep -q '^CapEff:.*%016llx' /proc/self/status", kept);
	if (system(command))
		return 3;
	if (access(folder_file(&folder, "there"), R_OK))
		return 4;
	if (writing("/dev/null"))
		return 5;
	if (need != NEED_FILES)
		return writing(folder_file(&folder, "there")) ? 6 : 0;
	if (has_landlock() && (writing(folder_file(&folder, "there")) != EACCES ||
			       writing(folder_file(&folder, "new")) != EACCES))
		return 7;
	privilege_drop(need);
	return 0;
}

static void drops(enum privilege_need need, unsigned long long kept)
{
	pid_t pid;

	skip_without_privileges();
	kept &= status_of(getpid(), "CapPrm:", 16);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(child(need, kept));
	assert_int_equal(exit_status_of(pid), 0);
	if (need == NEED_FILES && !has_landlock())
		print_message("# this kernel has no Landlock: not looked at\n");
}

TEST(for_files)
{
	drops(NEED_FILES, BIT(CAP_DAC_READ_SEARCH));
}

TEST(for_processes)
{
	drops(NEED_PROCESSES, BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYS_PTRACE) |
	      BIT(CAP_CHECKPOINT_RESTORE) | BIT(CAP_SYSLOG) | BIT(CAP_SYS_RAWIO));
}

TEST(for_writing)
{
	drops(NEED_TO_WRITE, BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYS_PTRACE) |
	      BIT(CAP_CHECKPOINT_RESTORE) | BIT(CAP_SYSLOG) | BIT(CAP_SYS_RAWIO) |
	      BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_KILL));
}

/* The program itself. It still runs, because it prints more than the pipe holds. */
TEST(a_view)
{
	unsigned long long own = status_of(getpid(), "CapPrm:", 16);
	unsigned long long kept, privileges;
	int ends[2];
	char bytes[4096];
	pid_t pid;

	skip_without_privileges();
	assert_non_null(getenv("MEMLAT_CTL"));
	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(getenv("MEMLAT_CTL"), "memlat-ctl", "c2c", "-i", "golden/before.memlat",
		      "--json", NULL);
		_exit(127);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], bytes, 1), 1);
	kept = status_of(pid, "CapEff:", 16);
	privileges = status_of(pid, "NoNewPrivs:", 10);
	while (read(ends[0], bytes, sizeof(bytes)) > 0)
		;
	close(ends[0]);
	assert_int_equal(exit_status_of(pid), 0);
	assert_int_equal(kept, own & BIT(CAP_DAC_READ_SEARCH));
	assert_int_equal(privileges, 1);
}

static int make_file(void **state)
{
	folder_make(&folder);
	file_put(folder_file(&folder, "there"), "x", 1);
	return 0;
}

static int remove_file(void **state)
{
	folder_remove(&folder);
	return 0;
}

TEST_GROUP(make_file, remove_file)
