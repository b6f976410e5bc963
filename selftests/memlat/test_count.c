// SPDX-License-Identifier: GPL-2.0
/*
 * A session that counts (MEMLAT_F_COUNT). It counts what a loop of known instructions does, and
 * nothing that runs beside it. It refuses what it cannot do. CPUs that go and come, a reset, a
 * close, and another user's write to a counter have the same effects as in a session that samples.
 * Every register is restored.
 */
#include "rig.h"
#include "session.h"

#include "command.h"
#include "../signal_child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS		2000000ull
#define INSTRUCTIONS	6		/* of a round, and of these */
#define LOADS		2
#define STORES		1
/* User instructions outside the loop: a session's start and end, and each read of the counts. */
#define BESIDE		100000
/* On a busy host turns are rare, so a loop is repeated until each event had some. */
#define LOOKS		200
/* Events take turns, so their counts are scaled up, and not exact. */
#define SCALED		0.05

#define EVENTSEL0	0x186
#define PMC0		0xc1
#define GLOBAL_CTRL	0x38f
#define FOREIGN		0x1003cull	/* cycles in user mode, not enabled: counts nothing */

static struct memlat_config config_of(unsigned int flags)
{
	return (struct memlat_config){
		.size = sizeof(struct memlat_config),
		.flags = MEMLAT_F_COUNT | flags,
	};
}

/* What this thread does in user mode. */
static struct memlat_config config_of_me(void)
{
	struct memlat_config config = config_of(MEMLAT_F_USER | MEMLAT_F_THREAD);

	config.pid = gettid();
	return config;
}

static void online(int cpu, bool is)
{
	need(!command_run(NULL, "echo %d >/sys/devices/system/cpu/cpu%d/online", is, cpu),
	     "CPU %d does not go or come", cpu);
}

/* ---------------------------------------------------------------- refusals */

static void test_refusals(void)
{
	struct memlat_config config = config_of(MEMLAT_F_USER), sample;
	struct memlat_status status;
	struct memlat_query query;
	bool good = true;

	need(!device_query(rig_fd(), &query), "no query");
	result(query.flags & MEMLAT_F_COUNT, "the module says that it can count\n");

	/* With LOADS or STORES the session also samples: test_scale. */
	for (unsigned int flag = MEMLAT_F_CALL_GRAPH; flag <= MEMLAT_F_PHYS; flag <<= 1) {
		config.flags = MEMLAT_F_COUNT | MEMLAT_F_USER | flag;
		good &= refused(config, EINVAL, MEMLAT_WHY_FLAGS);
	}
	config.flags = MEMLAT_F_COUNT;
	good &= refused(config, EINVAL, MEMLAT_WHY_FLAGS);
	config = config_of(MEMLAT_F_USER);
	config.ldlat = MEMLAT_LDLAT_DEFAULT + 1;
	good &= refused(config, EINVAL, MEMLAT_WHY_LDLAT);
	config = config_of(MEMLAT_F_USER);
	config.period = MEMLAT_PERIOD_DEFAULT + 1;
	good &= refused(config, EINVAL, MEMLAT_WHY_PERIOD);
	config = config_of(MEMLAT_F_USER);
	config.store_period = MEMLAT_STORE_PERIOD_DEFAULT + 1;
	good &= refused(config, EINVAL, MEMLAT_WHY_STORE_PERIOD);
	config = config_of(MEMLAT_F_USER);
	config.max_overhead = MEMLAT_OVERHEAD_DEFAULT + 1;
	good &= refused(config, EINVAL, MEMLAT_WHY_OVERHEAD);
	config = config_of(MEMLAT_F_USER | MEMLAT_F_THREAD);
	good &= refused(config, EINVAL, MEMLAT_WHY_FLAGS);
	config = config_of(MEMLAT_F_USER);
	config.pid = 0x7fffffff;
	good &= refused(config, ESRCH, MEMLAT_WHY_PID);
	result(good, "parameters without a meaning are refused, each with its reason\n");

	/* As in a program that fills in all defaults. */
	config = config_of(MEMLAT_F_USER | MEMLAT_F_KERNEL);
	config.ldlat = MEMLAT_LDLAT_DEFAULT;
	config.period = MEMLAT_PERIOD_DEFAULT;
	config.store_period = MEMLAT_STORE_PERIOD_DEFAULT;
	config.max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	session_begin(config);
	need(!device_status(rig_fd(), &status), "no status");
	result(status.state == MEMLAT_STATE_RUNNING && (status.flags & MEMLAT_F_COUNT) &&
	       !(status.flags & (MEMLAT_F_LOADS | MEMLAT_F_STORES)) && !status.ldlat &&
	       !status.period && !status.max_overhead &&
	       status.cpus_armed == status.cpus_online,
	       "the defaults are accepted, and the status says what it is\n");

	sample = device_config(MEMLAT_LDLAT_DEFAULT, 1009);
	good = refused(sample, EBUSY, MEMLAT_WHY_RUNNING) &&
	       refused(config, EBUSY, MEMLAT_WHY_RUNNING);
	session_end(NULL);
	session_begin(sample);
	good &= refused(config, EBUSY, MEMLAT_WHY_RUNNING);
	session_end(NULL);
	result(good, "no session of either kind starts while another one runs\n");
}

