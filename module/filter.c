// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks to sample: those of a process, one thread, the processes that a process forks, or
 * those of a cgroup. If several are given, a task has to pass all of them.
 *
 * The filter is evaluated at every task switch, under the run queue's lock. So it takes no lock,
 * allocates nothing, and its time is bounded.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <uapi/linux/memlat.h>

#include "compat/cgroup.h"
#include "hw/pmu.h"
#include "memlat.h"

/*
 * The descendants of the wanted process that were forked since the session started. (Older
 * children are not looked for.) A process is identified by its signal_struct, which all its threads
 * share and which exec does not change. The pointer is only compared, never followed. A process may
 * be in one of two sets, and is put into the emptier one, so a set overflows only when the whole
 * table is nearly full. A set is one cache line, so a look-up touches two cache lines.
 */
#define FAMILY_WAYS	(L1_CACHE_BYTES / sizeof(void *))
#define FAMILY_BITS	12
#define FAMILY_SETS	BIT(FAMILY_BITS)

struct family_set {
	const struct signal_struct *way[FAMILY_WAYS];
};

/* Is there any filter? Set and cleared while no CPU is armed. */
bool memlat_filter_on;

static struct {
	struct pid *pid;		/* process or thread, held; NULL: all */
	bool thread;			/* @pid is one thread */
	bool tied;			/* the session ends with its starter, not with @pid */
	struct cgroup *cgroup;		/* held; NULL: all */
	struct family_set *family;	/* NULL: children are not followed */
	unsigned int members;		/* in @family */
} filter;

static DEFINE_RAW_SPINLOCK(family_lock);	/* taken by writers only */
static atomic64_t forks_lost;

static struct family_set *family_set(const struct signal_struct *process, unsigned int which)
{
	/* Each set's number is one half of the hash. */
	u64 hash = hash_64((unsigned long)process, 2 * FAMILY_BITS);

	return &filter.family[(hash >> which * FAMILY_BITS) & (FAMILY_SETS - 1)];
}

static bool memlat_family_has(const struct signal_struct *process)
{
	unsigned int which, i;

	for (which = 0; which < 2; which++) {
		const struct family_set *set = family_set(process, which);

		for (i = 0; i < FAMILY_WAYS; i++)
			if (READ_ONCE(set->way[i]) == process)
				return true;
	}
	return false;
}

static unsigned int family_room(const struct family_set *set)
{
	unsigned int i, n = 0;

	for (i = 0; i < FAMILY_WAYS; i++)
		n += !set->way[i];
	return n;
}

static bool memlat_family_add(const struct signal_struct *process)
{
	struct family_set *set = family_set(process, 0), *other = family_set(process, 1);
	unsigned long flags;
	unsigned int i;
	bool added = false;

	raw_spin_lock_irqsave(&family_lock, flags);
	if (family_room(other) > family_room(set))
		set = other;
	for (i = 0; i < FAMILY_WAYS && !added; i++) {
		if (set->way[i])
			continue;
		WRITE_ONCE(set->way[i], process);
		WRITE_ONCE(filter.members, filter.members + 1);
		added = true;
	}
	raw_spin_unlock_irqrestore(&family_lock, flags);
	return added;
}

static void memlat_family_remove(const struct signal_struct *process)
{
	unsigned long flags;
	unsigned int which, i;

	raw_spin_lock_irqsave(&family_lock, flags);
	for (which = 0; which < 2; which++) {
		struct family_set *set = family_set(process, which);

		for (i = 0; i < FAMILY_WAYS; i++) {
			if (set->way[i] != process)
				continue;
			WRITE_ONCE(set->way[i], NULL);
			WRITE_ONCE(filter.members, filter.members - 1);
		}
	}
	raw_spin_unlock_irqrestore(&family_lock, flags);
}

static bool of_pid(const struct task_struct *task)
{
	struct task_struct *t = (struct task_struct *)task;

	/* task_pid() and task_tgid() are NULL if an exiting task has no pid any more. */
	if (filter.thread)
		return task_pid(t) == filter.pid;
	return task_tgid(t) == filter.pid || (filter.family && memlat_family_has(task->signal));
}

#ifdef CONFIG_CGROUPS
/* If a task moves to another cgroup, the filter notices it at the next task switch. */
static bool of_cgroup(const struct task_struct *task)
{
	return task_under_cgroup_hierarchy((struct task_struct *)task, filter.cgroup);
}

/* A removed cgroup has no tasks, and gets none any more. */
static bool cgroup_is_gone(void)
{
	return filter.cgroup && !(READ_ONCE(filter.cgroup->self.flags) & CSS_ONLINE);
}

static int find_cgroup(struct memlat_config *config)
{
	struct cgroup *cgroup = cgroup_get_from_id(config->cgroup);

	if (!IS_ERR_OR_NULL(cgroup)) {
		filter.cgroup = cgroup;
		return 0;
	}
	config->reason = MEMLAT_WHY_CGROUP;
	return -ENOENT;
}

static void put_cgroup(void)
{
	if (filter.cgroup)
		cgroup_put(filter.cgroup);
	filter.cgroup = NULL;
}
#else
static bool of_cgroup(const struct task_struct *task)
{
	return true;
}

