// SPDX-License-Identifier: GPL-2.0
#include "process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../util/whole.h"

bool process_name(__u32 pid, char name[PROCESS_NAME_MAX])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	return whole_text(path, name, PROCESS_NAME_MAX);
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
