// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks are sampled: module/filter.c and task.c themselves, which are told by tracepoints of
 * processes, threads and cgroups that are made up here. They fork, end, exec, move and get the memory
 * of those before them by chance, and after each step each task is asked for.
 */
#include "hw_stubs.h"

#include <errno.h>
#include <linux/types.h>
#include <sys/types.h>

#define MEMLAT_COMPAT_CGROUP_H
#define CONFIG_CGROUPS
#define GFP_KERNEL		0
#define __GFP_RETRY_MAYFAIL	0
#define __GFP_NOWARN		0
#define L1_CACHE_BYTES		64
#define SZ_1M			(1 << 20)
#define SZ_64M			(1 << 26)
#define PF_EXITING		4
#define CSS_ONLINE		2
#define ERR_PTR(error)		((void *)(long)(error))
#define IS_ERR_OR_NULL(pointer)	(!(pointer) || (unsigned long)(pointer) >= -4095UL)
#define kvcalloc(n, bytes, gfp)	calloc(n, bytes)
#define kvfree			free
#define smp_rmb()		((void)0)
#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)
#define local_irq_save(flags)	((void)((flags) = 0))
#define local_irq_restore(flags)	((void)(flags))
#define DEFINE_RAW_SPINLOCK(name)	int name __attribute__((unused))
#define raw_spin_lock_irqsave(lock, flags)	((void)((flags) = 0))
#define raw_spin_unlock_irqrestore(lock, flags)	((void)(flags))
#define atomic64_inc(v)		((v)->counter++)
#define atomic64_read(v)	((v)->counter)
#define atomic64_set(v, value)	((v)->counter = (value))
#define atomic_read(v)		(*(v))

enum pid_type { PIDTYPE_PID, PIDTYPE_TGID };
typedef int wait_queue_head_t;
struct cpumask;
struct pid {
	int nr;
	struct task_struct *task[2];
};
struct signal_struct { int live; };
struct cgroup {
	struct { unsigned int flags; } self;
	struct cgroup *parent;
};
struct task_struct {
	struct signal_struct *signal;
	struct task_struct *group_leader;
	struct pid *pid;		/* NULL: reaped */
	unsigned int flags;
	struct cgroup *cgroup;
	struct task_struct *parent;	/* the next three are the test's */
	bool family, used;
};
struct tracepoint {
	const char *name;
	void *probe;
};

#undef current
#define current	the_task
#define task_pid(task)		((task)->pid)
#define task_tgid(task)		((task)->group_leader->pid)
#define task_pid_nr(task)	number_of((task)->pid)
#define task_tgid_nr(task)	number_of((task)->group_leader->pid)
#define get_pid(pid)		(pid)
#define put_pid(pid)		((void)(pid))
#define cgroup_put(cgroup)	((void)(cgroup))
#define hash_64(value, bits)	(((value) * 0x61c8864680b583ebULL) >> (64 - (bits)))

#define TASKS	24
#define CGROUPS	5
#define STEPS	400

static struct task_struct tasks[TASKS], *the_task;
static struct signal_struct signals[TASKS];
/* A number comes back, but who holds a struct pid keeps it from being another task's. */
static struct pid pids[STEPS + 2 * TASKS];
static unsigned int nr_pids;
static struct cgroup cgroups[CGROUPS];	/* root, first, first/below, second, firstborn of root */

static int number_of(const struct pid *pid)
{
	return pid ? pid->nr : 0;
}

static struct pid *find_vpid(int nr)
{
	unsigned int i;

	for (i = nr_pids; i--;)
		if (pids[i].nr == nr && pids[i].task[0])
			return &pids[i];
	return NULL;
}

static struct task_struct *pid_task(struct pid *pid, enum pid_type type)
{
	return pid ? pid->task[type] : NULL;
}

static struct cgroup *cgroup_get_from_id(u64 id)
{
	return id < CGROUPS ? &cgroups[id] : ERR_PTR(-ENOENT);
}

static bool task_under_cgroup_hierarchy(struct task_struct *task, struct cgroup *ancestor)
{
	const struct cgroup *at = task->cgroup;

	while (at && at != ancestor)
		at = at->parent;
	return at;
}

