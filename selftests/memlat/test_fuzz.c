// SPDX-License-Identifier: GPL-2.0
/*
 * Random ioctls, reads, polls and the like from several processes at once, while a CPU goes offline
 * and online. Every result is one that uapi/linux/memlat.h describes, and every snapshot balances.
 * First without a session, when the emulated machine is fastest. Then beside a session, which must
 * have as many records as hardware wrote. Then with starts, stops and resets, after which a session
 * must work.
 *
 * MEMLAT_IDLE_CALLS: the number of calls without a session. MEMLAT_CALLS: the number in the two
 * other parts, which are skipped if it is 0. MEMLAT_SEED repeats a run, except for scheduling.
 */
#include "fuzz.h"
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS		1500
#define IDLE_CALLS	3000
#define FUZZERS		3
/* About one START in five is valid, so one storm in some 10,000 has no session. Then do it again. */
#define STORMS		4
#define PERIOD		1009

/* When calls are made: without a session, beside one, or with starts and stops among them. */
enum kind { IDLE, BESIDE, AMID };

/* What the processes share. */
static struct {
	atomic_ulong calls;
	atomic_bool end;
	atomic_bool failed;
	char wrong[160];
	atomic_ulong done[FUZZ_KINDS], good[FUZZ_KINDS], us[FUZZ_KINDS];
} *shared;

/* The file that takes the last CPU offline. The machine must let it. */
static char cpu_online[80];

static void alarm_rang(int unused)
{
	(void)unused;
}

