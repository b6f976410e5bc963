// SPDX-License-Identifier: GPL-2.0
#include "synthesize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/process.h"
#include "../profile/history.h"
#include "../util/whole.h"

void synthesize_all(struct history *history)
{
	DIR *proc = NULL;
	__u32 pid;

	while ((pid = process_next(&proc)))
		history_read_proc(history, pid);
}

/* The process of a thread; 0: the thread has ended. */
static __u32 process_of(__u32 task)
{
	char name[32], text[4096];
	unsigned int pid;
	const char *at;

	snprintf(name, sizeof(name), "/proc/%u/status", task);
	at = whole_text(name, text, sizeof(text)) ? strstr(text, "\nTgid:") : NULL;
	return at && sscanf(at, " Tgid: %u", &pid) == 1 ? pid : 0;
}

void synthesize_one(struct history *history, __u32 task)
{
	__u32 pid = process_of(task);

	if (pid)
		history_read_proc(history, pid);
}

void synthesize_sampled(struct history *history, const struct snapshot *snap)
{
	size_t i, nr;
	__u32 *pids = history_pids_of(snap, &nr);

	for (i = 0; i < nr; i++)
		history_read_proc(history, pids[i]);
	free(pids);
}
