/* SPDX-License-Identifier: GPL-2.0 */
/* The device, open, and a good configuration: for the tests of the ABI. */
#ifndef MEMLAT_TEST_ABI_FIXTURE_H
#define MEMLAT_TEST_ABI_FIXTURE_H

#include "abi.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"

/*
 * By the clock on the wall, which says little on a kernel that checks all it does, on a host
 * that is busy: run_all's limit is what ends a test that hangs.
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

/* ioctl() gives -1 and exactly this errno. */
#define EXPECT_REFUSED(expected, fd, request, argument)			\
	do {								\
		errno = 0;						\
		EXPECT_EQ(ioctl(fd, request, argument), -1);		\
		EXPECT_EQ(errno, expected);				\
	} while (0)

/* The last: an open descriptor holds the module, and without it, it goes. */
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
