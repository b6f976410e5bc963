// SPDX-License-Identifier: GPL-2.0
#include "c2c_story.h"

#include <string.h>

#include "../analysis/line.h"

#define INSIDE	"__data.__"	/* glibc's locks are unions with their fields in __data */

/* The offsets of glibc's fields (sysdeps/x86/nptl, struct_mutex.h and struct_rwlock.h). */
static const struct {
	const char *name;
	__u64 offset, bytes;
} fields[] = {
	{ "lock", 0, 40 }, { "count", 4, 40 }, { "owner", 8, 40 }, { "nusers", 12, 40 },
	{ "kind", 16, 40 }, { "spins", 20, 40 }, { "elision", 22, 40 }, { "list", 24, 40 },
	{ "readers", 0, 56 }, { "writers", 4, 56 }, { "wrphase_futex", 8, 56 },
	{ "writers_futex", 12, 56 }, { "cur_writer", 24, 56 }, { "shared", 28, 56 },
	{ "flags", 48, 56 },
};

/*
 * Names of the functions of glibc and the kernel that work on a lock, without leading underscores,
 * and the lock's bytes: pthread_mutex_t 40, pthread_rwlock_t 56; struct mutex and struct
 * rw_semaphore 40 at most, a spinlock 4, a qrwlock 8.
 */
static const struct {
	const char *begins;
	__u64 bytes;
} functions[] = {
	{ "GI_pthread_mutex_", 40 }, { "pthread_mutex_", 40 }, { "lll_lock", 40 },
	{ "lll_mutex_lock", 40 },
	{ "pthread_rwlock_", 56 }, { "pthread_spin_", 4 },
	{ "mutex_lock", 40 }, { "mutex_unlock", 40 }, { "mutex_trylock", 40 },
	{ "osq_lock", 40 }, { "osq_unlock", 40 },
	{ "rwsem_down_", 40 }, { "rwsem_wake", 40 }, { "rwsem_mark_wake", 40 },
	{ "down_read", 40 }, { "down_write", 40 }, { "up_read", 40 }, { "up_write", 40 },
	{ "native_queued_spin_lock_slowpath", 4 }, { "queued_spin_lock_slowpath", 4 },
	{ "pv_queued_spin_lock_slowpath", 4 }, { "raw_spin_", 4 },
	{ "queued_read_lock_slowpath", 8 }, { "queued_write_lock_slowpath", 8 },
	{ "raw_read_", 8 }, { "raw_write_", 8 },
};

/*
 * Is the text the name, as in "__owner|__size[8]}"? The name ends where no letter of a name
 * follows.
 */
static bool is_name(const char *text, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(text, name, length) && !strchr("abcdefghijklmnopqrstuvwxyz_",
						       text[length] ? text[length] : '.');
}

bool locks_by_names(const char *field, const char *function, __u64 addr,
		    struct verdict_lock *lock)
{
	const char *inside = field ? strstr(field, INSIDE) : NULL;
	size_t i;

	for (i = 0; inside && i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!is_name(inside + strlen(INSIDE), fields[i].name))
			continue;
		*lock = (struct verdict_lock){ addr - fields[i].offset, fields[i].bytes, false };
		return true;
	}
	while (function && *function == '_')
		function++;
	for (i = 0; function && i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strncmp(function, functions[i].begins, strlen(functions[i].begins)))
			continue;
		*lock = (struct verdict_lock){ addr, functions[i].bytes, false };
		return true;
	}
	return false;
}

bool locks_is_lock(void *namer, const struct memlat_rec_access *access,
		   struct verdict_lock *lock)
{
	const struct data_name *data = namer_access(namer, access);
	const struct code_name *code = namer_sampled(namer, access->tgid, access->gen, access->ip);

	if (locks_by_names(data->field, code->raw, access->addr, lock))
		return true;
	if (!kernel_address(access->addr) || !housekeeping_clock(data->name))
		return false;
	*lock = (struct verdict_lock){
		.start = access->addr & ~(__u64)(MEMLAT_LINE_BYTES - 1),
		.bytes = MEMLAT_LINE_BYTES,
		.data = true,
	};
	return true;
}

unsigned int locks_width(void *namer, const struct memlat_rec_access *access)
{
	return namer_width(namer, access->tgid, access->gen, access->ip);
}

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
