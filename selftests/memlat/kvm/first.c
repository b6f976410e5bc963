// SPDX-License-Identifier: GPL-2.0
/*
 * A module that counts while it is loaded, and another one of the same layout, so that the kernel
 * puts it where the first one was (second.c).
 */
#include <linux/module.h>

#ifndef COUNT
#define COUNT	first_count
#define TOTAL	first_total
#endif

#define ROUNDS	200000

static u64 TOTAL;

/* Not __init, because that code is apart from the rest, and freed. */
static noinline void COUNT(void)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		WRITE_ONCE(TOTAL, READ_ONCE(TOTAL) + 1);
}

static int __init start(void)
{
	COUNT();
	return 0;
}

static void __exit finish(void)
{
}

module_init(start);
module_exit(finish);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Counts, for memlat's tests");
