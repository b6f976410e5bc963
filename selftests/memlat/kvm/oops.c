// SPDX-License-Identifier: GPL-2.0
/* A bug that has nothing to do with memlat, and crashes the kernel. */
#include <linux/module.h>

static int __init oops(void)
{
	/* cppcheck-suppress nullPointer */
	*(volatile int *)NULL = 0;
	return 0;
}

module_init(oops);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("An oops for memlat's tests");
