// SPDX-License-Identifier: GPL-2.0
#include "filter.h"

#include <string.h>

#include "../host/cgroup.h"
#include "../host/process.h"
#include "../util/text.h"

bool filter_stores(__u32 flags)
{
	return flags & MEMLAT_F_STORES;
}

bool filter_loads(__u32 flags)
{
	return flags & MEMLAT_F_LOADS || !(flags & (MEMLAT_F_STORES | MEMLAT_F_COUNT));
}

bool filter_only_counts(__u32 flags)
{
	return flags & MEMLAT_F_COUNT && !(flags & (MEMLAT_F_LOADS | MEMLAT_F_STORES));
}

const char *filter_privilege(__u32 flags)
{
	switch (flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)) {
	case MEMLAT_F_USER:
		return "user";
	case MEMLAT_F_KERNEL:
		return "kernel";
	default:
		return "user and kernel";
	}
}

char *filter_events(char text[FILTER_MAX], __u32 flags, __u32 ldlat)
{
	const char *stores = filter_stores(flags) ? " and stores" : "";

	if (filter_only_counts(flags))
		snprintf(text, FILTER_MAX, "nothing (only event counts)");
	else if (!filter_loads(flags))
		snprintf(text, FILTER_MAX, "stores");
	else if (ldlat)
		snprintf(text, FILTER_MAX, "loads longer than %u cycles%s", ldlat, stores);
	else
		snprintf(text, FILTER_MAX, "loads%s", stores);
	return text;
}

/* The word for which of three meanings a pid has. */
static const char *task_word(__u32 flags)
{
	return flags & MEMLAT_F_THREAD ? "thread" : "process";
}

static const char *children_word(__u32 flags)
{
	return flags & MEMLAT_F_CHILDREN ? " and its children" : "";
}

static bool past;

void filter_of_the_past(void)
{
	past = true;
}

bool filter_of_tasks(const struct memlat_status *status)
{
	return status->pid || status->cgroup;
}

struct memlat_status filter_status(const struct memlat_config *config)
{
	return (struct memlat_status){
		.flags = config->flags,
		.pid = config->pid,
		.cgroup = config->cgroup,
	};
}

void filter_put_extras(FILE *out, __u32 flags)
{
	if (flags & MEMLAT_F_CALL_GRAPH)
		fputs(", with call chains", out);
	if (flags & MEMLAT_F_PHYS)
		fputs(", with physical addresses", out);
	if (flags & MEMLAT_F_STRIDE)
		fputs(", each with a burst of neighbours", out);
	if (flags & MEMLAT_F_NO_GUESTS)
		fputs(", --no-guests was given", out);
}

char *filter_whom(char text[FILTER_MAX], const struct memlat_status *status)
{
	const __u64 cgroup = status->cgroup;
	const __u32 flags = status->flags;
	const __s32 pid = status->pid;
	char known[4 * PROCESS_NAME_MAX + 4] = "";
	char name[PROCESS_NAME_MAX], shown[4 * PROCESS_NAME_MAX];
	char path[FILTER_MAX / 2], safe[FILTER_MAX / 2];
	size_t used = 0;

	if (!filter_of_tasks(status)) {
		snprintf(text, FILTER_MAX, "all processes");
		return text;
	}
	if (pid) {
		if (!past)
			snprintf(known, sizeof(known), " (%s)", process_name((__u32)pid, name) ?
				 text_escape(shown, sizeof(shown), name) : "gone");
		snprintf(text, FILTER_MAX, "%s %d%s%s", task_word(flags), pid, known,
			 children_word(flags));
		used = strlen(text);
	}
	if (!cgroup)
		return text;
	if (!past && cgroup_path(cgroup, path, sizeof(path)))
		snprintf(text + used, FILTER_MAX - used, "%scgroup %s",
			 used ? ", in " : "",
			 text_escape(safe, sizeof(safe), path));
	else
		snprintf(text + used, FILTER_MAX - used, "%scgroup with id %llu%s",
			 used ? ", in " : "", cgroup, past ? "" : " (gone)");
	return text;
}

char *filter_whom_short(char text[FILTER_MAX], const struct memlat_status *status)
{
	const __u32 flags = status->flags;
	size_t used = 0;

	text[0] = '\0';
	if (status->pid)
		used = (size_t)snprintf(text, FILTER_MAX, ", %s %d%s",
					flags & MEMLAT_F_THREAD ? "tid" : "pid",
					status->pid, flags & MEMLAT_F_CHILDREN ?
					" and children" : "");
	if (status->cgroup)
		snprintf(text + used, FILTER_MAX - used, ", cgroup %llu", status->cgroup);
	return text;
}
