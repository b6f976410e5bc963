// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/memlat as uapi/linux/memlat.h describes it: every ioctl with good and bad arguments (read()
 * and poll() are in test_abi_read.c). A refused call must change nothing.
 */
/* A hole in a structure would leak the contents of kernel memory. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
#include <linux/memlat.h>
#pragma GCC diagnostic pop

#include "abi_fixture.h"
#include "command.h"
#include "snapshot.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY		65534
#define TAIL		64	/* bytes that a later version could append */

/* What the emulated machine is unless it is asked for another one: by CPUID, so not by memlat's word. */
static bool is_skylake_sp(void)
{
	unsigned int signature, ebx, ecx, edx;

	return __get_cpuid(1, &signature, &ebx, &ecx, &edx) && signature >> 4 == 0x5065;
}

TEST_F(abi, query)
{
	EXPECT_EQ(self->query.size, sizeof(self->query));
	EXPECT_EQ(self->query.abi_version, MEMLAT_ABI_VERSION);
	EXPECT_EQ(self->query.ldlat_min, MEMLAT_LDLAT_MIN);
	EXPECT_EQ(self->query.ldlat_max, MEMLAT_LDLAT_MAX);
	EXPECT_GE(self->query.period_min, 1);
	EXPECT_LE(self->query.period_min, self->query.period_default);
	EXPECT_LE(self->query.period_default, self->query.period_max);
	EXPECT_LE(self->query.memory_min, self->query.memory_default);
	EXPECT_LE(self->query.memory_default, self->query.memory_max);
	EXPECT_GT(self->query.cpu_memory, 0);
	EXPECT_LE(self->query.cpu_memory, 5 << 18);
	EXPECT_GT(self->query.buffer_records, 0);
	EXPECT_GE(self->query.record_size, 8);
	EXPECT_EQ(self->query.reserved, 0);
	EXPECT_EQ(self->query.flags & ~MEMLAT_F_ALL, 0);
	EXPECT_EQ(self->query.flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_LOADS),
		  MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_LOADS);
	EXPECT_EQ(self->query.overhead_max, MEMLAT_OVERHEAD_MAX);
	EXPECT_EQ(self->query.store_period_default, MEMLAT_STORE_PERIOD_DEFAULT);
	EXPECT_NE(self->query.model_name[0], '\0');
	EXPECT_NE(self->query.model_title[0], '\0');
	EXPECT_GE(self->query.cores, 1);
	EXPECT_LE(self->query.cores, 8);
	if (emulated() && is_skylake_sp()) {
		EXPECT_STREQ(self->query.model_name, "skx");
		EXPECT_EQ(self->query.flags, MEMLAT_F_ALL);
		EXPECT_EQ(self->query.pebs_format, 3);
		EXPECT_EQ(self->query.record_size, 200);
		EXPECT_EQ(self->query.cpu_family, 6);
		EXPECT_EQ(self->query.cpu_model, 85);
		EXPECT_EQ(self->query.cpu_stepping, 4);
		EXPECT_EQ(self->query.cores, 1);
		EXPECT_EQ(self->query.traits, MEMLAT_TRAIT_TLB);
	}
}

/*
 * The rules of a structure's size, which is its first member. first is the size of its first
 * published version.
 */
static void check_sizes(struct __test_metadata *_metadata, int fd,
			unsigned long request, size_t size, size_t first,
			const void *good)
{
	char buffer[4096 + TAIL];
	__u32 given;

#define FILL(value)							\
	do {								\
		memset(buffer, 0, sizeof(buffer));			\
		memcpy(buffer, good, size);				\
		given = (value);					\
		memcpy(buffer, &given, sizeof(given));			\
	} while (0)

	ASSERT_LE(size, 4096);
	ASSERT_LE(first, size);
	FILL(0);
	EXPECT_REFUSED(EINVAL, fd, request, buffer);
	FILL(sizeof(__u32));
	EXPECT_REFUSED(EINVAL, fd, request, buffer);
	FILL(first - 8);
	EXPECT_REFUSED(EINVAL, fd, request, buffer);
	FILL(first - 1);
	EXPECT_REFUSED(EINVAL, fd, request, buffer);

	FILL(size + TAIL);
	buffer[size] = 1;
	EXPECT_REFUSED(E2BIG, fd, request, buffer);
	FILL(size + TAIL);
	buffer[size + TAIL - 1] = 1;
	EXPECT_REFUSED(E2BIG, fd, request, buffer);
	/* Far more than any structure will ever be. */
	FILL(0xffffffff);
	errno = 0;
	EXPECT_EQ(ioctl(fd, request, buffer), -1);
	EXPECT_TRUE(errno == E2BIG || errno == EFAULT);

	FILL(4097);
	EXPECT_REFUSED(E2BIG, fd, request, buffer);

	/* A later caller that uses nothing that this module does not know. A page is the most. */
	FILL(4096);
	EXPECT_EQ(ioctl(fd, request, buffer), 0);
	FILL(size);
	EXPECT_EQ(buffer[size], 0);
#undef FILL
}

