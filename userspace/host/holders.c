// SPDX-License-Identifier: GPL-2.0
#include "holders.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERF_LINK	"anon_inode:[perf_event]"

static unsigned int perf_events_of(const char *pid)
{
	char path[64], target[64];
	unsigned int events = 0;
	struct dirent *entry;
	DIR *folder;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%.16s/fd", pid);
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
	struct dirent *entry;
	size_t found = 0;
	DIR *proc;

	proc = opendir("/proc");
	if (!proc)
		return 0;
	while ((entry = readdir(proc))) {
		unsigned int events;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    strtoul(entry->d_name, NULL, 10) == (unsigned long)except)
			continue;
		events = perf_events_of(entry->d_name);
		if (!events)
			continue;
		if (found < room) {
			struct holder *holder = &holders[found];

			holder->pid = (__u32)strtoul(entry->d_name, NULL, 10);
			holder->events = events;
			if (!process_name(holder->pid, holder->name))
				strcpy(holder->name, "?");
		}
		found++;
	}
	closedir(proc);
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