/* Tracepoints, as include/trace/events has them. */
#define MEMLAT_SWITCH_ARGS	bool preempt, struct task_struct *prev, struct task_struct *next
#define MEMLAT_EXIT_ARGS	struct task_struct *task, bool group_dead
#define check_trace_callback_type_sched_process_free(probe)	((void)(probe))
#define check_trace_callback_type_sched_process_fork(probe)	((void)(probe))
#define check_trace_callback_type_sched_process_exit(probe)	((void)(probe))
#define check_trace_callback_type_task_rename(probe)		((void)(probe))
#define check_trace_callback_type_sched_switch(probe)		((void)(probe))
#define tracepoint_synchronize_unregister()	((void)0)

enum { FREE, FORK, EXIT, RENAME, SWITCH, POINTS };

static struct tracepoint points[POINTS] = {
	{ "sched_process_free", NULL }, { "sched_process_fork", NULL }, { "sched_process_exit", NULL },
	{ "task_rename", NULL }, { "sched_switch", NULL },
};

static void for_each_kernel_tracepoint(void (*function)(struct tracepoint *tp, void *data), void *data)
{
	unsigned int i;

	for (i = 0; i < POINTS; i++)
		function(&points[i], data);
}

static int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	assert_null(tp->probe);
	tp->probe = probe;
	return 0;
}

static void tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	assert_ptr_equal(tp->probe, probe);
	tp->probe = NULL;
}

#include "../../module/filter.c"
#undef __always_inline
#define __always_inline inline
#include "../../module/task.c"

/* What the PMU was told last, and how many drains it was told to make. */
static bool sampled;
static unsigned int drains;

void memlat_pmu_switch(bool wanted)
{
	sampled = wanted;
	drains++;
}

void memlat_pmu_flush(void)
{
	drains++;
}

void memlat_pmu_note_vfork(const struct task_struct *next)
{
}

/* ------------------------------------------------------------------------------------- what happens */

static u64 seed;
static struct task_struct *wanted_task;	/* of the filter; NULL: all */
static bool by_thread, with_children;
static struct cgroup *wanted_cgroup;	/* NULL: all */

static unsigned int any_of(unsigned int n)
{
	return random_next(&seed) % n;
}

#define fire(point, type, ...)	\
	(points[point].probe ? ((void (*)type)points[point].probe)(NULL, __VA_ARGS__) : (void)0)

/* The lowest free one, so that memory and numbers come back soon. */
static struct task_struct *unused(void)
{
	unsigned int i;

	for (i = 0; i < TASKS && tasks[i].used; i++)
		;
	return i < TASKS ? &tasks[i] : NULL;
}

/* @leader: of the process that the new thread belongs to; NULL: it is a new process. */
static void task_fork(struct task_struct *parent, struct task_struct *leader)
{
	struct task_struct *child = unused();
	struct pid *pid;

	if (!child)
		return;
	pid = &pids[nr_pids++];
	pid->nr = child - tasks + 1;
	*child = (struct task_struct) {
		.signal = leader ? leader->signal : &signals[child - tasks],
		.group_leader = leader ?: child, .pid = pid, .used = true,
		.cgroup = parent ? parent->cgroup : &cgroups[0],
	};
	child->signal->live = leader ? child->signal->live + 1 : 1;
	pid->task[PIDTYPE_PID] = child;
	pid->task[PIDTYPE_TGID] = leader ? NULL : child;
	if (leader)
		child->family = leader->family;
	else if (parent)
		child->family = with_children && wanted_task &&
				(by_thread ? parent == wanted_task :
					     parent->group_leader == wanted_task || parent->family);
	if (parent)
		fire(FORK, (void *, struct task_struct *, struct task_struct *), parent, child);
}

static bool alone(const struct task_struct *leader)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++)
		if (tasks[i].used && &tasks[i] != leader && tasks[i].group_leader == leader)
			return false;
	return true;
}

