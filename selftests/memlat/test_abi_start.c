// SPDX-License-Identifier: GPL-2.0
/*
 * MEMLAT_IOC_START: each member of struct memlat_config in and out of its range, with each enum
 * memlat_why that bad input can give. A refused start must change nothing.
 */
#include "abi_fixture.h"
#include "command.h"
#include "kmsg.h"
#include "../signal_child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CGROUPS	"/tmp/memlat-cgroup"
#define LOG_PAUSE	6	/* s; longer than DEFAULT_RATELIMIT_INTERVAL */

TEST_F(abi, ldlat)
{
	static const __u32 bad[] = { 0, 1, 2, 65536, 70000, ~0u };
	struct memlat_config config = self->config;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		config.ldlat = bad[i];
		EXPECT_TRUE(start_refused(self->fd, config, EINVAL,
					  MEMLAT_WHY_LDLAT))
			TH_LOG("ldlat %u", bad[i]);
	}
	/* The limits themselves are accepted. */
	config.ldlat = MEMLAT_LDLAT_MIN;
	EXPECT_EQ(device_start(self->fd, &config), 0);
	EXPECT_EQ(device_stop(self->fd), 0);
	config.ldlat = MEMLAT_LDLAT_MAX;
	EXPECT_EQ(device_start(self->fd, &config), 0);
	EXPECT_EQ(device_stop(self->fd), 0);
}

TEST_F(abi, period)
{
	struct memlat_config config = self->config;

	config.period = 0;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_PERIOD));
	config.period = self->query.period_min - 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_PERIOD));
	config.period = self->query.period_max + 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_PERIOD));
	config.period = ~0ull;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_PERIOD));
	config.period = self->query.period_max;
	EXPECT_EQ(device_start(self->fd, &config), 0);
	EXPECT_EQ(device_stop(self->fd), 0);
}

TEST_F(abi, pid)
{
	struct memlat_config config = self->config;
	struct memlat_status status;
	pid_t gone = fork();

	ASSERT_GE(gone, 0);
	if (!gone)
		_exit(0);
	ASSERT_EQ(waitpid(gone, NULL, 0), gone);
	config.pid = gone;
	EXPECT_TRUE(start_refused(self->fd, config, ESRCH, MEMLAT_WHY_PID));
	config.pid = -1;
	EXPECT_TRUE(start_refused(self->fd, config, ESRCH, MEMLAT_WHY_PID));
	config.pid = 0x7fffffff;
	EXPECT_TRUE(start_refused(self->fd, config, ESRCH, MEMLAT_WHY_PID));

	config.pid = getpid();
	EXPECT_EQ(device_start(self->fd, &config), 0);
	EXPECT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.pid, getpid());
	EXPECT_EQ(device_stop(self->fd), 0);
}

/* A PID is the caller's namespace's, but the status has the initial namespace's. */
TEST_F(abi, pid_of_a_namespace)
{
	struct memlat_config config = self->config;
	struct memlat_status status;
	int ended;
	pid_t pid;

	/* In the new namespace, PIDs begin at 1 again. */
	ASSERT_EQ(unshare(CLONE_NEWPID), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		config.pid = getpid();
		_exit(config.pid == 1 && !device_start(self->fd, &config) ? 0 : 1);
	}
	ASSERT_EQ(waitpid(pid, &ended, 0), pid);
	ASSERT_EQ(ended, 0);
	EXPECT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.pid, pid);
	EXPECT_EQ(device_stop(self->fd), 0);
}

TEST_F(abi, other_members)
{
	struct memlat_config config = self->config;

	config.flags = self->config.flags | (MEMLAT_F_ALL + 1);
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_FLAGS));
	config.flags = self->config.flags | 1u << 31;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_FLAGS));
	config.flags = 0;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_FLAGS));
	config.flags = MEMLAT_F_NO_GUESTS;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_FLAGS));

	config = self->config;
	config.reserved = 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL,
				  MEMLAT_WHY_RESERVED));

	config = self->config;
	config.max_memory = self->query.memory_max + 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_MEMORY));
	/* 0 stands for the default. */
	if (self->query.memory_min > 1) {
		config.max_memory = self->query.memory_min - 1;
		EXPECT_TRUE(start_refused(self->fd, config, EINVAL,
					  MEMLAT_WHY_MEMORY));
	}
	config.max_memory = self->query.memory_min;
	EXPECT_EQ(device_start(self->fd, &config), 0);
	EXPECT_EQ(device_stop(self->fd), 0);
}

