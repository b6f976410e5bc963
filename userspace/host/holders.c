// SPDX-License-Identifier: GPL-2.0
#include "holders.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static size_t find(struct holder *holders, size_t room, pid_t except)
{
	size_t found = 0;
	DIR *proc = NULL;
	__u32 pid;

	while ((pid = process_next(&proc))) {
		unsigned int events = pid == (__u32)except ? 0 : perf_events_of(pid);

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

size_t holders_find(struct holder *holders, size_t room)
{
	return find(holders, room, 0);
}

size_t holders_find_others(struct holder *holders, size_t room)
{
	return find(holders, room, getpid());
}

enum watchdog holders_watchdog(void)
{
	enum watchdog watchdog = WATCHDOG_UNKNOWN;
	char digit;
	int fd;

	fd = open("/proc/sys/kernel/nmi_watchdog", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return watchdog;
	if (read(fd, &digit, 1) == 1)
		watchdog = digit == '0' ? WATCHDOG_OFF : WATCHDOG_ON;
	close(fd);
	return watchdog;
}
