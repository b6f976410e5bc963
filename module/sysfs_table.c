// SPDX-License-Identifier: GPL-2.0
/*
 * The files of /sys/kernel/memlat that are tables. Each begins with lines that start with '#'.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/time64.h>

#include "core/bucket.h"
#include "hw/cores.h"
#include "session.h"
#include "sysfs_status.h"
#include "sysfs_table.h"

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

/**
 * memlat_sysfs_buckets - loads by latency and source
 * @buf: a page
 * @s: the status
 * @t: the totals
 *
 * Return: bytes.
 */
int memlat_sysfs_buckets(char *buf, const struct memlat_status *s, const struct memlat_totals *t)
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

static const char *const source_names[MEMLAT_SRC_NR] = {
	[MEMLAT_SRC_UNKNOWN] = "unknown",
	[MEMLAT_SRC_L1] = "l1",
	[MEMLAT_SRC_LFB] = "lfb",
	[MEMLAT_SRC_L2] = "l2",
	[MEMLAT_SRC_L3] = "l3",
	[MEMLAT_SRC_L3_SNOOP] = "l3_snoop",
	[MEMLAT_SRC_L3_HITM] = "l3_hitm",
	[MEMLAT_SRC_RCACHE] = "rcache",
	[MEMLAT_SRC_RHITM] = "rhitm",
	[MEMLAT_SRC_DRAM] = "dram",
	[MEMLAT_SRC_RDRAM] = "rdram",
	[MEMLAT_SRC_PMEM] = "pmem",
	[MEMLAT_SRC_RPMEM] = "rpmem",
	[MEMLAT_SRC_L4] = "l4",
	[MEMLAT_SRC_IO] = "io",
	[MEMLAT_SRC_UNC] = "unc",
};

/**
 * memlat_sysfs_sources - loads by source
 * @buf: a page
 * @s: not used
 * @t: the totals
 *
 * Return: bytes.
 */
int memlat_sysfs_sources(char *buf, const struct memlat_status *s, const struct memlat_totals *t)
{
	unsigned int source, row;
	int at = 0;

	at += sysfs_emit_at(buf, at, "# source samples weight latency_sum\n");
	for (source = 0; source < MEMLAT_SRC_NR; source++) {
		struct memlat_tally sum = {};

		for (row = 0; row < MEMLAT_BUCKETS; row++) {
			sum.samples += t->sum.bucket[row][source].samples;
			sum.weight += t->sum.bucket[row][source].weight;
		}
		at += sysfs_emit_at(buf, at, "%s %llu %llu %llu\n", source_names[source],
				    sum.samples, sum.weight, t->sum.latency[source]);
	}
	return at;
}

/**
 * memlat_sysfs_lines - the hottest lines
 * @buf: a page
 * @line: the lines, hottest first
 * @lines: number of lines
 * @age_ns: time since they were last updated
 *
 * The name is the last column, because it may contain blanks; unprintable characters are escaped.
 *
 * Return: bytes.
 */
int memlat_sysfs_lines(char *buf, const struct memlat_rec_line *line, unsigned int lines,
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