/*
 * A caller of an earlier version: members that it does not know are not written, so what is after
 * its structure does not change.
 */
static void check_short(struct __test_metadata *_metadata, int fd,
			unsigned long request, size_t size, size_t now,
			const void *whole)
{
	char buffer[4096];
	__u32 given = size;
	size_t i;

	ASSERT_LE(now + TAIL, sizeof(buffer));
	memset(buffer, 0x5a, sizeof(buffer));
	memset(buffer, 0, size);
	memcpy(buffer, &given, sizeof(given));
	ASSERT_EQ(ioctl(fd, request, buffer), 0);
	memcpy(&given, buffer, sizeof(given));
	EXPECT_TRUE(given == size || given == now);
	EXPECT_EQ(memcmp(buffer + sizeof(given), (const char *)whole + sizeof(given),
			 size - sizeof(given)), 0);
	for (i = size; i < now + TAIL; i++)
		if (buffer[i] != 0x5a)
			break;
	EXPECT_EQ(i, now + TAIL)
		TH_LOG("byte %zu of a structure of %zu was written", i, size);
}

TEST_F(abi, query_size)
{
	struct memlat_query query = { .size = sizeof(query) };

	check_sizes(_metadata, self->fd, MEMLAT_IOC_QUERY, sizeof(query),
		    MEMLAT_QUERY_SIZE_V1, &query);
	check_short(_metadata, self->fd, MEMLAT_IOC_QUERY, MEMLAT_QUERY_SIZE_V1,
		    sizeof(query), &self->query);
	check_short(_metadata, self->fd, MEMLAT_IOC_QUERY, MEMLAT_QUERY_SIZE_V1 + 8,
		    sizeof(query), &self->query);
}

TEST_F(abi, status_size)
{
	struct memlat_status status = { .size = sizeof(status) }, now;

	ASSERT_EQ(device_status(self->fd, &now), 0);
	check_sizes(_metadata, self->fd, MEMLAT_IOC_STATUS, sizeof(status),
		    MEMLAT_STATUS_SIZE_V1, &status);
	check_short(_metadata, self->fd, MEMLAT_IOC_STATUS, MEMLAT_STATUS_SIZE_V1,
		    sizeof(status), &now);
	check_short(_metadata, self->fd, MEMLAT_IOC_STATUS, MEMLAT_STATUS_SIZE_V1 + 40,
		    sizeof(status), &now);
}

TEST_F(abi, start_size)
{
	struct memlat_status status;

	check_sizes(_metadata, self->fd, MEMLAT_IOC_START, sizeof(self->config),
		    MEMLAT_CONFIG_SIZE_V1, &self->config);
	/* Only the larger size with a tail of zeros has started a session. */
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.state, MEMLAT_STATE_RUNNING);
	EXPECT_EQ(device_stop(self->fd), 0);
}

/* Members that a caller of the first version does not know are zero. */
TEST_F(abi, start_size_first)
{
	struct memlat_config config = self->config;
	struct memlat_status status;

	config.size = MEMLAT_CONFIG_SIZE_V1;
	/* This would be refused if it were read. */
	memset((char *)&config + MEMLAT_CONFIG_SIZE_V1, 0xff,
	       sizeof(config) - MEMLAT_CONFIG_SIZE_V1);
	ASSERT_EQ(device_start(self->fd, &config), 0);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(status.max_overhead, 0);
	EXPECT_EQ(status.cgroup, 0);
	EXPECT_EQ(status.cpus_armed, status.cpus_online);
	EXPECT_EQ(device_stop(self->fd), 0);
}

TEST_F(abi, reader_size)
{
	struct memlat_reader reader = { .size = sizeof(reader) };

	check_sizes(_metadata, self->fd, MEMLAT_IOC_READER, sizeof(reader),
		    sizeof(reader), &reader);
}

