// SPDX-License-Identifier: GPL-2.0
/*
 * Random ioctls, reads, polls and the like from several processes at once, while a CPU
 * goes and comes: every answer is one that uapi/linux/memlat.h tells, every snapshot
 * balances. First beside one session, whose records must then be as many as hardware
 * wrote; then with starts, stops and resets among them, after which a session is as any.
 *
 * MEMLAT_CALLS: how many; MEMLAT_SEED repeats a run, as far as the scheduler does.
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
#define FUZZERS		3
#define PERIOD		1009

/* What the processes share. */
static struct {
	atomic_ulong calls;
	atomic_bool end;
	atomic_bool failed;
	char wrong[160];
} *shared;

/* The last CPU; it may be one that cannot go. */
static char cpu_online[80];

static void alarm_rang(int unused)
{
	(void)unused;
}

/* Signals interrupt what sleeps. */
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

static void fuzz(uint64_t seed, bool gentle, unsigned long calls)
{
	struct fuzzer f;

	if (!fuzz_open(&f, seed, rig_fd(), gentle)) {
		report(f.wrong);
		return;
	}
	interrupt_me();
	while (atomic_fetch_add(&shared->calls, 1) < calls && !atomic_load(&shared->failed))
		if (!fuzz_call(&f))
			report(f.wrong);
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
 * A CPU goes and comes. Most calls wait while it does, so it does for a quarter of the
 * time, however long that takes here.
 */
static void toggle(uint64_t random)
{
	double began;

	while (!atomic_load(&shared->end)) {
		began = fuzz_seconds();
		if (!cpu_set('0'))
			break;
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

/* Something to sample meanwhile. */
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
	/* The kernel's own threads get their share, however busy this is. */
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

/* All of it, once. */
static void storm(uint64_t seed, bool gentle, unsigned long calls)
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
			fuzz(seed + i * 0x9e3779b97f4a7c15ull, gentle, calls);
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

static void outcome(const char *what)
{
	if (atomic_load(&shared->failed))
		note("%s\n", shared->wrong);
	result(!atomic_load(&shared->failed), "%s: every answer is one that may be\n", what);
}

/* As measure_begin(), but the emulator need not look at memory, and is faster. */
static void begin(struct memlat_config *config)
{
	int error;

	need(!truth_call("begin time"), "cannot open the bracket");
	error = device_start(rig_fd(), config);
	need(!error, "start is refused: %s", strerror(-error));
}

int main(void)
{
	const unsigned long calls = fuzz_number("MEMLAT_CALLS", CALLS);
	struct memlat_config config;
	struct json_object *answer;
	struct measured m = { };
	const uint64_t seed = fuzz_seed();
	double began;

	rig_open(2 * (CONSERVED_RESULTS + 1));
	note("MEMLAT_SEED=%llu MEMLAT_CALLS=%lu\n", (unsigned long long)seed, calls);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared != MAP_FAILED, "no memory");
	snprintf(cpu_online, sizeof(cpu_online), "/sys/devices/system/cpu/cpu%ld/online",
		 sysconf(_SC_NPROCESSORS_ONLN) - 1);

	began = fuzz_seconds();
	config = device_config(MEMLAT_LDLAT_DEFAULT, device_period(rig_fd(), PERIOD));
	begin(&config);
	storm(seed, true, calls / 2);
	measure_end(&m);
	outcome("beside one session");
	check_conserved(&m, "that session");
	measured_free(&m);
	note("%lu calls, %.1f s\n", calls / 2, fuzz_seconds() - began);

	began = fuzz_seconds();
	storm(seed + 1, false, calls / 2);
	outcome("with starts, stops and resets");
	note("%lu calls, %.1f s\n", calls / 2, fuzz_seconds() - began);
	device_stop(rig_fd());
	begin(&config);
	answer = work(WORKLOADS "false_sharing --iterations 100000");
	measure_end(&m);
	check_conserved(&m, "a session afterwards");
	measured_free(&m);
	json_object_put(answer);
	rig_close();
}
