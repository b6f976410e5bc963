// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "session_end.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../util/command.h"
#include "../util/io.h"

#define PATH_ROOM	128

static const struct {
	const char *name;
	const char *brief;
	const char *text;
	const char *way_out;
} ends[] = {
	[MEMLAT_END_NONE] = { "none", "not ended", "nothing ended it", "" },
	[MEMLAT_END_STOPPED] = { "stopped", "stopped", "somebody stopped it", "" },
	[MEMLAT_END_TAKEOVER] = {
		"takeover", "PMU taken over", "someone else programmed the PMU",
		"  dmesg | tail                      says what memlat saw\n"
		"  memlat-ctl start ...              begins a new session, once that program or driver has ended\n",
	},
	[MEMLAT_END_VMX] = {
		"vmx", "virtualization started",
		"a guest got the PMU itself, or guests that memlat cannot see may run (CR4.VMXE), and PEBS would write into their memory",
		"  memlat-ctl start ...              again, when none runs; dmesg | tail has details\n"
		"  memlat-ctl start --no-guests ...  if you know that none runs until stop\n",
	},
	[MEMLAT_END_REBOOT] = { "reboot", "machine going down", "the machine was going down", "" },
	[MEMLAT_END_RESUME] = {
		"resume", "not resumed after suspend", "it could not be resumed after a suspend",
		"  dmesg | tail                      shows what prevented it\n"
		"  memlat-ctl start ...              begins a new session\n",
	},
	[MEMLAT_END_CLOSED] = {
		"closed", "starting process exited", "the process that started it exited without stopping it",
		"  memlat-ctl report                 shows what was sampled until then\n",
	},
	[MEMLAT_END_OOPS] = {
		"oops", "kernel oops", "the kernel had an oops, and may have been about to panic",
		"  dmesg | less                      has the oops\n"
		"  memlat-ctl start ...              begins a new session, if this kernel is still to be trusted\n",
	},
	[MEMLAT_END_GONE] = {
		"gone", "what it sampled is gone", "the process, thread or cgroup that it sampled is gone",
		"  memlat-ctl report                 shows what was sampled until then\n",
	},
};

#define NR_ENDS	(sizeof(ends) / sizeof(ends[0]))

bool session_end_by_itself(const struct memlat_status *status)
{
	return status->state != MEMLAT_STATE_RUNNING &&
	       status->ended != MEMLAT_END_NONE &&
	       status->ended != MEMLAT_END_STOPPED;
}

const char *session_end_name(__u32 ended)
{
	return ended < NR_ENDS ? ends[ended].name : NULL;
}

const char *session_end_text(__u32 ended)
{
	return ended < NR_ENDS ? ends[ended].text :
				 "for a reason that this memlat-ctl does not know";
}

const char *session_end_short(__u32 ended)
{
	return ended < NR_ENDS ? ends[ended].brief : "for an unknown reason";
}

void session_end_print_way_out(FILE *out, __u32 ended)
{
	command_put(out, ended < NR_ENDS ? ends[ended].way_out :
			 "  dmesg | tail                      may say more\n");
}

/* The file has a line for each of these numbers: its name, and the number. */
#define COUNTS	(sizeof(struct session_end_counts) / sizeof(__u64))
#define LINE	64

static const char *count_name(size_t i)
{
	static const char * const other[] = { "refused", "keepers", "away_ns", "since_ns" };

	_Static_assert(ENDED_NR + sizeof(other) / sizeof(other[0]) == COUNTS, "each has a name");
	return i < ENDED_NR ? ends[i].name : other[i - ENDED_NR];
}

bool session_end_read(const char *folder, struct session_end_counts *counts)
{
	char path[PATH_ROOM], name[LINE], text[2 * LINE * COUNTS];
	__u64 *values = (__u64 *)counts, value;
	const char *at = text;
	size_t i;
	int used;

	memset(counts, 0, sizeof(*counts));
	snprintf(path, sizeof(path), "%s/ended", folder);
	if (!io_text(path, text, sizeof(text)))
		return false;
	for (; *at; at += used) {
		if (sscanf(at, "%63[a-z_] %llu %n", name, &value, &used) != 2) {
			memset(counts, 0, sizeof(*counts));
			return false;
		}
		/* Another version may have names that this one does not have. */
		for (i = 0; i < COUNTS; i++)
			if (!strcmp(name, count_name(i)))
				values[i] = value;
	}
	return true;
}

int session_end_write(const char *folder, const struct session_end_counts *counts)
{
	const __u64 *values = (const __u64 *)counts;
	char path[PATH_ROOM], part[PATH_ROOM], text[LINE * COUNTS];
	size_t i, used = 0;
	int fd, ret;

	for (i = 0; i < COUNTS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %llu\n",
					 count_name(i), values[i]);
	snprintf(path, sizeof(path), "%s/ended", folder);
	snprintf(part, sizeof(part), "%s/ended.part", folder);
	if (mkdir(folder, 0700) && errno != EEXIST)
		return -errno;
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	ret = io_write(fd, text, used);
	close(fd);
	if (!ret && rename(part, path))
		ret = -errno;
	if (ret)
		unlink(part);
	return ret;
}