/* ------------------------------------------------------------------ counts */

static bool near(const char *what, const struct counted *sum, double truth)
{
	note("%s: %" PRIu64 " counted in %" PRIu64 " of %" PRIu64
	     " cycles, estimate %.0f, true %.0f\n", what, sum->value, sum->running,
	     sum->enabled, sum->estimate, truth);
	return sum->running && fabs(sum->estimate - truth) <= truth * SCALED;
}

/* Instructions are always counted, so none of the loop's may be missing. */
static bool all_there(const struct counted *sum, uint64_t rounds, unsigned int looks)
{
	note("instructions: %" PRIu64 ", of the loop %" PRIu64 "\n", sum->value,
	     rounds * INSTRUCTIONS);
	return sum->value >= rounds * INSTRUCTIONS &&
	       sum->value <= rounds * INSTRUCTIONS + looks * BESIDE && sum->running == sum->enabled;
}

/* On each CPU, every event has the same time to be counted, and counts no longer. */
static bool times_fit(const struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->nr_counts; i++) {
		const struct memlat_rec_count *c = &snapshot->counts[i];
		struct counted cycles = counted_of(snapshot, MEMLAT_EVENT_CYCLES, c->cpu);

		if (c->enabled == cycles.value && c->running <= c->enabled &&
		    (c->running || !c->value))
			continue;
		note("CPU %u event %u: %llu of %llu cycles, %" PRIu64 " cycles\n", c->cpu,
		     c->event, c->running, c->enabled, cycles.value);
		return false;
	}
	return snapshot->nr_counts;
}

/* The depth is a quotient of two counts, which have the same turns if there are two counters. */
static bool pairs_fit(const struct snapshot *snapshot)
{
	unsigned int event;

	for (event = MEMLAT_EVENT_READS_OUTSTANDING; event < MEMLAT_EVENT_L1D_PENDING; event += 2) {
		struct counted first = counted_of(snapshot, event, -1);
		struct counted second = counted_of(snapshot, event + 1, -1);

		if (first.records && second.records && first.running != second.running)
			return false;
	}
	return true;
}

static void check_mine(const char *what)
{
	struct snapshot snapshot;
	struct counted sum, stores;
	unsigned int looks;
	uint64_t rounds;
	bool enough;

	for (looks = 1, enough = false; looks <= LOOKS && !enough; looks++) {
		work_loop(ROUNDS);
		session_take(&snapshot);
		enough = snapshot_had_turns(&snapshot);
		snapshot_free(&snapshot);
	}
	rounds = --looks * ROUNDS;
	session_end(&snapshot);
	sum = counted_of(&snapshot, MEMLAT_EVENT_INSTRUCTIONS, -1);
	result(all_there(&sum, rounds, looks),
	       "%s: each instruction is counted, and no other\n", what);
	sum = counted_of(&snapshot, MEMLAT_EVENT_LOADS, -1);
	stores = counted_of(&snapshot, MEMLAT_EVENT_STORES, -1);
	result(near("loads", &sum, rounds * LOADS) & near("stores", &stores, rounds * STORES),
	       "%s: loads and stores as there are\n", what);
	result(times_fit(&snapshot) && pairs_fit(&snapshot),
	       "%s: the time for which each event was counted is plausible\n", what);
	snapshot_free(&snapshot);
}

static void test_thread(void)
{
	session_begin(config_of_me());
	check_mine("a thread alone");
}

static void test_beside(void)
{
	pid_t other = fork();

	need(other >= 0, "cannot fork");
	if (!other)
		for (;;)
			work_loop(ROUNDS);
	session_begin(config_of_me());
	check_mine("a thread beside another process");
	signal_child(other, SIGKILL);
	waitpid(other, NULL, 0);
}

