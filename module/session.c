// SPDX-License-Identifier: GPL-2.0
/*
 * The one session, idle or running. Everything that starts or stops it is here, under one lock.
 *
 * Lock order: the session's lock, the store's lock, the CPU hotplug lock. The hotplug callbacks
 * (cpus.c) take neither of the first two.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/printk.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>

#include "hw/pmu.h"
#include "memlat.h"

/* Readers take it shared, so a status query never waits for a snapshot. */
static DECLARE_RWSEM(session_lock);

static struct {
	bool running;
	bool asleep;			/* during a suspend: no CPU is armed */
	bool down;			/* the machine is going down; never cleared */
	struct memlat_config config;
	pid_t pid;			/* config.pid in the initial namespace */
	const void *file;		/* the session ends when it is closed; NULL: when stopped */
	u32 ended;
	u32 suspends;
	u64 started;			/* ns, CLOCK_MONOTONIC; 0: never */
	u64 since;			/* start or reset */
	u64 until;			/* stop */
} session;

static atomic_t generation;
DECLARE_WAIT_QUEUE_HEAD(memlat_session_changed);

static void state_changed(void)
{
	atomic_inc(&generation);
	wake_up_interruptible(&memlat_session_changed);
}

/**
 * memlat_session_generation - a number that changes with the session's state
 */
u32 memlat_session_generation(void)
{
	return atomic_read(&generation);
}

/* Undo what memlat_session_begin() sets up before it arms the first CPU; none is armed any more. */
static void memlat_session_teardown(void)
{
	memlat_guests_unwatch();
	memlat_task_unwatch();
	memlat_pmu_unregister_nmi();
	memlat_store_unwatch();
	memlat_store_cpus_free();
	memlat_buffer_unmap_all();
	memlat_pmu_release();
	memlat_filter_clear();
}

/*
 * Empty the tables and count from zero. Also after a start that failed late, when the last
 * session's tables are freed: its figures, and what CPUs sampled until one failed, are cleared too.
 */
static void memlat_session_reset_all(void)
{
	memlat_store_reset();
	memlat_budget_reset();
	memlat_count_reset();
	memlat_filter_reset();
	session.suspends = 0;
	session.since = ktime_get_ns();
	session.until = session.since;
}

static int memlat_session_begin(struct memlat_config *config, const struct cpumask *cpus,
				pid_t *pid)
{
	const u32 flags = config->flags;
	const bool counts = memlat_config_only_counts(config);
	const bool no_guests = flags & MEMLAT_F_NO_GUESTS;
	const struct memlat_plan_setup pmu = {
		.ldlat = config->ldlat,
		.period = config->period,
		.store_period = config->store_period,
		.loads = flags & MEMLAT_F_LOADS,
		.stores = flags & MEMLAT_F_STORES,
		.counts = counts,
		.beside = !counts && (flags & MEMLAT_F_COUNT),
		.user = flags & MEMLAT_F_USER,
		.kernel = flags & MEMLAT_F_KERNEL,
		.call_graph = flags & MEMLAT_F_CALL_GRAPH,
		.stride = flags & MEMLAT_F_STRIDE,
		.phys = flags & MEMLAT_F_PHYS,
		.max_overhead = config->max_overhead,
		.trouble = memlat_watch_trouble,
	};
	const struct memlat_store_setup store = {
		/* A session that only counts stores no samples. */
		.max_memory = counts ? MEMLAT_MEMORY_MIN : config->max_memory,
		.call_graph = flags & MEMLAT_F_CALL_GRAPH,
		.stride = flags & MEMLAT_F_STRIDE,
	};
	const char *guests = NULL;
	int ret = memlat_filter_set(config, pid);
	bool vmx;

	if (ret)
		return ret;
	/*
	 * Pause for guests also if only one task is sampled: it may be a VMM itself, and a CPU may
	 * enter a guest before the next task switch. Counting alone writes nothing into guests.
	 */
	if (!counts)
		guests = memlat_guests_watch(no_guests);
	ret = memlat_pmu_reserve(guests, no_guests, &vmx, &config->reason);
	if (ret)
		goto unfilter;
	if (!counts && !vmx)
		memlat_guests_watch_vmx();
	ret = memlat_store_start(&store);
	if (ret)
		goto disown;
	memlat_plan_setup(&pmu);
	memlat_budget_reset();
	memlat_filter_reset();
	ret = counts ? 0 : memlat_pmu_register_nmi();
	if (ret)
		goto disown;
	ret = memlat_task_watch(flags & MEMLAT_F_CHILDREN);
	if (ret)
		goto unlisten;
	ret = memlat_cpus_arm(cpus);
	if (!ret)
		return 0;

	if (ret == -EBUSY)
		config->reason = MEMLAT_WHY_DS;
	memlat_session_teardown();
	memlat_watch_settle();
	memlat_session_reset_all();
	return ret;

unlisten:
	memlat_pmu_unregister_nmi();
disown:
	memlat_pmu_release();
	memlat_session_reset_all();
unfilter:
	memlat_guests_unwatch();
	memlat_filter_clear();
	return ret;
}