TEST_F(abi, thread_and_children)
{
	struct memlat_config config = self->config;

	/* There is no thread without a PID. */
	config.flags = self->config.flags | MEMLAT_F_THREAD;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_FLAGS));
	config.flags = self->config.flags | MEMLAT_F_CHILDREN;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_FLAGS));
	config.pid = getpid();
	config.flags = self->config.flags | MEMLAT_F_THREAD | MEMLAT_F_CHILDREN;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_FLAGS));
	config.flags = self->config.flags | MEMLAT_F_THREAD;
	EXPECT_TRUE(start_accepted(self->fd, config));
	config.flags = self->config.flags | MEMLAT_F_CHILDREN;
	EXPECT_TRUE(start_accepted(self->fd, config));
	config.pid = 0x7fffffff;
	EXPECT_TRUE(start_refused(self->fd, config, ESRCH, MEMLAT_WHY_PID));
}

/* Only loads have bursts, and the PMI of a burst has more than one record. */
TEST_F(abi, stride)
{
	static const __u32 beside[] = {
		MEMLAT_F_COUNT, MEMLAT_F_CALL_GRAPH, MEMLAT_F_STORES,
		MEMLAT_F_STORES | MEMLAT_F_LOADS, MEMLAT_F_CALL_GRAPH | MEMLAT_F_LOADS,
	};
	struct memlat_config config = self->config;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(beside); i++) {
		config.flags = self->config.flags | MEMLAT_F_STRIDE | beside[i];
		EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_FLAGS))
			TH_LOG("flags 0x%x", config.flags);
	}
	config.flags = self->config.flags | MEMLAT_F_STRIDE;
	EXPECT_TRUE(start_accepted(self->fd, config));
	config.flags |= MEMLAT_F_LOADS | MEMLAT_F_PHYS | MEMLAT_F_TIED;
	EXPECT_TRUE(start_accepted(self->fd, config));
	config.max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	EXPECT_TRUE(start_accepted(self->fd, config));
	config.period = self->query.period_min - 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_PERIOD));
}

TEST_F(abi, stores)
{
	struct memlat_config config = self->config;
	struct memlat_status status;

	/* A period of stores is refused without stores. */
	config.store_period = self->query.store_period_default;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_STORE_PERIOD));
	config.flags |= MEMLAT_F_STORES;
	EXPECT_GE(self->query.store_period_min, 1);
	EXPECT_LE(self->query.store_period_min, self->query.store_period_default);
	config.store_period = self->query.store_period_min - 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_STORE_PERIOD));
	config.store_period = self->query.store_period_min;
	EXPECT_TRUE(start_accepted(self->fd, config));
	config.store_period = self->query.period_max + 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_STORE_PERIOD));
	config.store_period = ~0ull;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_STORE_PERIOD));
	config.store_period = self->query.period_max;
	EXPECT_TRUE(start_accepted(self->fd, config));
	/* 0 is the default. Only stores, no loads. */
	config.store_period = 0;
	ASSERT_EQ(device_start(self->fd, &config), 0);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.flags & (MEMLAT_F_LOADS | MEMLAT_F_STORES), MEMLAT_F_STORES);
	EXPECT_EQ(status.store_period_low, self->query.store_period_default);
	ASSERT_EQ(command_run(NULL, WORK), 0);
	ASSERT_EQ(device_stop(self->fd), 0);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_GT(status.stores, 0);
	EXPECT_EQ(status.loads, 0);
	EXPECT_EQ(status.weight_loads, 0);
}

TEST_F(abi, overhead)
{
	struct memlat_config config = self->config;
	struct memlat_status status;

	config.max_overhead = self->query.overhead_max + 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_OVERHEAD));
	config.max_overhead = ~0u;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_OVERHEAD));
	config.max_overhead = self->query.overhead_max;
	EXPECT_TRUE(start_accepted(self->fd, config));
	config.max_overhead = 1;
	EXPECT_TRUE(start_accepted(self->fd, config));
	config.max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	config.period = self->query.period_default;
	ASSERT_EQ(device_start(self->fd, &config), 0);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.max_overhead, MEMLAT_OVERHEAD_DEFAULT);
	EXPECT_EQ(device_stop(self->fd), 0);
}

