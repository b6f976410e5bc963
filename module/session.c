// SPDX-License-Identifier: GPL-2.0
/*
 * The one session: idle or running. All that starts or stops anything goes
 * through here, under one lock.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "hw/ds.h"
#include "hw/pmu.h"
#include "hw/pmu_own.h"
#include "session.h"
#include "task.h"

/*
 * Below this a machine does little else than write records and take them away:
 * with the lowest threshold every load counts, and a record costs a PMI some 150
 * instructions.
 */
#define PERIOD_FLOOR	16

static DEFINE_MUTEX(session_lock);
static const struct memlat_cpu_model *model;

static struct {
	bool running;
	struct memlat_config config;
	pid_t tgid;			/* of config.pid, initial namespace */
	enum cpuhp_state hotplug;
	u64 started;			/* ns, CLOCK_MONOTONIC; 0: never */
	u64 since;			/* start or reset */
	u64 until;			/* stop */
} session;

static unsigned int armed_cpus(void)
{
	unsigned int n = 0;
	int cpu;

	for_each_online_cpu(cpu)
		n += READ_ONCE(per_cpu(memlat_cpu, cpu).armed);
	return n;
}

/* On the CPU that comes, or on each when a session starts; may sleep. */
static int cpu_arm(unsigned int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);
	unsigned long flags;
	int ret;

	ret = memlat_store_cpu_prepare(cpu);
	if (!ret)
		ret = memlat_ds_map(c, cpu, model->layout->size);
	if (ret)
		return ret;
	local_irq_save(flags);
	memlat_pmu_arm(c, memlat_task_wanted(current));
	local_irq_restore(flags);
	return 0;
}

/* On the CPU that goes, or on each when a session stops. */
static int cpu_disarm(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_disarm(per_cpu_ptr(&memlat_cpu, cpu));
	local_irq_restore(flags);
	return 0;
}

static int invalid(struct memlat_config *config, u32 why)
{
	config->reason = why;
	return -EINVAL;
}

static u64 period_min(void)
{
	return max_t(u64, model->period_min, PERIOD_FLOOR);
}

static int check(struct memlat_config *config)
{
	if (config->reserved || config->reason)
		return invalid(config, MEMLAT_WHY_RESERVED);
	if ((config->flags & ~MEMLAT_F_ALL) ||
	    !(config->flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)))
		return invalid(config, MEMLAT_WHY_FLAGS);
	if (config->ldlat < MEMLAT_LDLAT_MIN || config->ldlat > MEMLAT_LDLAT_MAX)
		return invalid(config, MEMLAT_WHY_LDLAT);
	if (config->period < period_min() || config->period > memlat_pmu_period_max())
		return invalid(config, MEMLAT_WHY_PERIOD);
	if (!config->max_memory)
		config->max_memory = min(MEMLAT_MEMORY_DEFAULT, memlat_store_memory_max());
	if (config->max_memory < MEMLAT_MEMORY_MIN ||
	    config->max_memory > memlat_store_memory_max())
		return invalid(config, MEMLAT_WHY_MEMORY);
	return 0;
}

/* The process of a pid, held. NULL for pid 0: all. */
static int find_target(struct memlat_config *config, struct pid **target, pid_t *tgid)
{
	struct task_struct *task;

	*target = NULL;
	*tgid = 0;
	if (!config->pid)
		return 0;

	rcu_read_lock();
	task = config->pid > 0 ? pid_task(find_vpid(config->pid), PIDTYPE_PID) : NULL;
	if (task) {
		*target = get_pid(task_tgid(task));
		*tgid = task_tgid_nr(task);
	}
	rcu_read_unlock();
	if (*target)
		return 0;
	config->reason = MEMLAT_WHY_PID;
	return -ESRCH;
}

/* Everything that is set up before the first CPU is armed, and undone after the last. */
static void teardown(void)
{
	memlat_pmu_settle();
	memlat_task_unwatch();
	memlat_pmu_unlisten();
	memlat_store_unwatch();
	memlat_store_cpus_free();
	memlat_ds_unmap_all();
	memlat_pmu_disown();
}