TEST_F(abi, prefetch_size)
{
	struct memlat_prefetch prefetch = { .size = sizeof(prefetch) };

	check_sizes(_metadata, self->fd, MEMLAT_IOC_PREFETCH, sizeof(prefetch),
		    sizeof(prefetch), &prefetch);
}

/* What every machine refuses, and why; and a bad pointer. */
TEST_F(abi, prefetch_refused)
{
	static const struct {
		struct memlat_prefetch prefetch;
		__u32 reason;
	} wrong[] = {
		{ { .op = MEMLAT_PREFETCH_ON + 1 }, MEMLAT_WHY_FLAGS },
		{ { .op = MEMLAT_PREFETCH_SHOW, .kinds = 1 }, MEMLAT_WHY_FLAGS },
		{ { .op = MEMLAT_PREFETCH_SHOW, .flags = MEMLAT_PREFETCH_F_TIED }, MEMLAT_WHY_FLAGS },
		{ { .op = MEMLAT_PREFETCH_SHOW, .cpu = ~0u }, MEMLAT_WHY_CPUS },
		{ { .op = MEMLAT_PREFETCH_SHOW, .reason = 1 }, MEMLAT_WHY_RESERVED },
		{ { .op = MEMLAT_PREFETCH_OFF, .kinds = MEMLAT_PREFETCH_ALL + 1 }, MEMLAT_WHY_FLAGS },
		{ { .op = MEMLAT_PREFETCH_OFF, .flags = 2 }, MEMLAT_WHY_FLAGS },
		{ { .op = MEMLAT_PREFETCH_OFF, .cpu = 1 }, MEMLAT_WHY_RESERVED },
		{ { .op = MEMLAT_PREFETCH_OFF, .cpus = { [MEMLAT_CPU_WORDS - 1] = 1ull << 63 } },
		  MEMLAT_WHY_CPUS },
		{ { .op = MEMLAT_PREFETCH_ON, .flags = MEMLAT_PREFETCH_F_TIED }, MEMLAT_WHY_FLAGS },
	};
	struct memlat_prefetch prefetch;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		prefetch = wrong[i].prefetch;
		prefetch.size = sizeof(prefetch);
		EXPECT_REFUSED(EINVAL, self->fd, MEMLAT_IOC_PREFETCH, &prefetch);
		EXPECT_EQ(prefetch.reason, wrong[i].reason)
			TH_LOG("case %u", i);
	}
	EXPECT_REFUSED(EFAULT, self->fd, MEMLAT_IOC_PREFETCH, NULL);
	EXPECT_REFUSED(EFAULT, self->fd, MEMLAT_IOC_PREFETCH, (void *)0xffffffff81000000ull);
	/* A machine that cannot turn prefetchers off has none that are off. */
	prefetch = (struct memlat_prefetch) { .size = sizeof(prefetch) };
	EXPECT_EQ(ioctl(self->fd, MEMLAT_IOC_PREFETCH, &prefetch), 0);
	EXPECT_EQ(prefetch.owner, MEMLAT_PREFETCH_NOBODY);
	EXPECT_EQ(prefetch.online, 1);
}

TEST_F(abi, start_size_refused_changes_nothing)
{
	struct memlat_config config = self->config;
	struct memlat_status before, after;

	ASSERT_EQ(device_status(self->fd, &before), 0);
	config.size = 4;
	EXPECT_REFUSED(EINVAL, self->fd, MEMLAT_IOC_START, &config);
	ASSERT_EQ(device_status(self->fd, &after), 0);
	EXPECT_EQ(memcmp(&before, &after, sizeof(before)), 0);
}

TEST_F(abi, unknown_ioctl)
{
	struct memlat_status before, after;
	char buffer[4096] = { 0 };

	ASSERT_EQ(device_status(self->fd, &before), 0);
	EXPECT_REFUSED(ENOTTY, self->fd, _IO(MEMLAT_IOC_MAGIC, 8), buffer);
	EXPECT_REFUSED(ENOTTY, self->fd, _IO(MEMLAT_IOC_MAGIC, 255), buffer);
	EXPECT_REFUSED(ENOTTY, self->fd, _IO('M', 2), buffer);
	EXPECT_REFUSED(ENOTTY, self->fd, 0, buffer);
	EXPECT_REFUSED(ENOTTY, self->fd, ~0u, buffer);
	ASSERT_EQ(device_status(self->fd, &after), 0);
	EXPECT_EQ(memcmp(&before, &after, sizeof(before)), 0);
}