static int memlat_session_start_checked(struct memlat_config *config, pid_t *pid)
{
	static struct cpumask cpus;	/* too large for the stack; protected by session_lock */
	int ret;

	ret = memlat_config_check(config);
	if (!ret)
		ret = memlat_config_permit(config);
	if (ret)
		return ret;
	if (session.running)
		return memlat_config_refuse(config, MEMLAT_WHY_RUNNING, -EBUSY);
	if (session.asleep || session.down)
		return memlat_config_refuse(config, MEMLAT_WHY_SUSPEND, -EBUSY);
	if (!memlat_config_cpus(config->cpus, &cpus))
		return memlat_config_refuse(config, MEMLAT_WHY_CPUS, -EINVAL);
	return memlat_session_begin(config, &cpus, pid);
}

/**
 * memlat_session_start - own the PMU and begin to sample or count
 * @config: what to sample; @config->reason is set to why when it is refused
 * @file: the open file of the request; only compared
 *
 * Return: 0 or a negative errno, as uapi/linux/memlat.h says for MEMLAT_IOC_START.
 */
int memlat_session_start(struct memlat_config *config, const void *file)
{
	const char *perf = memlat_cores_traits() & MEMLAT_TRAIT_UNRESERVED ?
		"perf's hardware events and the NMI watchdog count nothing meanwhile" :
		"perf's hardware events and the NMI watchdog get EBUSY meanwhile";
	pid_t pid;
	int ret;

	down_write(&session_lock);
	ret = memlat_session_start_checked(config, &pid);
	if (ret)
		goto out;
	session.running = true;
	session.config = *config;
	session.pid = pid;
	WRITE_ONCE(session.file, config->flags & MEMLAT_F_TIED ? file : NULL);
	session.ended = MEMLAT_END_NONE;
	session.suspends = 0;
	session.started = ktime_get_ns();
	session.since = session.started;
	pr_info_ratelimited("%s: owns the PMU of %u CPUs until 'memlat-ctl stop'%s; %s\n",
			    memlat_count_is_on() ? "counting" : "sampling", memlat_cpus_armed(),
			    session.file ? " or until the process that started it exits" : "",
			    perf);
	state_changed();
out:
	up_write(&session_lock);
	return ret;
}

static void memlat_session_end(u32 end)
{
	u32 found;

	memlat_cpus_disarm();
	session.until = ktime_get_ns();
	memlat_session_teardown();
	/* If trouble was found while the session was being stopped, the trouble is the reason. */
	found = memlat_watch_settle();
	if (found && (end == MEMLAT_END_STOPPED || end == MEMLAT_END_CLOSED))
		end = found;
	session.running = false;
	WRITE_ONCE(session.file, NULL);
	session.ended = end;
	memlat_watch_log_end(end);
	state_changed();
}

/**
 * memlat_session_stop - drain, disarm and give the PMU back; the tables stay
 *
 * Return: 0, or -ENODATA if no session runs.
 */
int memlat_session_stop(void)
{
	int ret = -ENODATA;

	down_write(&session_lock);
	if (session.running) {
		memlat_session_end(MEMLAT_END_STOPPED);
		ret = 0;
	}
	up_write(&session_lock);
	return ret;
}

/**
 * memlat_session_closed - an open file is released: end the session that is tied to it
 * @file: the file, as given to memlat_session_start()
 */
void memlat_session_closed(const void *file)
{
	/* No session can be tied to this file any more, so skip the lock in the common case. */
	if (READ_ONCE(session.file) != file)
		return;
	down_write(&session_lock);
	/* Meanwhile it may have been stopped, and another session started. */
	if (session.running && session.file == file)
		memlat_session_end(MEMLAT_END_CLOSED);
	up_write(&session_lock);
}

/**
 * memlat_session_reset - empty the tables; a running session continues
 */
void memlat_session_reset(void)
{
	down_write(&session_lock);
	memlat_session_reset_all();
	up_write(&session_lock);
}

/**
 * memlat_session_suspend - the machine is about to be suspended: disarm every CPU
 *
 * The session continues: it keeps its tables, its filter and the reservation of the PMU, so perf
 * still finds the counters taken.
 */
void memlat_session_suspend(void)
{
	down_write(&session_lock);
	if (session.running && !session.asleep) {
		memlat_cpus_disarm();
		session.suspends++;
	}
	session.asleep = true;
	up_write(&session_lock);
}