/* A first thread that has exited stays until the others of its process have, too. */
static void task_end(struct task_struct *task)
{
	const unsigned int before = drains;

	if (!(task->flags & PF_EXITING)) {
		task->flags |= PF_EXITING;
		the_task = task;
		fire(EXIT, (void *, struct task_struct *, bool), task, task->signal->live == 1);
		assert_int_equal(drains, before + 1);
		task->signal->live--;
	}
	if (task->group_leader == task && !alone(task))
		return;
	task->pid->task[PIDTYPE_PID] = NULL;
	if (task->group_leader == task)
		task->pid->task[PIDTYPE_TGID] = NULL;
	task->pid = NULL;
	if (task == wanted_task)
		wanted_task = (void *)-1;	/* another one may be there soon */
	fire(FREE, (void *, struct task_struct *), task);
	task->used = false;
}

/* What the manual says of the filters, asked of who forked whom. */
static bool expected(const struct task_struct *task)
{
	const struct cgroup *at = task->cgroup;

	if (wanted_task && !(by_thread ? task == wanted_task : task->group_leader == wanted_task || task->family))
		return false;
	while (wanted_cgroup && at && at != wanted_cgroup)
		at = at->parent;
	return at;
}

static void everybody_is_asked(void)
{
	bool left = false, gone;
	unsigned int i;

	for (i = 0; i < TASKS; i++) {
		struct task_struct *task = &tasks[i];

		if (!task->used)
			continue;
		fire(SWITCH, (void *, bool, struct task_struct *, struct task_struct *), false, the_task, task);
		the_task = task;
		assert_int_equal(sampled, expected(task));
		if (by_thread)
			left |= task == wanted_task && !(task->flags & PF_EXITING);
		else
			left |= (task->group_leader == wanted_task && task->signal->live) || task->family;
	}
	gone = wanted_task && !left;
	assert_int_equal(memlat_filter_is_gone(), gone);
}

static void one_step(void)
{
	struct task_struct *task = &tasks[any_of(TASKS)];
	const unsigned int before = drains;

	if (!task->used || task->flags & PF_EXITING) {
		if (task->used)
			task_end(task);
		return;
	}
	switch (any_of(6)) {
	case 0:
		task_fork(task, NULL);
		break;
	case 1:
		task_fork(task, task->group_leader);
		break;
	case 2:
		task->cgroup = &cgroups[any_of(CGROUPS)];
		break;
	case 3:
		task_end(task);
		break;
	case 4:
		fire(RENAME, (void *, struct task_struct *, const char *), task, "exec");
		assert_int_equal(drains, before + (task == the_task));
		break;
	case 5:
		memlat_task_hide();
		assert_false(sampled);
		memlat_task_unhide();
		break;
	}
}

/* @flags: of the session. @of_pid: one task is wanted. @of_cgroup: a cgroup is. */
static void session(u32 flags, bool of_pid, bool of_cgroup)
{
	struct memlat_config config = { .flags = flags };
	unsigned int i;
	pid_t nr;

	memset(tasks, 0, sizeof(tasks));
	memset(pids, 0, sizeof(pids));
	nr_pids = 0;
	wanted_task = NULL;
	wanted_cgroup = NULL;
	by_thread = flags & MEMLAT_F_THREAD;
	with_children = flags & MEMLAT_F_CHILDREN;
	for (i = 0; i < 3; i++)
		task_fork(NULL, NULL);
	task_fork(&tasks[1], &tasks[1]);
	task_fork(&tasks[1], &tasks[1]);
	if (of_pid) {
		/* Of a process any thread may be told, and a first one may be meant as a thread. */
		wanted_task = by_thread ? &tasks[any_of(2) ? 3 : 1] : &tasks[1];
		config.pid = by_thread ? number_of(wanted_task->pid) : number_of(tasks[3].pid);
	}
	if (of_cgroup) {
		config.cgroup = 1 + any_of(CGROUPS - 1);
		wanted_cgroup = &cgroups[config.cgroup];
	}
	the_task = &tasks[0];
	assert_int_equal(memlat_filter_set(&config, &nr), 0);
	assert_int_equal(nr, wanted_task ? number_of(wanted_task->pid) : 0);
	assert_int_equal(memlat_task_watch(with_children), 0);
	for (i = 0; i < STEPS; i++) {
		everybody_is_asked();
		one_step();
	}
	assert_int_equal(memlat_filter_forks_lost(), 0);
	memlat_task_unwatch();
	for (i = 0; i < POINTS; i++)
		assert_null(points[i].probe);
	memlat_filter_clear();
}