TEST_F(abi, reserved)
{
	struct memlat_config config = self->config;

	config.reserved2 = 1;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_RESERVED));
	config.reserved2 = 1u << 31;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_RESERVED));
	/* Output members must be zero, so a refused config cannot be reused unread. */
	config = self->config;
	config.reason = MEMLAT_WHY_RUNNING;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_RESERVED));
}

TEST_F(abi, cpus)
{
	struct memlat_config config = self->config;
	struct memlat_status status;

	/* A CPU that no machine of this kind can have. */
	config.cpus[MEMLAT_CPU_WORDS - 1] = 1ull << 63;
	EXPECT_TRUE(start_refused(self->fd, config, EINVAL, MEMLAT_WHY_CPUS));
	config.cpus[0] = 1;
	ASSERT_EQ(device_start(self->fd, &config), 0);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.cpus_armed, 1);
	EXPECT_EQ(device_stop(self->fd), 0);
	/* If more CPUs are selected than there are, those that exist are sampled. */
	memset(config.cpus, 0xff, sizeof(config.cpus));
	ASSERT_EQ(device_start(self->fd, &config), 0);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.cpus_armed, status.cpus_online);
	EXPECT_EQ(device_stop(self->fd), 0);
}

TEST_F(abi, cgroup)
{
	struct memlat_config config = self->config;
	struct memlat_status status;
	struct stat info;

	config.cgroup = ~0ull;
	EXPECT_TRUE(start_refused(self->fd, config, ENOENT, MEMLAT_WHY_CGROUP));
	mkdir(CGROUPS, 0700);
	ASSERT_EQ(mount("none", CGROUPS, "cgroup2", 0, NULL), 0);
	ASSERT_EQ(mkdir(CGROUPS "/one", 0700), 0);
	ASSERT_EQ(stat(CGROUPS "/one", &info), 0);
	config.cgroup = info.st_ino;
	EXPECT_EQ(device_start(self->fd, &config), 0);
	EXPECT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.cgroup, info.st_ino);
	/* The session does not prevent the removal of the cgroup. */
	EXPECT_EQ(rmdir(CGROUPS "/one"), 0);
	EXPECT_EQ(device_stop(self->fd), 0);
	/* A removed cgroup is refused. */
	EXPECT_TRUE(start_refused(self->fd, config, ENOENT, MEMLAT_WHY_CGROUP));
	EXPECT_EQ(umount(CGROUPS), 0);
}

/* Other reasons of a refusal are in test_exclusion, test_vmx and test_suspend. */
TEST_F(abi, running)
{
	struct memlat_config config = self->config;

	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	EXPECT_EQ(device_start(self->fd, &config), -EBUSY);
	EXPECT_EQ(config.reason, MEMLAT_WHY_RUNNING);
	EXPECT_EQ(device_stop(self->fd), 0);
}

static unsigned int state_of(int fd, unsigned int *ended)
{
	struct memlat_status status = { 0 };

	device_status(fd, &status);
	*ended = status.ended;
	return status.state;
}

/* The session ends with the open file, so with its last descriptor in any process. */
TEST_F(abi, tied)
{
	struct memlat_config config = self->config;
	struct memlat_status status;
	unsigned int ended;
	int file, copy, held[2];
	char byte;
	pid_t pid;

	config.flags |= MEMLAT_F_TIED;
	file = device_open();
	ASSERT_GE(file, 0);
	ASSERT_EQ(device_start(file, &config), 0);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.flags, config.flags | MEMLAT_F_LOADS);
	copy = dup(file);
	close(file);
	EXPECT_EQ(state_of(self->fd, &ended), MEMLAT_STATE_RUNNING);
	/* A forked process has the descriptor too. */
	ASSERT_EQ(pipe(held), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		close(held[1]);
		_exit(read(held[0], &byte, 1) != 1);
	}
	close(copy);
	EXPECT_EQ(state_of(self->fd, &ended), MEMLAT_STATE_RUNNING);
	ASSERT_EQ(signal_child(pid, SIGKILL), 0);
	ASSERT_EQ(waitpid(pid, NULL, 0), pid);
	EXPECT_EQ(state_of(self->fd, &ended), MEMLAT_STATE_IDLE);
	EXPECT_EQ(ended, MEMLAT_END_CLOSED);
	close(held[0]);
	close(held[1]);
	/* Now another session can start. */
	EXPECT_TRUE(start_accepted(self->fd, self->config));
}

