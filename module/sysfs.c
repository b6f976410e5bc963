// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/memlat, for users and for monitoring. Documentation/ABI/testing/sysfs-kernel-memlat
 * says what each file shows.
 *
 * The files have mode 0400. Because a mode is easily changed, each read also checks that the reader
 * may open /dev/memlat.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "core/counts.h"
#include "hw/pmu.h"
#include "memlat.h"

/* The files that hold single figures, one "name value" a line. */

struct row {
	const char *name;
	u64 value;
};

static int put_rows(char *buf, int at, const struct row *rows, unsigned int n)
{
	const int start = at;
	unsigned int i;

	for (i = 0; i < n; i++)
		at += sysfs_emit_at(buf, at, "%s %llu\n", rows[i].name, rows[i].value);
	return at - start;
}

static const char *const end_names[] = {
	[MEMLAT_END_NONE] = "none",
	[MEMLAT_END_STOPPED] = "stopped",
	[MEMLAT_END_TAKEOVER] = "takeover",
	[MEMLAT_END_VMX] = "vmx",
	[MEMLAT_END_REBOOT] = "reboot",
	[MEMLAT_END_RESUME] = "resume",
	[MEMLAT_END_CLOSED] = "closed",
	[MEMLAT_END_OOPS] = "oops",
	[MEMLAT_END_GONE] = "gone",
};

static const char *const flag_names[] = {
	"user", "kernel", "no_guests", "loads", "stores", "thread", "children",
	"call_graph", "phys", "tied", "count", "stride",
};

static_assert((1U << ARRAY_SIZE(flag_names)) - 1 == MEMLAT_F_ALL);

static int put_flags(char *buf, int at, u32 flags)
{
	const char *separator = "";
	const int start = at;
	unsigned int i;

	at += sysfs_emit_at(buf, at, "flags ");
	for (i = 0; i < ARRAY_SIZE(flag_names); i++) {
		if (!(flags & (1U << i)))
			continue;
		at += sysfs_emit_at(buf, at, "%s%s", separator, flag_names[i]);
		separator = ",";
	}
	at += sysfs_emit_at(buf, at, "%s\n", *separator ? "" : "none");
	return at - start;
}

/* The state as a word. */
static const char *memlat_sysfs_state(const struct memlat_status *s)
{
	return s->state == MEMLAT_STATE_RUNNING ? "running" : "idle";
}

/* Number of wanted records that did not become samples. */
static u64 memlat_sysfs_lost(const struct memlat_status *s)
{
	return s->malformed + s->collision;
}

/* Every member of struct memlat_status, by name. */
static int memlat_sysfs_status(char *buf, const struct memlat_status *s,
			       const struct memlat_totals *t)
{
	const struct row rows[] = {
		{ "ldlat", s->ldlat },
		{ "period", s->period },
		{ "pid", s->pid },
		{ "cpus_online", s->cpus_online },
		{ "cpus_armed", s->cpus_armed },
		{ "nodes", s->nodes },
		{ "started_ns", s->started_ns },
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
		{ "max_overhead", s->max_overhead },
		{ "loads", s->loads },
		{ "stores", s->stores },
		{ "weight_loads", s->weight_loads },
		{ "weight_stores", s->weight_stores },
		{ "period_low", s->period_low },
		{ "period_high", s->period_high },
		{ "store_period_low", s->store_period_low },
		{ "store_period_high", s->store_period_high },
		{ "busy_cycles", s->busy_cycles },
		{ "own_cycles", s->own_cycles },
		{ "sampled_cycles", s->sampled_cycles },
		{ "guest_entries", s->guest_entries },
		{ "guest_ns", s->guest_ns },
		{ "guest_cpus", s->guest_cpus },
		{ "cells_lost", s->cells_lost },
		{ "lines_error", s->lines_error },
		{ "sites", s->sites },
		{ "sites_evicted", s->sites_evicted },
		{ "sites_error", s->sites_error },
		{ "accesses", s->accesses },
		{ "accesses_evicted", s->accesses_evicted },
		{ "accesses_error", s->accesses_error },
		{ "threads", s->threads },
		{ "threads_evicted", s->threads_evicted },
		{ "threads_error", s->threads_error },
		{ "stacks", s->stacks },
		{ "stacks_lost", s->stacks_lost },
		{ "cgroup", s->cgroup },
		{ "forks_lost", s->forks_lost },
		{ "suspends", s->suspends },
		{ "traits", s->traits },
		{ "cores", s->cores },
		{ "cache_latency_sum", s->cache_latency_sum },
		{ "use_latency_sum", s->use_latency_sum },
		{ "blocked_data", s->blocked_data },
		{ "blocked_addr", s->blocked_addr },
		{ "load_turn", s->load_turn },
		{ "store_turn", s->store_turn },
		{ "pairs", s->pairs },
		{ "strides", s->strides },
		{ "strides_evicted", s->strides_evicted },
		{ "strides_error", s->strides_error },
		{ "cpus_still", s->cpus_still },
	};
	int at = 0;

	at += sysfs_emit_at(buf, at, "model %s\nstate %s\nended %s\n", memlat_cores_model(),
			    memlat_sysfs_state(s), end_names[s->ended]);
	at += put_flags(buf, at, s->flags);
	at += put_rows(buf, at, rows, ARRAY_SIZE(rows));
	return at;
}