static void sessions(u32 flags, bool of_pid, bool of_cgroup)
{
	unsigned int i;

	memset(cgroups, 0, sizeof(cgroups));
	cgroups[1].parent = cgroups[3].parent = cgroups[4].parent = &cgroups[0];
	cgroups[2].parent = &cgroups[1];
	for (i = 0; i < CGROUPS; i++)
		cgroups[i].self.flags = CSS_ONLINE;
	for (seed = 1, i = 0; i < 40; i++)
		session(flags, of_pid, of_cgroup);
}

TEST(everything)
{
	sessions(0, false, false);
}

TEST(processes)
{
	sessions(0, true, false);
}

TEST(families)
{
	sessions(MEMLAT_F_CHILDREN, true, false);
}

TEST(threads)
{
	sessions(MEMLAT_F_THREAD, true, false);
}

TEST(cgroups_and_below)
{
	sessions(0, false, true);
}

TEST(both)
{
	sessions(0, true, true);
	sessions(MEMLAT_F_CHILDREN, true, true);
	sessions(MEMLAT_F_THREAD, true, true);
}

/* The rest of the table is for others when the children have ended. */
TEST(many_children)
{
	static struct signal_struct many[FAMILY_WAYS * FAMILY_SETS];
	struct task_struct child = { .group_leader = &child };
	struct memlat_config config = { .flags = MEMLAT_F_CHILDREN, .pid = 2 };
	unsigned int i, turn;
	pid_t nr;

	memset(tasks, 0, sizeof(tasks));
	memset(pids, 0, sizeof(pids));
	nr_pids = 0;
	task_fork(NULL, NULL);
	task_fork(NULL, NULL);
	assert_int_equal(memlat_filter_set(&config, &nr), 0);
	for (turn = 0; turn < 3; turn++) {
		for (i = 0; i < ARRAY_SIZE(many) / 2; i++) {
			child.signal = &many[i];
			memlat_filter_fork(&tasks[1], &child);
			assert_true(memlat_filter_passes(&child));
		}
		assert_int_equal(memlat_filter_forks_lost(), 0);
		for (i = 0; i < ARRAY_SIZE(many) / 2; i++) {
			child.signal = &many[i];
			memlat_filter_free(&child);
			assert_false(memlat_filter_passes(&child));
		}
	}
	/* Who finds no room is counted, and not sampled. */
	for (i = 0, turn = 0; i < ARRAY_SIZE(many); i++) {
		child.signal = &many[i];
		memlat_filter_fork(&tasks[1], &child);
		turn += !memlat_filter_passes(&child);
		assert_int_equal(memlat_filter_forks_lost(), turn);
	}
	assert_true(turn > 0);
	memlat_filter_clear();
	memlat_filter_reset();
}

/* What does not exist is refused, with no filter left behind; a removed cgroup ends the session. */
TEST(who_is_not_there)
{
	struct memlat_config config = { .pid = 9 };
	pid_t nr;

	memset(tasks, 0, sizeof(tasks));
	memset(pids, 0, sizeof(pids));
	nr_pids = 0;
	task_fork(NULL, NULL);
	assert_int_equal(memlat_filter_set(&config, &nr), -ESRCH);
	assert_int_equal(config.reason, MEMLAT_WHY_PID);
	config = (struct memlat_config) { .pid = 1, .cgroup = CGROUPS };
	assert_int_equal(memlat_filter_set(&config, &nr), -ENOENT);
	assert_int_equal(config.reason, MEMLAT_WHY_CGROUP);
	assert_true(memlat_filter_passes(&tasks[0]) && !memlat_filter_on);
	config = (struct memlat_config) { .cgroup = 2 };
	assert_int_equal(memlat_filter_set(&config, &nr), 0);
	assert_false(memlat_filter_is_gone());
	cgroups[2].self.flags = 0;
	assert_true(memlat_filter_is_gone());
	cgroups[2].self.flags = CSS_ONLINE;
	memlat_filter_clear();
	assert_false(memlat_filter_is_gone());
}