static int start(const struct memlat_config *config, struct pid *target, u32 *why)
{
	const struct memlat_pmu_setup setup = {
		.ldlat = config->ldlat,
		.period = config->period,
		.user = config->flags & MEMLAT_F_USER,
		.kernel = config->flags & MEMLAT_F_KERNEL,
	};
	int ret;

	ret = memlat_pmu_own(config->flags & MEMLAT_F_NO_GUESTS, why);
	if (ret)
		goto put;
	ret = memlat_store_start(config->max_memory);
	if (ret)
		goto disown;
	memlat_pmu_setup(&setup);
	ret = memlat_pmu_listen();
	if (ret)
		goto disown;
	ret = memlat_task_watch(target);
	target = NULL;
	if (ret)
		goto unlisten;
	memlat_store_watch();

	/* Arms every CPU, and those that come later. */
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "memlat:online", cpu_arm, cpu_disarm);
	if (ret >= 0) {
		session.hotplug = ret;
		return 0;
	}
	if (ret == -EBUSY)
		*why = MEMLAT_WHY_DS;
	teardown();
	return ret;

unlisten:
	memlat_pmu_unlisten();
disown:
	memlat_pmu_disown();
put:
	put_pid(target);
	return ret;
}

/**
 * memlat_session_start - own the PMU and begin to count
 * @config: what to sample; @config->reason says why when it is refused
 *
 * Return: 0 or a negative errno as uapi/linux/memlat.h tells for
 * MEMLAT_IOC_START.
 */
int memlat_session_start(struct memlat_config *config)
{
	struct pid *target;
	pid_t tgid;
	int ret;

	mutex_lock(&session_lock);
	ret = check(config);
	if (ret)
		goto out;
	if (session.running) {
		config->reason = MEMLAT_WHY_RUNNING;
		ret = -EBUSY;
		goto out;
	}
	ret = find_target(config, &target, &tgid);
	if (ret)
		goto out;
	ret = start(config, target, &config->reason);
	if (ret)
		goto out;

	session.running = true;
	session.config = *config;
	session.tgid = tgid;
	session.started = ktime_get_ns();
	session.since = session.started;
	pr_info("sampling: owns the PMU of %u CPUs until 'memlat-ctl stop'; perf's hardware events and the NMI watchdog get EBUSY meanwhile\n",
		armed_cpus());
out:
	mutex_unlock(&session_lock);
	return ret;
}

static void stop(void)
{
	cpuhp_remove_state(session.hotplug);
	session.until = ktime_get_ns();
	teardown();
	session.running = false;
	pr_info("stopped: the PMU is free again\n");
}

/**
 * memlat_session_stop - drain, disarm, give the PMU back; the tables stay
 *
 * Return: 0, or -ENODATA when nothing runs.
 */
int memlat_session_stop(void)
{
	int ret = -ENODATA;

	mutex_lock(&session_lock);
	if (session.running) {
		stop();
		ret = 0;
	}
	mutex_unlock(&session_lock);
	return ret;
}

/**
 * memlat_session_reset - empty the tables; a running session goes on
 */
void memlat_session_reset(void)
{
	mutex_lock(&session_lock);
	memlat_store_reset();
	session.since = ktime_get_ns();
	session.until = session.since;
	mutex_unlock(&session_lock);
}

static void fill_status(struct memlat_status *s, const struct memlat_totals *t)
{
	u64 now = session.running ? ktime_get_ns() : session.until;

	*s = (struct memlat_status) {
		.size = sizeof(*s),
		.state = session.running ? MEMLAT_STATE_RUNNING : MEMLAT_STATE_IDLE,
		.ldlat = session.config.ldlat,
		.flags = session.config.flags,
		.period = session.config.period,
		.pid = session.tgid,
		.cpus_online = num_online_cpus(),
		.cpus_armed = armed_cpus(),
		.nodes = num_online_nodes(),
		.started_ns = session.started,
		.duration_ns = session.started ? now - session.since : 0,
		.records = t->count[MEMLAT_COUNT_RECORDS],
		.samples = t->count[MEMLAT_COUNT_SAMPLES],
		.filtered = t->count[MEMLAT_COUNT_FILTERED],
		.malformed = t->count[MEMLAT_COUNT_MALFORMED],
		.collision = t->count[MEMLAT_COUNT_COLLISION],
		.full_pmis = t->count[MEMLAT_COUNT_FULL_PMIS],
		.lines = t->lines,
		.lines_evicted = t->count[MEMLAT_COUNT_LINES_EVICTED],
		.pmis = t->count[MEMLAT_COUNT_PMIS],
		.late_pmis = t->count[MEMLAT_COUNT_LATE_PMIS],
		.switch_drains = t->count[MEMLAT_COUNT_SWITCH_DRAINS],
		.merges = t->merges,
		.store_bytes = t->bytes,
		.max_memory = t->max_memory,
		.latency_sum = t->count[MEMLAT_COUNT_LATENCY_SUM],
		.latency_max = t->latency_max,
	};
}

