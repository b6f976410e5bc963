// SPDX-License-Identifier: GPL-2.0
#include "housekeeping.h"

#include <string.h>

#include "../analysis/line.h"

/*
 * Variables of kernel/time/timekeeping.c and vsyscall.c; since 5.3 the vDSO's data has its present
 * names. Each is written as a whole, and read under a sequence count.
 */
static const char *const clocks[] = {
	"timekeeper_data", "shadow_timekeeper", "tk_core", "tk_fast_mono", "tk_fast_raw",
	"vdso_data_store", "vdso_time_data", "vdso_time_data_store", "vdso_k_time_data",
	"_vdso_data",
};

/*
 * kernel/time: jiffies.c, tick-common.c, tick-sched.c, hrtimer.c, timer.c; kernel/sched:
 * core.c, loadavg.c, clock.c, topology.c; kernel/rcu/tree.c.
 */
static const char *const others[] = {
	"jiffies", "jiffies_64", "jiffies_lock", "jiffies_seq",
	"tick_next_period", "last_jiffies_update", "tick_do_timer_cpu", "tick_cpu_sched",
	"tick_cpu_device", "hrtimer_bases", "timer_bases", "runqueues", "calc_load_tasks",
	"calc_load_update", "sched_clock_data", "root_task_group", "def_root_domain", "nohz",
	"rcu_state", "rcu_data",
};

/* Is the variable one of these? It may be a CPU's copy, a field, or the whole. */
static bool one_of(const char *const *names, size_t nr, const char *name)
{
	size_t i, length;

	for (i = 0; name && i < nr; i++) {
		length = strlen(names[i]);
		if (!strncmp(name, names[i], length) &&
		    (!name[length] || strchr(" .[", name[length])))
			return true;
	}
	return false;
}

bool housekeeping_clock(const char *name)
{
	return one_of(clocks, sizeof(clocks) / sizeof(clocks[0]), name);
}

bool housekeeping_name(const char *name)
{
	return housekeeping_clock(name) ||
	       one_of(others, sizeof(others) / sizeof(others[0]), name);
}

bool housekeeping_line(struct namer *namer, const struct memlat_rec_line *line)
{
	if (!namer || !kernel_address(line->addr))
		return false;
	return housekeeping_name(namer_data(namer, 0, 0, line->addr + 8 * line_hot_slot(line),
					    0)->name);
}
