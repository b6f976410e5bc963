// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/memlat, for people and for monitoring. Documentation/ABI/testing/sysfs-kernel-memlat
 * says what each file shows.
 *
 * The files have mode 0400. Because a mode is easily changed, each read also checks that the reader
 * may open /dev/memlat.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>

#include "cpus.h"
#include "hw/memory.h"
#include "session.h"
#include "sysfs.h"
#include "sysfs_status.h"
#include "sysfs_table.h"

#define TOP_LINES	20

static int may_read(void)
{
	return perfmon_capable() ? security_locked_down(LOCKDOWN_PERF) : -EPERM;
}

typedef int (*put_fn)(char *buf, const struct memlat_status *s, const struct memlat_totals *t);

static ssize_t memlat_sysfs_show(char *buf, put_fn put)
{
	struct memlat_totals *totals;
	struct memlat_status status;
	int n = may_read();

	if (n)
		return n;
	totals = kvmalloc_obj(*totals, MEMLAT_GFP);
	if (!totals)
		return -ENOMEM;
	memlat_session_status(&status, totals);
	n = put(buf, &status, totals);
	kvfree(totals);
	return n;
}

/* Define a file whose text is made from the status and the totals. */
#define SHOW(name)								\
static ssize_t memlat_##name##_show(struct kobject *kobj, struct kobj_attribute *attr,	\
			   char *buf)						\
{										\
	return memlat_sysfs_show(buf, memlat_sysfs_##name);			\
}										\
static struct kobj_attribute name##_attr = __ATTR(name, 0400, memlat_##name##_show, NULL)

SHOW(status);
SHOW(losses);
SHOW(ldlat);
SHOW(period);
SHOW(buckets);
SHOW(sources);

static ssize_t memlat_cpus_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	cpumask_var_t armed;
	int n = may_read();

	if (n)
		return n;
	if (!zalloc_cpumask_var(&armed, GFP_KERNEL))
		return -ENOMEM;
	memlat_cpus_list(armed);
	n = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(armed));
	free_cpumask_var(armed);
	return n;
}

static ssize_t memlat_lines_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct memlat_rec_line *line;
	int lines, n = may_read();
	u64 age;

	if (n)
		return n;
	line = kvcalloc(TOP_LINES, sizeof(*line), MEMLAT_GFP);
	if (!line)
		return -ENOMEM;
	lines = memlat_session_top(line, TOP_LINES, &age);
	n = lines < 0 ? lines : memlat_sysfs_lines(buf, line, lines, age);
	kvfree(line);
	return n;
}

static ssize_t memlat_version_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return may_read() ?: sysfs_emit(buf, "%s abi %u\n", THIS_MODULE->version,
					MEMLAT_ABI_VERSION);
}

static struct kobj_attribute cpus_attr = __ATTR(cpus, 0400, memlat_cpus_show, NULL);
static struct kobj_attribute lines_attr = __ATTR(lines, 0400, memlat_lines_show, NULL);
static struct kobj_attribute version_attr = __ATTR(version, 0400, memlat_version_show, NULL);

static struct attribute *attrs[] = {
	&buckets_attr.attr,
	&status_attr.attr,
	&sources_attr.attr,
	&losses_attr.attr,
	&ldlat_attr.attr,
	&period_attr.attr,
	&cpus_attr.attr,
	&lines_attr.attr,
	&version_attr.attr,
	NULL,
};

static const struct attribute_group group = { .attrs = attrs };
static struct kobject *dir;

/**
 * memlat_sysfs_init - create /sys/kernel/memlat
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_sysfs_init(void)
{
	int ret;

	dir = kobject_create_and_add("memlat", kernel_kobj);
	if (!dir)
		return -ENOMEM;
	ret = sysfs_create_group(dir, &group);
	if (ret)
		kobject_put(dir);
	return ret;
}

/**
 * memlat_sysfs_exit - remove /sys/kernel/memlat; waits for its readers
 */
void memlat_sysfs_exit(void)
{
	sysfs_remove_group(dir, &group);
	kobject_put(dir);
}