/* The whole machine in both modes: at least the loop, on its CPU; and all CPUs have counts. */
static void test_machine(void)
{
	struct snapshot first, second;
	struct memlat_status status;
	struct counted sum, before;

	session_begin(config_of(MEMLAT_F_USER | MEMLAT_F_KERNEL));
	on_cpu(1);
	work_loop(ROUNDS);
	session_take(&first);
	work_loop(ROUNDS);
	session_take(&second);
	need(!device_status(rig_fd(), &status), "no status");
	sum = counted_of(&first, MEMLAT_EVENT_INSTRUCTIONS, -1);
	before = counted_of(&first, MEMLAT_EVENT_INSTRUCTIONS, 1);
	result(sum.records == status.cpus_online && before.value >= ROUNDS * INSTRUCTIONS,
	       "the machine: a record of each CPU, the loop on its own\n");
	sum = counted_of(&second, MEMLAT_EVENT_INSTRUCTIONS, 1);
	result(sum.value - before.value >= ROUNDS * INSTRUCTIONS && times_fit(&first) &&
	       times_fit(&second), "a snapshot while it counts, and another one later\n");
	snapshot_free(&first);
	snapshot_free(&second);

	need(!device_reset(rig_fd()), "no reset");
	session_take(&first);
	sum = counted_of(&first, MEMLAT_EVENT_INSTRUCTIONS, 1);
	result(sum.records == 1 && sum.value < ROUNDS * INSTRUCTIONS && times_fit(&first),
	       "after a reset the counts begin at zero\n");
	snapshot_free(&first);

	need(!device_tables(rig_fd(), 1u << MEMLAT_REC_COUNT), "no such table");
	session_take(&first);
	result(first.types == (1u << MEMLAT_REC_STATUS | 1u << MEMLAT_REC_COUNT |
			       1u << MEMLAT_REC_END), "a snapshot can be limited to the counts\n");
	need(!device_tables(rig_fd(), 0), "no tables");
	snapshot_free(&first);
	session_end(NULL);
	on_cpu(0);
}

static void test_listed(void)
{
	struct memlat_config config = config_of(MEMLAT_F_USER | MEMLAT_F_KERNEL);
	struct snapshot snapshot;
	struct counted sum;

	config.cpus[0] = 2;
	session_begin(config);
	work_loop(ROUNDS);
	session_end(&snapshot);
	sum = counted_of(&snapshot, MEMLAT_EVENT_CYCLES, -1);
	result(sum.records == 1 && counted_of(&snapshot, MEMLAT_EVENT_CYCLES, 1).records == 1,
	       "a session of CPU 1 counts only CPU 1\n");
	snapshot_free(&snapshot);
}

/* -------------------------------------------------------------- the session */

static void test_cpu_goes(void)
{
	struct snapshot away, back;
	struct counted before, after;

	session_begin(config_of(MEMLAT_F_USER));
	on_cpu(1);
	work_loop(ROUNDS);
	on_cpu(0);
	online(1, false);
	session_take(&away);
	before = counted_of(&away, MEMLAT_EVENT_INSTRUCTIONS, 1);
	result(before.value >= ROUNDS * INSTRUCTIONS && times_fit(&away),
	       "an offline CPU keeps what it has counted\n");
	online(1, true);
	on_cpu(1);
	work_loop(ROUNDS);
	on_cpu(0);
	session_end(&back);
	after = counted_of(&back, MEMLAT_EVENT_INSTRUCTIONS, 1);
	result(after.records == 1 &&
	       after.value >= before.value + ROUNDS * INSTRUCTIONS && times_fit(&back),
	       "a CPU that came back online counts on\n");
	snapshot_free(&away);
	snapshot_free(&back);
	result(!truth_call("compare"),
	       "every register is as before, while the module is still loaded\n");
}

static void test_tied(void)
{
	struct memlat_config config = config_of(MEMLAT_F_USER | MEMLAT_F_TIED);
	struct memlat_status status;
	int other = device_open();

	need(other >= 0, "cannot open the device");
	need(!device_start(other, &config), "start is refused");
	close(other);
	need(!device_status(rig_fd(), &status), "no status");
	result(status.state == MEMLAT_STATE_IDLE && status.ended == MEMLAT_END_CLOSED,
	       "a tied session ends with its file\n");
}

