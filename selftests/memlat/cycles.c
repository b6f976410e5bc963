// SPDX-License-Identifier: GPL-2.0
/*
 * cycles N: insmod, start, stop and rmmod, N times. Every fourth time the unload itself has to end
 * the session. One process does all of this, because starting programs takes longest in an emulated
 * machine. Exits with status 1 and a message if a step fails.
 */
#include "command.h"
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failed(long cycle, const char *step, int error)
{
	fprintf(stderr, "cycles: %s of cycle %ld: %s\n", step, cycle,
		strerror(-error));
	return 1;
}

static int cycle(long number)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT, 1009);
	int error, fd;

	config.flags |= MEMLAT_F_LOADS | MEMLAT_F_STORES;
	error = module_load();
	if (error)
		return failed(number, "insmod", error);
	fd = device_open();
	if (fd < 0)
		return failed(number, "open", fd);
	error = device_start(fd, &config);
	if (error)
		return failed(number, "start", error);
	if (number % 4 != 3) {
		error = device_stop(fd);
		if (error)
			return failed(number, "stop", error);
	}
	close(fd);
	error = module_unload();
	return error ? failed(number, "rmmod", error) : 0;
}

int main(int argc, char **argv)
{
	long count = argc == 2 ? atol(argv[1]) : 0, i;

	if (count < 1) {
		fprintf(stderr, "usage: cycles N\n");
		return 2;
	}
	for (i = 0; i < count; i++)
		if (cycle(i))
			return 1;
	return 0;
}