/* Signals interrupt calls that sleep. */
static void interrupt_me(void)
{
	const struct sigaction action = { .sa_handler = alarm_rang };
	const struct itimerval often = {
		.it_interval = { .tv_usec = 211000 },
		.it_value = { .tv_usec = 211000 },
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void report(const char *what)
{
	if (!atomic_exchange(&shared->failed, true))
		snprintf(shared->wrong, sizeof(shared->wrong), "%s", what);
}

static void fuzz(uint64_t seed, enum kind kind, unsigned long calls)
{
	struct fuzzer f;
	unsigned int i;

	if (!fuzz_open(&f, seed, rig_fd())) {
		report(f.wrong);
		return;
	}
	f.idle = kind == IDLE;
	f.gentle = kind == BESIDE;
	interrupt_me();
	while (atomic_fetch_add(&shared->calls, 1) < calls && !atomic_load(&shared->failed))
		if (!fuzz_call(&f))
			report(f.wrong);
	for (i = 0; i < FUZZ_KINDS; i++) {
		atomic_fetch_add(&shared->done[i], f.calls[i]);
		atomic_fetch_add(&shared->good[i], f.good[i]);
		atomic_fetch_add(&shared->us[i], (unsigned long)(f.seconds[i] * 1e6));
	}
}

static bool cpu_set(char state)
{
	int fd = open(cpu_online, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, &state, 1) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

/*
 * A CPU goes offline and online. Most calls wait for this, so it takes a quarter of the time, on
 * slow machines too.
 */
static void toggle(uint64_t random)
{
	double began;

	while (!atomic_load(&shared->end)) {
		began = fuzz_seconds();
		if (!cpu_set('0')) {
			report("the last CPU does not go offline");
			break;
		}
		usleep(fuzz_below(&random, 50000));
		if (!cpu_set('1')) {
			report("a CPU does not come back");
			break;
		}
		began += 4 * (fuzz_seconds() - began);
		while (fuzz_seconds() < began && !atomic_load(&shared->end))
			usleep(20000);
	}
}

/* Loads for the session to sample. */
static void loads(void)
{
	static volatile char memory[1 << 20];
	unsigned int at = 0;

	while (!atomic_load(&shared->end)) {
		at = (at + 4160) % sizeof(memory);
		memory[at]++;
		if (!at)
			usleep(5000);
	}
}

static pid_t spawn(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	need(pid >= 0, "cannot fork");
	/* Leave the kernel's threads their share of the CPUs. */
	if (!pid && nice(19) < 0)
		report("nice() fails");
	return pid;
}

static void reap(pid_t pid)
{
	int status;

	need(waitpid(pid, &status, 0) == pid, "a process is gone");
	if (status)
		report("a process of the test died");
}

/* Run all processes once. */
static void storm(uint64_t seed, enum kind kind, unsigned long calls)
{
	pid_t pid[FUZZERS], toggler, loader;
	unsigned int i;

	atomic_store(&shared->calls, 0);
	atomic_store(&shared->end, false);
	atomic_store(&shared->failed, false);
	toggler = spawn();
	if (!toggler) {
		toggle(seed | 1);
		_exit(0);
	}
	loader = spawn();
	if (!loader) {
		loads();
		_exit(0);
	}
	for (i = 0; i < FUZZERS; i++) {
		pid[i] = spawn();
		if (!pid[i]) {
			fuzz(seed + i * 0x9e3779b97f4a7c15ull, kind, calls);
			_exit(0);
		}
	}
	for (i = 0; i < FUZZERS; i++)
		reap(pid[i]);
	atomic_store(&shared->end, true);
	reap(toggler);
	reap(loader);
	need(!device_tables(rig_fd(), 0), "READER is refused");
}

/* Did each of these kinds succeed at least once? */
static bool each_succeeded(enum fuzz_success kinds)
{
	unsigned int i;

	for (i = 0; i < FUZZ_KINDS; i++)
		if (fuzz_success(i) == kinds && !atomic_load(&shared->good[i]))
			return false;
	return true;
}

/* Print the numbers of calls, and the time that they took. */
static void account(double began)
{
	unsigned long done, good, us, all = 0;
	unsigned int i;

	for (i = 0; i < FUZZ_KINDS; i++) {
		done = atomic_exchange(&shared->done[i], 0);
		good = atomic_exchange(&shared->good[i], 0);
		us = atomic_exchange(&shared->us[i], 0);
		note("%8lu %-14s %8lu succeeded %8.1f s\n", done, fuzz_kind(i), good, us / 1e6);
		all += done;
	}
	note("%8lu calls in %.1f s\n", all, fuzz_seconds() - began);
}

static void outcome(const char *what)
{
	if (atomic_load(&shared->failed))
		note("%s\n", shared->wrong);
	result(!atomic_load(&shared->failed), "%s: every answer is a permitted one\n", what);
}

/* Like measure_begin(), but the emulator does not watch memory, and is faster. */
static void begin(struct memlat_config *config)
{
	int error;

	need(!truth_call("begin time"), "cannot open the bracket");
	error = device_start(rig_fd(), config);
	need(!error, "start is refused: %s", strerror(-error));
}

static void idle(uint64_t seed, unsigned long calls)
{
	const double began = fuzz_seconds();

	storm(seed, IDLE, calls);
	outcome("without a session");
	result(calls < IDLE_CALLS || each_succeeded(FUZZ_ALWAYS),
	       "without a session: each kind of call that can succeed did\n");
	account(began);
}

static void beside(uint64_t seed, struct memlat_config *config, unsigned long calls)
{
	const double began = fuzz_seconds();
	struct measured m = { };

	begin(config);
	storm(seed, BESIDE, calls);
	measure_end(&m);
	outcome("beside one session");
	check_conserved(&m, "that session");
	measured_free(&m);
	account(began);
}

static void amid(uint64_t seed, struct memlat_config *config, unsigned long calls)
{
	const double began = fuzz_seconds();
	struct json_object *answer;
	struct measured m = { };
	unsigned int i;

	for (i = 0; i < STORMS; i++) {
		storm(seed + 2 * i, AMID, calls);
		if (atomic_load(&shared->failed) || each_succeeded(FUZZ_WITH_SESSIONS))
			break;
	}
	outcome("with starts, stops and resets");
	result(calls < CALLS / 2 || each_succeeded(FUZZ_WITH_SESSIONS),
	       "with starts, stops and resets: starts and stops succeed\n");
	account(began);
	device_stop(rig_fd());
	begin(config);
	answer = work(WORKLOADS "false_sharing --iterations 100000");
	measure_end(&m);
	check_conserved(&m, "a session afterwards");
	measured_free(&m);
	json_object_put(answer);
}

int main(void)
{
	const unsigned long idle_calls = fuzz_number("MEMLAT_IDLE_CALLS", IDLE_CALLS);
	const unsigned long calls = fuzz_number("MEMLAT_CALLS", CALLS);
	const uint64_t seed = fuzz_seed();
	struct memlat_config config;

	rig_open(2 + (calls ? 2 * (CONSERVED_RESULTS + 1) + 1 : 0));
	note("MEMLAT_SEED=%llu MEMLAT_IDLE_CALLS=%lu MEMLAT_CALLS=%lu\n",
	     (unsigned long long)seed, idle_calls, calls);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared != MAP_FAILED, "no memory");
	snprintf(cpu_online, sizeof(cpu_online), "/sys/devices/system/cpu/cpu%ld/online",
		 sysconf(_SC_NPROCESSORS_ONLN) - 1);

	idle(seed + 2, idle_calls);
	if (calls) {
		config = device_config(MEMLAT_LDLAT_DEFAULT, device_period(rig_fd(), PERIOD));
		beside(seed, &config, calls / 2);
		amid(seed + 1, &config, calls / 2);
	}
	rig_close();
}
