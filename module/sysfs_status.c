// SPDX-License-Identifier: GPL-2.0
/*
 * The files of /sys/kernel/memlat that hold single figures, one "name value" a line.
 */
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "hw/cores.h"
#include "session.h"
#include "sysfs_status.h"

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

/**
 * memlat_sysfs_state - the state as a word
 * @s: the status
 */
const char *memlat_sysfs_state(const struct memlat_status *s)
{
	return s->state == MEMLAT_STATE_RUNNING ? "running" : "idle";
}

/**
 * memlat_sysfs_lost - number of wanted records that did not become samples
 * @s: the status
 */
u64 memlat_sysfs_lost(const struct memlat_status *s)
{
	return s->malformed + s->collision;
}

/**
 * memlat_sysfs_status - every member of struct memlat_status, by name
 * @buf: a page
 * @s: the status
 * @t: not used
 *
 * Return: bytes.
 */
int memlat_sysfs_status(char *buf, const struct memlat_status *s, const struct memlat_totals *t)
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

/**
 * memlat_sysfs_losses - every kind of loss, and the sum of those that exclude each other
 * @buf: a page
 * @s: the status
 * @t: not used
 *
 * Return: bytes.
 */
int memlat_sysfs_losses(char *buf, const struct memlat_status *s, const struct memlat_totals *t)
{
	const struct row rows[] = {
		{ "malformed", s->malformed },
		{ "collision", s->collision },
		{ "cells_lost", s->cells_lost },
		{ "total", memlat_sysfs_lost(s) + s->cells_lost },
		{ "lines_evicted", s->lines_evicted },
		{ "sites_evicted", s->sites_evicted },
		{ "accesses_evicted", s->accesses_evicted },
		{ "threads_evicted", s->threads_evicted },
		{ "stacks_lost", s->stacks_lost },
		{ "strides_evicted", s->strides_evicted },
		{ "forks_lost", s->forks_lost },
		{ "full_pmis", s->full_pmis },
	};

	return put_rows(buf, 0, rows, ARRAY_SIZE(rows));
}

/**
 * memlat_sysfs_ldlat - the threshold
 * @buf: a page
 * @s: the status
 * @t: not used
 *
 * Return: bytes.
 */
int memlat_sysfs_ldlat(char *buf, const struct memlat_status *s, const struct memlat_totals *t)
{
	return sysfs_emit(buf, "%u\n", s->ldlat);
}

/**
 * memlat_sysfs_period - the period of loads, as configured
 * @buf: a page
 * @s: the status
 * @t: not used
 *
 * Return: bytes.
 */
int memlat_sysfs_period(char *buf, const struct memlat_status *s, const struct memlat_totals *t)
{
	return sysfs_emit(buf, "%llu\n", s->period);
}
