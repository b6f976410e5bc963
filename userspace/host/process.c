// SPDX-License-Identifier: GPL-2.0
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../util/io.h"

bool process_name(__u32 pid, char name[PROCESS_NAME_MAX])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	return io_text(path, name, PROCESS_NAME_MAX);
}

__u32 process_next(DIR **proc)
{
	struct dirent *entry;
	__u32 pid;

	if (!*proc)
		*proc = opendir("/proc");
	if (!*proc)
		return 0;
	while ((entry = readdir(*proc))) {
		pid = (__u32)strtoul(entry->d_name, NULL, 10);
		if (pid)
			return pid;
	}
	closedir(*proc);
	*proc = NULL;
	return 0;
}

bool process_may_exist(__u64 pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%llu", pid);
	if (!access(path, F_OK) || errno != ENOENT)
		return true;
	return access("/proc/self", F_OK) != 0;
}

/* The kernel's PROC_PID_INIT_INO, the same in all versions. */
#define FIRST_NAMESPACE	0xeffffffcU

bool process_sees_all(void)
{
	struct stat st;

	/* Without /proc no process can be looked up, so none can be confused either. */
	return stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_NAMESPACE;
}

#define PERF_LINK	"anon_inode:[perf_event]"

static unsigned int perf_events_of(__u32 pid)
{
	char path[64], target[64];
	unsigned int events = 0;
	struct dirent *entry;
	DIR *folder;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	folder = opendir(path);
	if (!folder)
		return 0;
	while ((entry = readdir(folder))) {
		got = readlinkat(dirfd(folder), entry->d_name, target,
				 sizeof(target));
		events += got == (ssize_t)strlen(PERF_LINK) &&
			  !memcmp(target, PERF_LINK, strlen(PERF_LINK));
	}
	closedir(folder);
	return events;
}

size_t holders_find(struct holder *holders, size_t room, __u32 except)
{
	size_t found = 0;
	DIR *proc = NULL;
	__u32 pid;

	while ((pid = process_next(&proc))) {
		unsigned int events = pid == except ? 0 : perf_events_of(pid);

		if (!events)
			continue;
		if (found < room) {
			struct holder *holder = &holders[found];

			holder->pid = pid;
			holder->events = events;
			if (!process_name(holder->pid, holder->name))
				strcpy(holder->name, "?");
		}
		found++;
	}
	return found;
}

/*
 * Has the kernel only the detector of lockups that uses no counter? Names are in /proc/kallsyms
 * even where addresses are hidden.
 */
static bool only_buddy(const char *proc)
{
	char path[PATH_MAX], line[512];
	bool buddy = false, perf = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/kallsyms", proc);
	file = fopen(path, "re");
	while (file && !perf && fgets(line, sizeof(line), file)) {
		/* "ADDRESS TYPE NAME": there are some 200,000 lines. */
		const char *name = strchr(line, ' ');

		if (!name || !name[1])
			continue;
		buddy |= !strcmp(name + 2, " watchdog_buddy_check_hardlockup\n");
		perf = !strncmp(name + 2, " watchdog_overflow_callback", 27);
	}
	if (file)
		fclose(file);
	return buddy && !perf;
}

enum watchdog holders_watchdog(const char *proc)
{
	enum watchdog watchdog = WATCHDOG_UNKNOWN;
	char path[PATH_MAX], digit;
	int fd;

	snprintf(path, sizeof(path), "%s/sys/kernel/nmi_watchdog", proc);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return watchdog;
	if (read(fd, &digit, 1) == 1)
		watchdog = digit == '0' ? WATCHDOG_OFF : WATCHDOG_ON;
	close(fd);
	if (watchdog == WATCHDOG_UNKNOWN || !only_buddy(proc))
		return watchdog;
	return watchdog == WATCHDOG_ON ? WATCHDOG_BUDDY : WATCHDOG_BUDDY_OFF;
}