TEST_F(abi, bad_pointer)
{
	static const unsigned long requests[] = {
		MEMLAT_IOC_QUERY, MEMLAT_IOC_START, MEMLAT_IOC_STATUS,
		MEMLAT_IOC_READER
	};
	struct memlat_status before, after;
	const size_t page = 4096;
	__u32 size = 256;
	unsigned int i;
	char *pages;

	/* After the page is a hole, so a structure at the page's end is cut in two. */
	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(pages, MAP_FAILED);
	ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
	memcpy(pages + page - 8, &size, sizeof(size));

	ASSERT_EQ(device_status(self->fd, &before), 0);
	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		EXPECT_REFUSED(EFAULT, self->fd, requests[i], NULL);
		EXPECT_REFUSED(EFAULT, self->fd, requests[i], pages + page);
		EXPECT_REFUSED(EFAULT, self->fd, requests[i], pages + page - 8);
		EXPECT_REFUSED(EFAULT, self->fd, requests[i],
			       (void *)0xffffffff81000000ull);
	}
	ASSERT_EQ(device_status(self->fd, &after), 0);
	EXPECT_EQ(memcmp(&before, &after, sizeof(before)), 0);
	munmap(pages, 2 * page);
}

TEST_F(abi, session)
{
	struct memlat_config second = self->config;
	struct memlat_status idle, running, after;

	ASSERT_EQ(device_status(self->fd, &idle), 0);
	EXPECT_EQ(idle.state, MEMLAT_STATE_IDLE);
	EXPECT_EQ(idle.cpus_armed, 0);
	EXPECT_EQ(device_stop(self->fd), -ENODATA);

	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	EXPECT_EQ(self->config.reason, MEMLAT_WHY_NONE);
	ASSERT_EQ(device_status(self->fd, &running), 0);
	EXPECT_EQ(running.state, MEMLAT_STATE_RUNNING);
	EXPECT_EQ(running.ended, MEMLAT_END_NONE);
	EXPECT_EQ(running.ldlat, self->config.ldlat);
	EXPECT_EQ(running.period, self->config.period);
	/* If neither loads nor stores are requested, loads are sampled. */
	EXPECT_EQ(running.flags & ~MEMLAT_F_LOADS, self->config.flags);
	EXPECT_EQ(running.pid, 0);
	EXPECT_EQ(running.cpus_online, sysconf(_SC_NPROCESSORS_ONLN));
	EXPECT_EQ(running.cpus_armed, running.cpus_online);
	EXPECT_NE(running.started_ns, 0);
	EXPECT_EQ(running.max_memory, self->query.memory_default);
	EXPECT_LE(running.store_bytes, running.max_memory);

	second.ldlat = 200;
	EXPECT_EQ(device_start(self->fd, &second), -EBUSY);
	EXPECT_EQ(second.reason, MEMLAT_WHY_RUNNING);
	ASSERT_EQ(device_status(self->fd, &after), 0);
	EXPECT_EQ(after.state, MEMLAT_STATE_RUNNING);
	EXPECT_EQ(after.ldlat, running.ldlat);
	EXPECT_EQ(after.started_ns, running.started_ns);
	EXPECT_GE(after.records, running.records);

	EXPECT_EQ(device_stop(self->fd), 0);
	EXPECT_EQ(device_stop(self->fd), -ENODATA);
	ASSERT_EQ(device_status(self->fd, &after), 0);
	EXPECT_EQ(after.state, MEMLAT_STATE_IDLE);
	EXPECT_EQ(after.ended, MEMLAT_END_STOPPED);
	EXPECT_EQ(after.cpus_armed, 0);
}

/* The errno of open() in a process without privileges. */
static int open_as_nobody(void)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return -1;
	if (!child) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(255);
		_exit(device_open() < 0 ? errno : 0);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(abi, not_root)
{
	struct stat node;

	ASSERT_EQ(stat(MEMLAT_DEVICE, &node), 0);
	EXPECT_EQ(node.st_mode & 07777, 0600);
	EXPECT_EQ(open_as_nobody(), EACCES);
	/* The same if an administrator has opened the node to all. */
	ASSERT_EQ(chmod(MEMLAT_DEVICE, 0666), 0);
	EXPECT_EQ(open_as_nobody(), EPERM);
	ASSERT_EQ(chmod(MEMLAT_DEVICE, node.st_mode & 07777), 0);
}

ABI_UNLOAD

TEST_HARNESS_MAIN