/**
 * memlat_session_resume - the machine was resumed: arm the CPUs again
 */
void memlat_session_resume(void)
{
	int ret;

	down_write(&session_lock);
	if (session.asleep && session.running) {
		ret = memlat_cpus_arm_again();
		if (ret) {
			pr_warn("cannot arm the CPUs after the suspend: error %d\n", ret);
			memlat_session_end(MEMLAT_END_RESUME);
		}
	}
	session.asleep = false;
	up_write(&session_lock);
}

/**
 * memlat_session_shut_down - the machine is going down: end the session, and allow no other
 */
void memlat_session_shut_down(void)
{
	down_write(&session_lock);
	session.down = true;
	if (session.running)
		memlat_session_end(MEMLAT_END_REBOOT);
	up_write(&session_lock);
}

/**
 * memlat_session_end_troubled - end the session if memlat_watch_found() has a reason
 */
void memlat_session_end_troubled(void)
{
	u32 end;

	down_write(&session_lock);
	end = memlat_watch_found();
	if (session.running && end)
		memlat_session_end(end);
	up_write(&session_lock);
}

/**
 * memlat_session_end_for_guests - a hypervisor is being loaded whose guests memlat cannot see
 *
 * A session that only counts goes on, and so does one whose starter stated that no guest runs.
 */
void memlat_session_end_for_guests(void)
{
	down_write(&session_lock);
	if (session.running &&
	    !(session.config.flags & MEMLAT_F_NO_GUESTS) &&
	    !memlat_config_only_counts(&session.config))
		memlat_session_end(MEMLAT_END_VMX);
	up_write(&session_lock);
}

static void memlat_fill_status(struct memlat_status *s, const struct memlat_totals *t)
{
	u64 now = session.running ? ktime_get_ns() : session.until;
	const u64 *count = t->sum.count;
	const u64 duration = session.started ? now - session.since : 0;
	struct memlat_budget_figures budget;
	u64 load_turn, store_turn;

	memlat_budget_sum(&budget, duration);
	memlat_turn_sum(&load_turn, &store_turn);
	*s = (struct memlat_status) {
		.size = sizeof(*s),
		.state = session.running ? MEMLAT_STATE_RUNNING : MEMLAT_STATE_IDLE,
		.ldlat = session.config.ldlat,
		.flags = session.config.flags,
		.period = session.config.period,
		.pid = session.pid,
		.cpus_online = num_online_cpus(),
		.cpus_armed = memlat_cpus_armed(),
		.nodes = num_online_nodes(),
		.started_ns = session.started,
		.duration_ns = duration,
		.records = count[MEMLAT_COUNT_RECORDS],
		.samples = count[MEMLAT_COUNT_SAMPLES],
		.filtered = count[MEMLAT_COUNT_FILTERED],
		.malformed = count[MEMLAT_COUNT_MALFORMED],
		.collision = count[MEMLAT_COUNT_COLLISION],
		.full_pmis = count[MEMLAT_COUNT_FULL_PMIS],
		.lines = t->lines.used,
		.lines_evicted = t->lines.evicted,
		.pmis = count[MEMLAT_COUNT_PMIS],
		.late_pmis = count[MEMLAT_COUNT_LATE_PMIS],
		.switch_drains = count[MEMLAT_COUNT_SWITCH_DRAINS],
		.merges = t->merges,
		.store_bytes = t->bytes,
		.max_memory = t->max_memory,
		.latency_sum = count[MEMLAT_COUNT_LATENCY_SUM],
		.latency_max = t->sum.latency_max,
		.ended = session.ended,
		.max_overhead = session.config.max_overhead,
		.loads = count[MEMLAT_COUNT_LOADS],
		.stores = count[MEMLAT_COUNT_STORES],
		.weight_loads = count[MEMLAT_COUNT_WEIGHT_LOADS],
		.weight_stores = count[MEMLAT_COUNT_WEIGHT_STORES],
		.period_low = budget.period_low,
		.period_high = budget.period_high,
		.store_period_low = budget.store_low,
		.store_period_high = budget.store_high,
		.busy_cycles = budget.busy,
		.own_cycles = budget.own,
		.cells_lost = count[MEMLAT_COUNT_CELLS_LOST],
		.lines_error = t->lines.error,
		.sites = t->sites.used,
		.sites_evicted = t->sites.evicted,
		.sites_error = t->sites.error,
		.accesses = t->accesses.used,
		.accesses_evicted = t->accesses.evicted,
		.accesses_error = t->accesses.error,
		.threads = t->threads.used,
		.threads_evicted = t->threads.evicted,
		.threads_error = t->threads.error,
		.stacks = t->stacks.used,
		.stacks_lost = count[MEMLAT_COUNT_STACKS_LOST],
		.cgroup = session.config.cgroup,
		.forks_lost = memlat_filter_forks_lost(),
		.suspends = session.suspends,
		.traits = memlat_cores_traits(),
		.cores = memlat_cores_nr(),
		.cache_latency_sum = memlat_counts_cache_latency(&t->sum),
		.use_latency_sum = memlat_counts_use_latency(&t->sum),
		.blocked_data = count[MEMLAT_COUNT_BLOCKED_DATA],
		.blocked_addr = count[MEMLAT_COUNT_BLOCKED_ADDR],
		.load_turn = load_turn,
		.store_turn = store_turn,
		.pairs = count[MEMLAT_COUNT_PAIRS],
		.strides = t->strides.used,
		.strides_evicted = t->strides.evicted,
		.strides_error = t->strides.error,
		.cpus_still = memlat_still_cpus(),
		.sampled_cycles = budget.sampled,
		.guest_entries = budget.guest_entries,
		.guest_ns = budget.guest_ns,
		.guest_cpus = budget.guest_cpus,
	};
}

