/* SPDX-License-Identifier: GPL-2.0 */
/* For the tests of the ABI: the open device, and a valid config. */
#ifndef MEMLAT_TEST_ABI_FIXTURE_H
#define MEMLAT_TEST_ABI_FIXTURE_H

#include "abi.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"

/*
 * This limit is in wall-clock time, which says little about a debug kernel on a busy host. So it is
 * high, and run_all's limit ends a test that hangs.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	3000	/* s */

FIXTURE(abi) {
	int fd;
	struct memlat_query query;
	struct memlat_config config;
};

FIXTURE_SETUP(abi)
{
	self->fd = abi_open();
	if (self->fd == -ENODEV)
		SKIP(return, "this machine has no PEBS that memlat knows");
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(device_query(self->fd, &self->query), 0);
	self->config = device_config(MEMLAT_LDLAT_DEFAULT,
				     device_period(self->fd, 101));
}

FIXTURE_TEARDOWN(abi)
{
	if (self->fd < 0)
		return;
	device_stop(self->fd);
	close(self->fd);
}

/* ioctl() returns -1 with exactly this errno. */
#define EXPECT_REFUSED(expected, fd, request, argument)			\
	do {								\
		errno = 0;						\
		EXPECT_EQ(ioctl(fd, request, argument), -1);		\
		EXPECT_EQ(errno, expected);				\
	} while (0)

/* This has to be the last test: an open descriptor holds the module, which is then unloaded. */
#define ABI_UNLOAD							\
	TEST_F(abi, unload)						\
	{								\
		EXPECT_EQ(module_unload(), -EWOULDBLOCK);		\
		close(self->fd);					\
		self->fd = -1;						\
		EXPECT_EQ(module_unload(), 0);				\
		EXPECT_EQ(device_open(), -ENOENT);			\
	}

#endif
