// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "privilege.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/types.h>

#define BIT(capability)	(1ULL << (capability))

/* Read other users' files. */
#define FOR_FILES	BIT(CAP_DAC_READ_SEARCH)
/*
 * /proc/PID/maps and root; /proc/PID/map_files; addresses in /proc/kallsyms;
 * /proc/kcore.
 */
#define FOR_PROCESSES	(FOR_FILES | BIT(CAP_SYS_PTRACE) | BIT(CAP_CHECKPOINT_RESTORE) | \
			 BIT(CAP_SYSLOG) | BIT(CAP_SYS_RAWIO))
/* Write to another user's folder or a sticky one; signal a command that changed its user. */
#define FOR_WRITING	(FOR_PROCESSES | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_KILL))

/*
 * Listen on CPUs that come online later, with memory for it; open the device to ask which processes
 * its tables name.
 */
#define FOR_KEEPING	(FOR_PROCESSES | BIT(CAP_PERFMON) | BIT(CAP_IPC_LOCK))

static const __u64 kept[] = {
	[NEED_FILES] = FOR_FILES,
	[NEED_PROCESSES] = FOR_PROCESSES,
	[NEED_TO_WRITE] = FOR_WRITING,
	[NEED_TO_KEEP] = FOR_KEEPING,
};

static struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

static __u64 permitted(void)
{
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return 0;
	return data[0].permitted | (__u64)data[1].permitted << 32;
}

static void keep_only(__u64 keep)
{
	struct __user_cap_data_struct data[2];
	unsigned int i;

	/* Programs that root executes would get these capabilities back. */
	for (i = 0; i < 64; i++)
		if (!(keep >> i & 1) && prctl(PR_CAPBSET_READ, i, 0, 0, 0) == 1)
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (i = 0; i < 2; i++) {
		data[i].permitted = data[i].effective = (__u32)(keep >> 32 * i);
		data[i].inheritable = 0;
	}
	syscall(SYS_capset, &header, data);
}

/* The rights of Landlock's first version that change files. */
#define CHANGES \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
/* A right of Landlock's third version. The build's headers may lack it. */
#define CHANGE_SIZE	(1ULL << 14)

static void allow_writing(int rules, const char *path)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE,
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
	};

	if (rule.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
}

/* A pager's shell may write to /dev/null, and the terminal is no file either. */
static void keep_from_writing(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			       LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = { .handled_access_fs = CHANGES };
	int rules;

	if (version < 1)
		return;
	if (version >= 3)
		attr.handled_access_fs |= CHANGE_SIZE;
	rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (rules < 0)
		return;
	allow_writing(rules, "/dev/null");
	allow_writing(rules, "/dev/tty");
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}

void privilege_drop(enum privilege_need need)
{
	static bool read_only;
	__u64 has = permitted();

	if (!has)
		return;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	keep_only(has & kept[need]);
	/* Only once: each call would add a layer, and there can be sixteen. */
	if (need == NEED_FILES && !read_only) {
		keep_from_writing();
		read_only = true;
	}
}