/* The files that are tables. Each begins with lines that start with '#'. */

/* What a column adds up. */
struct column {
	const char *name;
	u32 sources;	/* bits by enum memlat_source: added */
	u32 without;	/* bits by enum memlat_part: subtracted from the sources */
	u32 parts;	/* bits by enum memlat_part: added */
	u32 trait;	/* the MEMLAT_TRAIT_* that the column needs; 0: none */
};

#define S(name)	(1U << MEMLAT_SRC_##name)
#define P(name)	(1U << MEMLAT_PART_##name)

static const struct column columns[] = {
	{ "l1", S(L1), .without = P(NOT_MEMORY) },
	{ "notmem", .parts = P(NOT_MEMORY), .trait = MEMLAT_TRAIT_CACHE_LATENCY },
	{ "lfb", S(LFB) },
	{ "l2", S(L2) },
	{ "l3", S(L3) | S(L3_SNOOP), .without = P(XSNP_FWD) },
	{ "l3fwd", .parts = P(XSNP_FWD), .trait = MEMLAT_TRAIT_XSNP_FWD },
	{ "l3hitm", S(L3_HITM) },
	{ "rcache", S(RCACHE) },
	{ "rhitm", S(RHITM) },
	{ "dram", S(DRAM) },
	{ "rdram", S(RDRAM) },
	{ "other", S(UNKNOWN) | S(PMEM) | S(RPMEM) | S(L4) | S(IO) | S(UNC) },
	{ "total", (1U << MEMLAT_SRC_NR) - 1 },
};

#undef S
#undef P

static bool has_column(const struct memlat_status *s, const struct column *column)
{
	return !column->trait || (s->traits & column->trait);
}

static u64 memlat_column_sum(const struct memlat_totals *t, unsigned int first, unsigned int last,
			     const struct column *column)
{
	unsigned int row, source, part;
	u64 sum = 0;

	for (row = first; row <= last; row++) {
		for (source = 0; source < MEMLAT_SRC_NR; source++)
			if (column->sources & (1U << source))
				sum += t->sum.bucket[row][source].samples;
		for (part = 0; part < MEMLAT_PART_NR; part++) {
			if (column->without & (1U << part))
				sum -= t->sum.part[part][row].samples;
			if (column->parts & (1U << part))
				sum += t->sum.part[part][row].samples;
		}
	}
	return sum;
}

static int memlat_put_row(char *buf, int at, const char *label, const struct memlat_status *s,
			  const struct memlat_totals *t, unsigned int first, unsigned int last)
{
	int start = at;
	unsigned int i;

	at += sysfs_emit_at(buf, at, "%-9s", label);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (has_column(s, &columns[i]))
			at += sysfs_emit_at(buf, at, " %9llu",
					    memlat_column_sum(t, first, last, &columns[i]));
	at += sysfs_emit_at(buf, at, "\n");
	return at - start;
}

/* Print what a reader has to know about the samples of this CPU. */
static int put_traits(char *buf, int at, const struct memlat_status *s)
{
	const u64 turns = s->load_turn + s->store_turn;
	const int start = at;

	if (turns) {
		u64 loads = mul_u64_u64_div_u64(s->load_turn, 100, turns);

		at += sysfs_emit_at(buf, at, "  load_turn %llu%%  store_turn %llu%%", loads,
				    100 - loads);
	}
	if (s->traits & MEMLAT_TRAIT_IP_AFTER)
		at += sysfs_emit_at(buf, at, "  ip after");
	if (s->traits & MEMLAT_TRAIT_BLOCKED)
		at += sysfs_emit_at(buf, at, "  blocked_data %llu  blocked_addr %llu",
				    s->blocked_data, s->blocked_addr);
	return at - start;
}

