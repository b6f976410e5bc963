// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/memlat: buckets and status, for people and for monitoring.
 * The files are 0400, and ask for the capability that /dev/memlat asks for.
 */
#include <linux/capability.h>
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "core/bucket.h"
#include "session.h"
#include "sysfs.h"

/* What a column sums up. */
struct column {
	const char *name;
	u32 sources;	/* bit per enum memlat_source */
};

#define S(name)	(1U << MEMLAT_SRC_##name)

static const struct column columns[] = {
	{ "l1", S(L1) },
	{ "lfb", S(LFB) },
	{ "l2", S(L2) },
	{ "l3", S(L3) | S(L3_SNOOP) },
	{ "l3hitm", S(L3_HITM) },
	{ "rcache", S(RCACHE) },
	{ "rhitm", S(RHITM) },
	{ "dram", S(DRAM) },
	{ "rdram", S(RDRAM) },
	{ "other", S(UNKNOWN) | S(PMEM) | S(RPMEM) | S(L4) | S(IO) | S(UNC) },
	{ "total", (1U << MEMLAT_SRC_NR) - 1 },
};

#undef S

static u64 cell(const struct memlat_totals *t, unsigned int first, unsigned int last, u32 sources)
{
	unsigned int row, source;
	u64 sum = 0;

	for (row = first; row <= last; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++)
			if (sources & (1U << source))
				sum += t->bucket[row][source];
	return sum;
}

static int put_row(char *buf, int at, const char *label, const struct memlat_totals *t,
		   unsigned int first, unsigned int last)
{
	int start = at;
	unsigned int i;

	at += sysfs_emit_at(buf, at, "%-9s", label);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		at += sysfs_emit_at(buf, at, " %9llu", cell(t, first, last, columns[i].sources));
	at += sysfs_emit_at(buf, at, "\n");
	return at - start;
}

static const char *state_name(const struct memlat_status *s)
{
	return s->state == MEMLAT_STATE_RUNNING ? "running" : "idle";
}

static u64 lost(const struct memlat_status *s)
{
	return s->malformed + s->collision;
}

static int put_buckets(char *buf, const struct memlat_status *s, const struct memlat_totals *t)
{
	const unsigned int last = MEMLAT_BUCKETS - 1;
	char label[16];
	unsigned int i;
	int at = 0;

	at += sysfs_emit_at(buf, at,
			    "# memlat %u  state %s  ldlat %u  period %llu  samples %llu  lost %llu  unit cycles  edges %s\n",
			    MEMLAT_ABI_VERSION, state_name(s), s->ldlat, s->period, s->samples,
			    lost(s), memlat_session_model());
	at += sysfs_emit_at(buf, at, "%-9s", "# latency");
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		at += sysfs_emit_at(buf, at, " %9s", columns[i].name);
	at += sysfs_emit_at(buf, at, "\n");
	for (i = 0; i < last; i++) {
		snprintf(label, sizeof(label), "<=%u", memlat_bucket_edge[i]);
		at += put_row(buf, at, label, t, i, i);
	}
	snprintf(label, sizeof(label), ">%u", memlat_bucket_edge[last - 1]);
	at += put_row(buf, at, label, t, last, last);
	at += put_row(buf, at, "total", t, 0, last);
	return at;
}

static int put_status(char *buf, const struct memlat_status *s, const struct memlat_totals *t)
{
	const struct {
		const char *name;
		u64 value;
	} rows[] = {
		{ "ldlat", s->ldlat },
		{ "period", s->period },
		{ "pid", s->pid },
		{ "cpus_online", s->cpus_online },
		{ "cpus_armed", s->cpus_armed },
		{ "nodes", s->nodes },
		{ "duration_ns", s->duration_ns },
		{ "records", s->records },
		{ "samples", s->samples },
		{ "filtered", s->filtered },
		{ "malformed", s->malformed },
		{ "collision", s->collision },
		{ "full_pmis", s->full_pmis },
		{ "lines", s->lines },
		{ "lines_evicted", s->lines_evicted },
		{ "pmis", s->pmis },
		{ "late_pmis", s->late_pmis },
		{ "switch_drains", s->switch_drains },
		{ "merges", s->merges },
		{ "store_bytes", s->store_bytes },
		{ "max_memory", s->max_memory },
		{ "latency_sum", s->latency_sum },
		{ "latency_max", s->latency_max },
	};
	unsigned int i;
	int at = 0;

	at += sysfs_emit_at(buf, at, "model %s\nstate %s\n", memlat_session_model(), state_name(s));
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		at += sysfs_emit_at(buf, at, "%s %llu\n", rows[i].name, rows[i].value);
	return at;
}

static ssize_t show(char *buf, int (*put)(char *, const struct memlat_status *,
					  const struct memlat_totals *))
{
	struct memlat_totals *totals;
	struct memlat_status status;
	int n;

	if (!perfmon_capable())
		return -EPERM;
	totals = kvmalloc_obj(*totals);
	if (!totals)
		return -ENOMEM;
	memlat_session_status(&status, totals);
	n = put(buf, &status, totals);
	kvfree(totals);
	return n;
}

static ssize_t buckets_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return show(buf, put_buckets);
}

static ssize_t status_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return show(buf, put_status);
}

static struct kobj_attribute buckets_attr = __ATTR(buckets, 0400, buckets_show, NULL);
static struct kobj_attribute status_attr = __ATTR(status, 0400, status_show, NULL);

static struct attribute *attrs[] = {
	&buckets_attr.attr,
	&status_attr.attr,
	NULL,
};

static const struct attribute_group group = { .attrs = attrs };
static struct kobject *dir;

/**
 * memlat_sysfs_init - make /sys/kernel/memlat
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
 * memlat_sysfs_exit - take /sys/kernel/memlat away; waits for its readers
 */
void memlat_sysfs_exit(void)
{
	sysfs_remove_group(dir, &group);
	kobject_put(dir);
}
