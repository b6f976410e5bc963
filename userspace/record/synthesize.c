// SPDX-License-Identifier: GPL-2.0
#include "synthesize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/process.h"
#include "../profile/history.h"
#include "../util/order.h"
#include "../util/whole.h"
#include "../util/xalloc.h"

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
	__u32 *pids = xmallocarray(snap->nr_threads, sizeof(*pids));
	size_t i;

	for (i = 0; i < snap->nr_threads; i++)
		pids[i] = snap->threads[i].tgid;
	SORT(pids, snap->nr_threads, order_u32);
	for (i = 0; i < snap->nr_threads; i++)
		if (pids[i] && (!i || pids[i] != pids[i - 1]))
			history_read_proc(history, pids[i]);
	free(pids);
}
