// SPDX-License-Identifier: GPL-2.0
/* What the tests of the ABI share. */
#include "abi.h"

#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool emulated(void)
{
	return command_run(NULL, "vpebsctl identify 2>/dev/null") == 0;
}

int abi_open(void)
{
	int error = module_load();

	/* The emulated machine has all that memlat needs, so the module must load there. */
	if (error == -ENODEV && !emulated())
		return error;
	return error ? (error == -ENODEV ? -EIO : error) : device_open();
}

bool same_status(const struct memlat_status *before,
		 const struct memlat_status *after)
{
	return !memcmp(before, after, sizeof(*before));
}

bool start_refused(int fd, struct memlat_config config, int error,
		   unsigned int reason)
{
	struct memlat_status before, after;
	int got;

	if (device_status(fd, &before))
		return false;
	got = device_start(fd, &config);
	if (!got)
		device_stop(fd);
	if (got != -error || config.reason != reason) {
		printf("# start gave %d with reason %u, expected %d with %u\n",
		       got, config.reason, -error, reason);
		return false;
	}
	return !device_status(fd, &after) && same_status(&before, &after);
}

bool start_accepted(int fd, struct memlat_config config)
{
	int error = device_start(fd, &config);

	if (error)
		printf("# start gave %d with reason %u\n", error, config.reason);
	return !error && !device_stop(fd);
}