static bool cgroup_is_gone(void)
{
	return false;
}

static int find_cgroup(struct memlat_config *config)
{
	config->reason = MEMLAT_WHY_CGROUP;
	return -ENOENT;
}

static void put_cgroup(void)
{
}
#endif /* CONFIG_CGROUPS */

/**
 * memlat_filter_passes - check whether a task is to be sampled
 * @task: current, or the task that the scheduler has chosen
 *
 * Called with interrupts off, which also is an RCU read-side critical section.
 */
bool memlat_filter_passes(const struct task_struct *task)
{
	return (!filter.pid || of_pid(task)) && (!filter.cgroup || of_cgroup(task));
}

/**
 * memlat_filter_fork - a task was forked, and does not run yet
 * @parent: its parent, which is current
 * @child: the new task
 *
 * A process that shares its parent's memory (vfork) counts as a process. A new thread needs no
 * entry, because it shares its process's.
 */
void memlat_filter_fork(const struct task_struct *parent, const struct task_struct *child)
{
	if (child->signal != parent->signal && of_pid(parent) && !memlat_family_add(child->signal))
		atomic64_inc(&forks_lost);
}

/**
 * memlat_filter_free - nothing will ever run as this task again
 * @task: the task
 *
 * The group leader is freed last, and it pins the signal_struct. So the entry is
 * removed before another process may get that address.
 */
void memlat_filter_free(const struct task_struct *task)
{
	if (task->group_leader == task)
		memlat_family_remove(task->signal);
}

/* The process or thread has exited, and so has all that it forked and that is followed. */
static bool pid_is_gone(void)
{
	const struct task_struct *task;
	bool gone;

	if (!filter.pid)
		return false;
	rcu_read_lock();
	/* A thread that execs gets the number of its process, and its own one is free then. */
	task = pid_task(filter.pid, filter.thread ? PIDTYPE_PID : PIDTYPE_TGID);
	gone = !task || (filter.thread ? READ_ONCE(task->flags) & PF_EXITING :
					 !atomic_read(&task->signal->live));
	rcu_read_unlock();
	/* Look in this order: a child is a member before its parent can exit. */
	smp_rmb();
	return gone && !READ_ONCE(filter.members);
}

/**
 * memlat_filter_is_gone - check whether nothing is left that passes the filters
 *
 * A child that was not followed, because the table had no room, does not count.
 */
bool memlat_filter_is_gone(void)
{
	return !filter.tied && (pid_is_gone() || cgroup_is_gone());
}

/* Find the process or thread that has this number in the caller's PID namespace. */
static int find_pid(struct memlat_config *config, pid_t *nr)
{
	struct task_struct *task;

	rcu_read_lock();
	task = config->pid > 0 ? pid_task(find_vpid(config->pid), PIDTYPE_PID) : NULL;
	if (task) {
		filter.thread = config->flags & MEMLAT_F_THREAD;
		filter.pid = get_pid(filter.thread ? task_pid(task) : task_tgid(task));
		*nr = filter.thread ? task_pid_nr(task) : task_tgid_nr(task);
	}
	rcu_read_unlock();
	if (filter.pid)
		return 0;
	config->reason = MEMLAT_WHY_PID;
	return -ESRCH;
}

static int family_alloc(void)
{
	/* Large enough to be page-aligned, so a set is one cache line. */
	filter.family = kvcalloc(FAMILY_SETS, sizeof(*filter.family), MEMLAT_GFP);
	return filter.family ? 0 : -ENOMEM;
}

/**
 * memlat_filter_set - set the filters of a configuration
 * @config: checked; @config->reason is set if the process or cgroup does not exist
 * @nr: set to the process or thread in the initial PID namespace; 0: all
 *
 * Called while no CPU is armed and no filter is set.
 *
 * Return: 0; or, with no filter set, -ESRCH, -ENOENT or -ENOMEM.
 */
int memlat_filter_set(struct memlat_config *config, pid_t *nr)
{
	int ret = 0;

	*nr = 0;
	filter.tied = config->flags & MEMLAT_F_TIED;
	if (config->pid)
		ret = find_pid(config, nr);
	if (!ret && config->cgroup)
		ret = find_cgroup(config);
	if (!ret && (config->flags & MEMLAT_F_CHILDREN))
		ret = family_alloc();
	if (ret)
		memlat_filter_clear();
	else
		memlat_filter_on = filter.pid || filter.cgroup;
	return ret;
}

/**
 * memlat_filter_clear - remove all filters; no CPU is armed, and no probe is registered
 */
void memlat_filter_clear(void)
{
	memlat_filter_on = false;
	put_pid(filter.pid);
	filter.pid = NULL;
	filter.thread = false;
	put_cgroup();
	kvfree(filter.family);
	filter.family = NULL;
	filter.members = 0;
}

/**
 * memlat_filter_forks_lost - number of children for which the table had no room
 */
u64 memlat_filter_forks_lost(void)
{
	return atomic64_read(&forks_lost);
}

/**
 * memlat_filter_reset - count lost children from zero
 */
void memlat_filter_reset(void)
{
	atomic64_set(&forks_lost, 0);
}