/* An open file only ends the session that was started through it. */
TEST_F(abi, tied_to_another)
{
	struct memlat_config tied = self->config;
	unsigned int ended;
	int file, other;

	tied.flags |= MEMLAT_F_TIED;
	/* Its own session was stopped, and another file started one. */
	file = device_open();
	ASSERT_GE(file, 0);
	ASSERT_EQ(device_start(file, &tied), 0);
	EXPECT_EQ(device_stop(self->fd), 0);
	EXPECT_EQ(state_of(self->fd, &ended), MEMLAT_STATE_IDLE);
	EXPECT_EQ(ended, MEMLAT_END_STOPPED);
	other = device_open();
	ASSERT_GE(other, 0);
	ASSERT_EQ(device_start(other, &tied), 0);
	close(file);
	EXPECT_EQ(state_of(self->fd, &ended), MEMLAT_STATE_RUNNING);
	/* The end of the other file ends it. */
	close(other);
	EXPECT_EQ(state_of(self->fd, &ended), MEMLAT_STATE_IDLE);
	EXPECT_EQ(ended, MEMLAT_END_CLOSED);
	/* A later session of its own that is not tied, and a refused start. */
	file = device_open();
	ASSERT_GE(file, 0);
	ASSERT_EQ(device_start(file, &tied), 0);
	ASSERT_EQ(device_stop(file), 0);
	ASSERT_EQ(device_start(file, &self->config), 0);
	EXPECT_EQ(device_start(file, &tied), -EBUSY);
	close(file);
	EXPECT_EQ(state_of(self->fd, &ended), MEMLAT_STATE_RUNNING);
	EXPECT_EQ(device_stop(self->fd), 0);
}

/* Someone uses PEBS without having reserved it. */
TEST_F(abi, ds_in_use)
{
	const off_t pebs_enable = 0x3f1;
	struct memlat_config config = self->config;
	unsigned long long on = 2, old;
	int msr;

	if (command_run(NULL, "modprobe msr allow_writes=on"))
		SKIP(return, "no msr driver");
	msr = open("/dev/cpu/0/msr", O_RDWR);
	ASSERT_GE(msr, 0);
	ASSERT_EQ(pread(msr, &old, sizeof(old), pebs_enable), sizeof(old));
	EXPECT_EQ(old, 0);
	/* PEBS of a counter that does not count. */
	ASSERT_EQ(pwrite(msr, &on, sizeof(on), pebs_enable), sizeof(on));
	EXPECT_TRUE(start_refused(self->fd, config, EBUSY, MEMLAT_WHY_DS));
	/* The register is unchanged. */
	EXPECT_EQ(pread(msr, &on, sizeof(on), pebs_enable), sizeof(on));
	EXPECT_EQ(on, 2);
	ASSERT_EQ(pwrite(msr, &old, sizeof(old), pebs_enable), sizeof(old));
	close(msr);
	command_run(NULL, "rmmod msr");
	EXPECT_TRUE(start_accepted(self->fd, config));
}

/* The number of lines about sessions in the rest of the kernel's log; -1: it cannot be read. */
static int told(int kmsg)
{
	const char *text;
	int lines = 0;

	while ((text = kmsg_next(kmsg)))
		lines += !strncmp(text, "memlat: sampling: owns", 22) ||
			 !strncmp(text, "memlat: stopped: the PMU", 24);
	return errno == EAGAIN ? lines : -1;
}

/* A user who may start and stop sessions cannot flood the log, but the first ones are in it. */
TEST_F(abi, log_is_not_flooded)
{
	const int kmsg = kmsg_open();
	struct timespec from, to;
	int i, lines, most;

	ASSERT_GE(kmsg, 0);
	/* The sessions of other tests do not count. */
	sleep(LOG_PAUSE);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < 200; i++) {
		struct memlat_config config = self->config;

		ASSERT_EQ(device_start(self->fd, &config), 0);
		ASSERT_EQ(device_stop(self->fd), 0);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	/* Ten of each kind in five seconds (DEFAULT_RATELIMIT_BURST and _INTERVAL). */
	most = 2 * 10 * ((to.tv_sec - from.tv_sec) / 5 + 2);
	lines = told(kmsg);
	close(kmsg);
	EXPECT_LE(lines, most)
		TH_LOG("%d lines of 400, of which %d may be", lines, most);
	EXPECT_GE(lines, 2)
		TH_LOG("%d lines of 400, but a start and a stop must be told", lines);
}

/* The last: the next test finds no module. */
TEST_F(abi, unload)
{
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(module_unload(), 0);
}

TEST_HARNESS_MAIN