/**
 * memlat_session_status - state and counters, and the totals that they are made from
 * @status: filled in
 * @totals: filled in
 */
void memlat_session_status(struct memlat_status *status, struct memlat_totals *totals)
{
	down_read(&session_lock);
	memlat_store_totals(totals);
	memlat_fill_status(status, totals);
	up_read(&session_lock);
}

/**
 * memlat_session_top - copy the hottest lines, as of the last merge
 * @line: filled in
 * @max: room in @line
 * @age_ns: set to how long ago that merge was; 0: there was none
 *
 * Return: number of lines, or -ENOMEM.
 */
int memlat_session_top(struct memlat_rec_line *line, unsigned int max, u64 *age_ns)
{
	struct memlat_totals *totals = kvmalloc_obj(*totals, MEMLAT_GFP);
	unsigned int lines;

	*age_ns = 0;
	if (!totals)
		return -ENOMEM;
	down_read(&session_lock);
	lines = memlat_store_top(line, max);
	memlat_store_totals(totals);
	if (totals->merged_ns)
		*age_ns = ktime_get_ns() - totals->merged_ns;
	up_read(&session_lock);
	kvfree(totals);
	return lines;
}

/**
 * memlat_session_snapshot - copy status, totals and tables of one moment
 * @status: filled in
 * @totals: filled in
 * @core: filled in, memlat_cores_nr() elements, one per kind of core
 * @tables: which tables, see memlat_store_snapshot()
 * @head: size of the records before the tables, bytes
 * @tail: size of the records after them, at most
 * @counted: set to the number of MEMLAT_REC_COUNT records, which begin the copy's tail
 *
 * Return: as memlat_store_snapshot().
 */
struct memlat_copy *memlat_session_snapshot(struct memlat_status *status,
					    struct memlat_totals *totals,
					    struct memlat_core_counts *core, u32 tables, u32 head,
					    u32 tail, u64 *counted)
{
	const bool counts = tables & BIT(MEMLAT_REC_COUNT);
	struct memlat_copy *copy;

	*counted = 0;
	down_read(&session_lock);
	if (counts)
		tail += memlat_count_bytes();
	copy = memlat_store_snapshot(totals, core, tables, head, tail);
	if (copy && counts)
		*counted = memlat_count_put(memlat_copy_tail(copy));
	if (copy)
		memlat_fill_status(status, totals);
	up_read(&session_lock);
	return copy;
}

/**
 * memlat_session_init - identify the CPUs, and set up all that a session needs
 *
 * Return: 0; -ENODEV after a line in the log, or -ENOMEM.
 */
int __init memlat_session_init(void)
{
	int ret;

	ret = memlat_cores_init();
	if (ret)
		return ret;
	ret = memlat_store_init();
	if (ret)
		goto cores;
	ret = memlat_watch_init();
	if (ret)
		goto store;
	ret = memlat_guests_init();
	if (ret)
		goto watch;
	ret = memlat_power_init();
	if (ret)
		goto guests;
	return 0;

guests:
	memlat_guests_exit();
watch:
	memlat_watch_exit();
store:
	memlat_store_exit();
cores:
	memlat_cores_exit();
	return ret;
}

/**
 * memlat_session_exit - stop the session and free everything
 *
 * No session can be started any more. First unregister what ends a session by itself, except
 * the watch for trouble, which is needed until the session has stopped.
 */
void memlat_session_exit(void)
{
	memlat_power_exit();
	memlat_session_stop();
	memlat_guests_exit();
	memlat_watch_exit();
	memlat_store_exit();
	memlat_cores_exit();
}