/* The kernel's test of suspend that stops all tasks. Its notifiers are called. */
static void test_sleep(void)
{
	struct memlat_status status;
	struct snapshot snapshot;
	struct counted sum;

	session_begin(config_of(MEMLAT_F_USER));
	work_loop(ROUNDS);
	need(!command_run(NULL, "cd /sys/power && echo 0 >../module/suspend/parameters/pm_test_delay && "
			  "echo freezer >pm_test && echo mem >state && echo none >pm_test"),
	     "the machine does not sleep");
	need(!device_status(rig_fd(), &status), "no status");
	work_loop(ROUNDS);
	session_end(&snapshot);
	sum = counted_of(&snapshot, MEMLAT_EVENT_INSTRUCTIONS, 0);
	result(status.suspends == 1 && status.cpus_armed == status.cpus_online &&
	       sum.value >= 2 * ROUNDS * INSTRUCTIONS && times_fit(&snapshot),
	       "after a suspend the session goes on with what it had\n");
	snapshot_free(&snapshot);
}

/* If perf reserves counters, it finds them taken. */
static void test_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	struct memlat_query query;
	int fd = -1, error = 0;

	need(!device_query(rig_fd(), &query), "no query");
	session_begin(config_of(MEMLAT_F_USER));
	if (!(query.traits & MEMLAT_TRAIT_UNRESERVED)) {
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		error = errno;
		if (fd >= 0)
			close(fd);
		note("perf: %s\n", fd < 0 ? strerror(error) : "opened");
	}
	session_end(NULL);
	result((query.traits & MEMLAT_TRAIT_UNRESERVED) || (fd < 0 && error == EBUSY),
	       "perf finds the counters taken\n");
}

/* A session that counts may run beside guests, since hardware writes no records into them. */
static void test_guests(void)
{
	struct memlat_status status;

	need(!truth_call("vmxe on"), "cannot set CR4.VMXE");
	session_begin(config_of(MEMLAT_F_USER));
	work_loop(ROUNDS);
	need(!device_status(rig_fd(), &status), "no status");
	result(status.state == MEMLAT_STATE_RUNNING, "a session counts although guests may run\n");
	session_end(NULL);
	need(!truth_call("vmxe off"), "cannot clear CR4.VMXE");
}

static int msr_open(void)
{
	int fd;

	need(!command_run(NULL, "modprobe msr allow_writes=on"), "no msr driver");
	fd = open("/dev/cpu/0/msr", O_RDWR);
	need(fd >= 0, "cannot open the msr driver's device");
	return fd;
}

/* Another user writes a counter: the session ends, keeps its results, and leaves it alone. */
static void test_takeover(void)
{
	uint64_t foreign = FOREIGN, found = 0, event, counter, ctrl;
	struct memlat_status status;
	struct snapshot snapshot;
	int fd = msr_open();
	unsigned int turns;
	struct counted sum;

	/* perf may have left values in them. */
	need(pread(fd, &event, 8, EVENTSEL0) == 8 && pread(fd, &counter, 8, PMC0) == 8 &&
	     pread(fd, &ctrl, 8, GLOBAL_CTRL) == 8, "cannot read a register");
	/* This address only takes the lower half, which is sign-extended. */
	counter &= 0xffffffff;
	session_begin(config_of(MEMLAT_F_USER));
	work_loop(ROUNDS);
	need(pwrite(fd, &foreign, 8, EVENTSEL0) == 8, "cannot write a register");
	/* The session ends at the next change of turns, or else within a second. */
	for (turns = 0; turns < 1000; turns++) {
		work_loop(ROUNDS / 20);
		need(!device_status(rig_fd(), &status), "no status");
		if (status.state == MEMLAT_STATE_IDLE)
			break;
	}
	result(status.state == MEMLAT_STATE_IDLE && status.ended == MEMLAT_END_TAKEOVER,
	       "a counter that somebody else turns on ends the session\n");
	session_take(&snapshot);
	sum = counted_of(&snapshot, MEMLAT_EVENT_INSTRUCTIONS, 0);
	need(pread(fd, &found, 8, EVENTSEL0) == 8, "cannot read a register");
	result(found == FOREIGN && sum.value >= ROUNDS * INSTRUCTIONS,
	       "what somebody else wrote stays, and so do the results\n");
	snapshot_free(&snapshot);
	/* The other user is done, and restores the counter to its state before both. */
	need(pwrite(fd, &event, 8, EVENTSEL0) == 8 && pwrite(fd, &counter, 8, PMC0) == 8 &&
	     pwrite(fd, &ctrl, 8, GLOBAL_CTRL) == 8, "cannot write a register");
	close(fd);
}

int main(void)
{
	rig_open(24);
	on_cpu(0);
	test_refusals();
	test_thread();
	test_beside();
	test_machine();
	test_listed();
	test_cpu_goes();
	test_tied();
	test_sleep();
	test_perf();
	test_guests();
	test_takeover();
	rig_close();
}