/**
 * memlat_session_status - state and counters, and the totals behind them
 * @status: filled in
 * @totals: filled in
 */
void memlat_session_status(struct memlat_status *status, struct memlat_totals *totals)
{
	mutex_lock(&session_lock);
	memlat_store_totals(totals);
	fill_status(status, totals);
	mutex_unlock(&session_lock);
}

/**
 * memlat_session_snapshot - status, totals and lines of one moment
 * @status: filled in
 * @totals: filled in
 * @head: bytes to leave free before the lines
 * @tail: bytes to leave free after them
 *
 * Return: as memlat_store_snapshot().
 */
void *memlat_session_snapshot(struct memlat_status *status, struct memlat_totals *totals,
			      size_t head, size_t tail)
{
	void *copy;

	mutex_lock(&session_lock);
	copy = memlat_store_snapshot(totals, head, tail);
	fill_status(status, totals);
	mutex_unlock(&session_lock);
	return copy;
}

/**
 * memlat_session_model - short name of this CPU's model
 */
const char *memlat_session_model(void)
{
	return model->name;
}

/**
 * memlat_session_query - what this module and this CPU are
 * @q: filled in
 */
void memlat_session_query(struct memlat_query *q)
{
	*q = (struct memlat_query) {
		.size = sizeof(*q),
		.abi_version = MEMLAT_ABI_VERSION,
		.ldlat_min = MEMLAT_LDLAT_MIN,
		.ldlat_max = MEMLAT_LDLAT_MAX,
		.period_min = period_min(),
		.period_max = memlat_pmu_period_max(),
		.period_default = MEMLAT_PERIOD_DEFAULT,
		.memory_min = MEMLAT_MEMORY_MIN,
		.memory_max = memlat_store_memory_max(),
		.memory_default = min(MEMLAT_MEMORY_DEFAULT, memlat_store_memory_max()),
		.cpu_memory = PEBS_BUFFER_SIZE + 2 * sizeof(struct memlat_shard),
		.pebs_format = model->pebs_format,
		.record_size = model->layout->size,
		.buffer_records = PEBS_BUFFER_SIZE / model->layout->size,
		.cpu_family = boot_cpu_data.x86,
		.cpu_model = boot_cpu_data.x86_model,
		.cpu_stepping = boot_cpu_data.x86_stepping,
	};
	strscpy(q->model_name, model->name, sizeof(q->model_name));
	strscpy(q->model_title, model->title, sizeof(q->model_title));
}

/* Nothing may write records into memory that the next kernel will use. */
static int rebooting(struct notifier_block *nb, unsigned long action, void *data)
{
	memlat_session_stop();
	return NOTIFY_DONE;
}

static struct notifier_block reboot_notifier = { .notifier_call = rebooting };

/**
 * memlat_session_init - find out what this CPU is
 *
 * Return: 0, or -ENODEV after a line in the log.
 */
int __init memlat_session_init(void)
{
	struct memlat_cpu_caps caps;

	model = memlat_cpu_identify(&caps);
	if (!model)
		return -ENODEV;
	memlat_pmu_init(model, &caps);
	return register_reboot_notifier(&reboot_notifier);
}

/**
 * memlat_session_exit - stop what runs, free everything
 */
void memlat_session_exit(void)
{
	unregister_reboot_notifier(&reboot_notifier);
	memlat_session_stop();
	memlat_store_free();
}
