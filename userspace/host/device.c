// SPDX-License-Identifier: GPL-2.0
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/*
 * Ask the keeper of a session of perf's engine. Whoever waits for an interval's end is woken by a
 * byte, which may have arrived before the answer.
 */
static int ask(int fd, unsigned long request, void *argument)
{
	struct device_call call = { .request = request };
	ssize_t got;

	if (_IOC_SIZE(request) > sizeof(call.argument))
		return -ENOTTY;
	if (argument)
		memcpy(&call.argument, argument, _IOC_SIZE(request));
	if (send(fd, &call, sizeof(call), MSG_NOSIGNAL) < 0)
		return errno == ENOTSOCK ? -ENOTTY : -EOWNERDEAD;
	do
		got = recv(fd, &call, sizeof(call), 0);
	while (got == 1 || (got < 0 && errno == EINTR));
	if (got != (ssize_t)sizeof(call))
		return -EOWNERDEAD;
	if (argument)
		memcpy(argument, &call.argument, _IOC_SIZE(request));
	return call.result;
}

static int call(int fd, unsigned long request, void *argument)
{
	/*
	 * Retry after a signal, because a stop or a drain of all CPUs may wait, and a handled
	 * signal (a window changes its size) is no reason to give up.
	 */
	for (;;) {
		if (ioctl(fd, request, argument) >= 0)
			return 0;
		if (errno == ENOTTY)
			return ask(fd, request, argument);
		if (errno != EINTR)
			return -errno;
	}
}

enum engine_choice engine_choose(enum engine_choice asked, bool needs_module, bool opens,
				 bool perf_loads)
{
	if (asked != ENGINE_EITHER)
		return asked;
	return needs_module || opens || !perf_loads ? ENGINE_MODULE : ENGINE_PERF;
}

int memlat_device_open(void)
{
	int fd = open(MEMLAT_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool memlat_device_is_absent(int ret)
{
	return ret == -ENOENT || ret == -ENXIO || ret == -ENODEV;
}

int memlat_device_query(int fd, struct memlat_query *query)
{
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	return call(fd, MEMLAT_IOC_QUERY, query);
}

int memlat_device_start(int fd, struct memlat_config *config)
{
	config->size = sizeof(*config);
	return call(fd, MEMLAT_IOC_START, config);
}

int memlat_device_stop(int fd)
{
	return call(fd, MEMLAT_IOC_STOP, NULL);
}

int memlat_device_reset(int fd)
{
	return call(fd, MEMLAT_IOC_RESET, NULL);
}

int memlat_device_status(int fd, struct memlat_status *status)
{
	memset(status, 0, sizeof(*status));
	status->size = sizeof(*status);
	return call(fd, MEMLAT_IOC_STATUS, status);
}

int memlat_device_snapshot(int fd)
{
	return call(fd, MEMLAT_IOC_SNAPSHOT, NULL);
}

int memlat_device_prefetch(int fd, struct memlat_prefetch *prefetch)
{
	prefetch->size = sizeof(*prefetch);
	return call(fd, MEMLAT_IOC_PREFETCH, prefetch);
}

int memlat_device_reader(int fd, __u32 tables, __u32 interval_ms)
{
	struct memlat_reader reader = {
		.size = sizeof(reader),
		.interval_ms = interval_ms,
		.tables = tables,
		.flags = MEMLAT_READER_PACKED,
	};
	int ret = call(fd, MEMLAT_IOC_READER, &reader);

	if (ret != -EINVAL)
		return ret;
	/* A module from before there was that flag. */
	reader.flags = 0;
	return call(fd, MEMLAT_IOC_READER, &reader);
}

__u64 device_store_period_min(const struct memlat_query *query)
{
	return query->store_period_min ? query->store_period_min : query->period_min;
}