/* On hybrid parts, print the kinds of cores and their CPUs. */
static int put_cores(char *buf, int at)
{
	const int start = at;
	cpumask_var_t cpus;
	unsigned int i, cpu;

	if (memlat_cores_nr() < 2 || !zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return 0;
	for (i = 0; i < memlat_cores_nr(); i++) {
		cpumask_clear(cpus);
		for_each_possible_cpu(cpu)
			if (memlat_cores_cpu_is(cpu, i))
				cpumask_set_cpu(cpu, cpus);
		at += sysfs_emit_at(buf, at, "# core %u  model %s  cpus %*pbl\n", i,
				    memlat_cores_info(i)->name, cpumask_pr_args(cpus));
	}
	free_cpumask_var(cpus);
	return at - start;
}

/* Loads by latency and source. */
static int memlat_sysfs_buckets(char *buf, const struct memlat_status *s,
				const struct memlat_totals *t)
{
	const unsigned int last = MEMLAT_BUCKETS - 1;
	char label[16];
	unsigned int i;
	int at = 0;

	at += sysfs_emit_at(buf, at, "# memlat %u  state %s  ldlat %u  period %llu",
			    MEMLAT_ABI_VERSION, memlat_sysfs_state(s), s->ldlat, s->period_low);
	/* With a CPU budget the periods vary. */
	if (s->period_high != s->period_low)
		at += sysfs_emit_at(buf, at, "..%llu", s->period_high);
	at += sysfs_emit_at(buf, at, "  samples %llu  lost %llu  unit cycles  edges %s",
			    s->loads, memlat_sysfs_lost(s), memlat_cores_model());
	at += put_traits(buf, at, s);
	at += sysfs_emit_at(buf, at, "\n");
	at += put_cores(buf, at);
	at += sysfs_emit_at(buf, at, "%-9s", "# latency");
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (has_column(s, &columns[i]))
			at += sysfs_emit_at(buf, at, " %9s", columns[i].name);
	at += sysfs_emit_at(buf, at, "\n");
	for (i = 0; i < last; i++) {
		snprintf(label, sizeof(label), "<=%u", memlat_bucket_edge[i]);
		at += memlat_put_row(buf, at, label, s, t, i, i);
	}
	snprintf(label, sizeof(label), ">%u", memlat_bucket_edge[last - 1]);
	at += memlat_put_row(buf, at, label, s, t, last, last);
	at += memlat_put_row(buf, at, "total", s, t, 0, last);
	return at;
}

/*
 * The hottest lines, hottest first. The name is the last column, because it may contain blanks;
 * unprintable characters are escaped.
 */
static int memlat_sysfs_lines(char *buf, const struct memlat_rec_line *line, unsigned int lines,
			      u64 age_ns)
{
	int at = 0;

	at += sysfs_emit_at(buf, at, "# age_ms %llu  %-8s %8s %10s %10s %10s %10s %15s %s\n",
			    div_u64(age_ns, NSEC_PER_MSEC), "addr", "pid", "l3_hitm", "rhitm",
			    "loads", "stores", "cost", "comm");
	for (; lines; lines--, line++)
		at += sysfs_emit_at(buf, at,
				    "0x%016llx %8u %10llu %10llu %10llu %10llu %15llu %*pE\n",
				    line->addr, line->space, line->source[MEMLAT_SRC_L3_HITM],
				    line->source[MEMLAT_SRC_RHITM], line->samples - line->stores,
				    line->stores, line->cost,
				    (int)strnlen(line->comm, sizeof(line->comm)), line->comm);
	return at;
}

/* The files themselves. */

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
SHOW(buckets);

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

static struct kobj_attribute cpus_attr = __ATTR(cpus, 0400, memlat_cpus_show, NULL);
static struct kobj_attribute lines_attr = __ATTR(lines, 0400, memlat_lines_show, NULL);

static struct attribute *attrs[] = {
	&buckets_attr.attr,
	&status_attr.attr,
	&cpus_attr.attr,
	&lines_attr.attr,
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
