// SPDX-License-Identifier: GPL-2.0
/* /dev/memlat as the tests call it. */
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int call(int fd, unsigned long request, void *data)
{
	return ioctl(fd, request, data) ? -errno : 0;
}

int device_open(void)
{
	int fd = open(MEMLAT_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int device_query(int fd, struct memlat_query *query)
{
	*query = (struct memlat_query){ .size = sizeof(*query) };
	return call(fd, MEMLAT_IOC_QUERY, query);
}

int device_start(int fd, struct memlat_config *config)
{
	return call(fd, MEMLAT_IOC_START, config);
}

int device_stop(int fd)
{
	return call(fd, MEMLAT_IOC_STOP, NULL);
}

int device_reset(int fd)
{
	return call(fd, MEMLAT_IOC_RESET, NULL);
}

int device_status(int fd, struct memlat_status *status)
{
	*status = (struct memlat_status){ .size = sizeof(*status) };
	return call(fd, MEMLAT_IOC_STATUS, status);
}

bool device_is(int fd, enum memlat_state state)
{
	struct memlat_status status;

	return !device_status(fd, &status) && status.state == state;
}

int device_tables(int fd, unsigned int tables)
{
	struct memlat_reader reader = { .size = sizeof(reader), .tables = tables };

	return call(fd, MEMLAT_IOC_READER, &reader);
}

int device_snapshot(int fd, struct snapshot *snapshot)
{
	size_t size = 0, room = 0;
	char *stream = NULL, *more;
	ssize_t got;
	int error;

	error = call(fd, MEMLAT_IOC_SNAPSHOT, NULL);
	if (error)
		return error;
	do {
		if (room - size < MEMLAT_REC_MAX) {
			room = room ? 2 * room : 16 * MEMLAT_REC_MAX;
			more = realloc(stream, room);
			if (!more) {
				free(stream);
				return -ENOMEM;
			}
			stream = more;
		}
		got = read(fd, stream + size, room - size);
		if (got < 0) {
			error = -errno;
			free(stream);
			return error;
		}
		size += got;
	} while (got);

	error = snapshot_parse(snapshot, stream, size);
	free(stream);
	return error;
}

struct memlat_config device_config(unsigned int ldlat, unsigned long period)
{
	return (struct memlat_config){
		.size = sizeof(struct memlat_config),
		.ldlat = ldlat,
		.flags = MEMLAT_F_USER | MEMLAT_F_KERNEL,
		.period = period,
	};
}

static bool is_prime(unsigned long number)
{
	unsigned long divisor;

	for (divisor = 2; divisor * divisor <= number; divisor++)
		if (number % divisor == 0)
			return false;
	return number > 1;
}

unsigned long device_period(int fd, unsigned long wanted)
{
	struct memlat_query query;

	if (!device_query(fd, &query) && wanted < query.period_min)
		wanted = query.period_min;
	while (!is_prime(wanted))
		wanted++;
	return wanted;
}
