// SPDX-License-Identifier: GPL-2.0
#include <sys/prctl.h>
#include <unistd.h>

#include "ctl_perf.h"
#include "ctl_test.h"

#include "host/cgroup.h"
#include "host/process.h"

TEST(own_name)
{
	char name[PROCESS_NAME_MAX];

	assert_int_equal(prctl(PR_SET_NAME, "one\ntwo\n"), 0);
	assert_true(process_name((__u32)getpid(), name));
	assert_string_equal(name, "one\ntwo\n");
}

TEST(nobody)
{
	char name[PROCESS_NAME_MAX];

	assert_false(process_name(SAMPLE_GONE_PID, name));
	assert_false(process_may_exist(SAMPLE_GONE_PID));
	assert_true(process_may_exist((__u64)getpid()));
}

static const struct holder *holder_self(const struct holder *holders, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (holders[i].pid == (__u32)getpid())
			return &holders[i];
	return NULL;
}

TEST(owner_of_a_perf_event)
{
	static struct holder holders[1024];
	const struct holder *self;
	size_t found;
	int fd;

	assert_int_equal(prctl(PR_SET_NAME, "holder"), 0);
	found = holders_find(holders, 1024, 0);
	assert_true(found < 1024);
	assert_null(holder_self(holders, found));

	fd = perf_event_held();
	found = holders_find(holders, 1024, 0);
	assert_true(found < 1024);
	self = holder_self(holders, found);
	assert_non_null(self);
	assert_int_equal(self->events, 1);
	assert_string_equal(self->name, "holder");
	/* Those for which there is no room are still counted. */
	assert_int_equal(holders_find(NULL, 0, 0), found);
	close(fd);
	assert_null(holder_self(holders, holders_find(holders, 1024, 0)));
}

/* Compared with the file as stdio reads it. */
TEST(state_of_the_watchdog)
{
	FILE *file = fopen("/proc/sys/kernel/nmi_watchdog", "r");
	int on;

	if (!file) {
		assert_int_equal(holders_watchdog("/proc"), WATCHDOG_UNKNOWN);
		return;
	}
	assert_int_equal(fscanf(file, "%d", &on), 1);
	fclose(file);
	if (on)
		assert_in_range(holders_watchdog("/proc"), WATCHDOG_ON, WATCHDOG_BUDDY);
	else
		assert_true(holders_watchdog("/proc") == WATCHDOG_OFF ||
			    holders_watchdog("/proc") == WATCHDOG_BUDDY_OFF);
}

TEST(cgroups)
{
	__u64 root = 0, id = 0;
	char path[64];

	assert_int_equal(cgroup_id("", &id, NULL), CGROUP_NONE);
	assert_int_equal(cgroup_id("no/such/group", &id, NULL), CGROUP_NONE);
	assert_int_equal(cgroup_id("/tmp", &id, NULL), CGROUP_NOT);
	assert_int_equal(cgroup_id("/proc/self/status", &id, NULL), CGROUP_NOT);
	assert_int_equal(id, 0);
	/* As /proc/PID/cgroup has it for processes that are in none of them. */
	if (cgroup_id("/sys/fs/cgroup/.", &root, NULL) != CGROUP_OK &&
	    cgroup_id("/sys/fs/cgroup/unified", &root, NULL) != CGROUP_OK) {
		print_message("# no cgroups of version 2 here\n");
		skip();
	}
	assert_int_not_equal(root, 0);
	assert_int_equal(cgroup_id("./cgroup.procs", &id, NULL), CGROUP_NOT);
	if (cgroup_path(root, path, sizeof(path)))
		assert_string_equal(path, "/");
	/* No cgroup can have such a high number. */
	assert_false(cgroup_path(0x7ffffffffffffff0, path, sizeof(path)));
}
