// SPDX-License-Identifier: GPL-2.0
/*
 * memlat: load latency and HITM cache lines from PEBS, aggregated in the kernel.
 */
#include <linux/module.h>

#include "memlat.h"

static int __init memlat_init(void)
{
	int ret;

	ret = memlat_session_init();
	if (ret)
		return ret;
	ret = memlat_prefetch_init();
	if (ret)
		goto session;
	ret = memlat_sysfs_init();
	if (ret)
		goto prefetch;
	ret = memlat_chardev_init();
	if (ret)
		goto sysfs;
	return 0;

sysfs:
	memlat_sysfs_exit();
prefetch:
	memlat_prefetch_exit();
session:
	memlat_session_exit();
	return ret;
}

static void __exit memlat_exit(void)
{
	/* First remove the interfaces, so that no session is started; then stop what runs. */
	memlat_chardev_exit();
	memlat_sysfs_exit();
	memlat_prefetch_exit();
	memlat_session_exit();
}

module_init(memlat_init);
module_exit(memlat_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Load latency and HITM cache lines from Intel PEBS, aggregated in the kernel");
MODULE_AUTHOR("The memlat authors");
MODULE_VERSION("0.1.0");
