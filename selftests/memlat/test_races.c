// SPDX-License-Identifier: GPL-2.0
/*
 * Start, stop, reset, read, load, unload, hotplug, exit and kill at the same time, from many
 * processes for some seconds. Each call only has to return. Afterwards no process hangs, the module
 * can be unloaded, the PMU is as before, and a session works. What else goes wrong shows in the
 * splats of a debug kernel.
 *
 * MEMLAT_SECONDS: how long; MEMLAT_SEED repeats the choices. With MEMLAT_STORM=N the rest of the
 * machine joins in: perf, the NMI watchdog, KVM's stand-in, cgroups that are removed while a
 * session samples them, and suspends as far as the freezer. The kernel is N times as slow as
 * Debian's, so each kind of process has N times as long to succeed.
 */
#include "command.h"
#include "fuzz.h"
#include "rig.h"
#include "../signal_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS		20
#define PERIOD		1009
#define LONGEST		120	/* s for the last to end: emulation is slow */
#define GROUPS		"/tmp/memlat-races"
#define KVM		"selftests/memlat/kvm/"

static struct {
	atomic_bool end;
	atomic_ulong done[16];
	atomic_ulong pebs_in_guest;	/* entries of a guest with PEBS on */
} *shared;

static long cpus;
static uint64_t choice;

static bool go_on(void)
{
	return !atomic_load(&shared->end);
}

static uint64_t below(uint64_t limit)
{
	return fuzz_below(&choice, limit);
}

/* Start through an own file, tied or not. Chance decides who stops the session. */
static bool starter(void)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT, PERIOD);
	int fd = device_open();
	bool good;

	if (fd < 0)
		return false;
	if (below(2))
		config.flags |= MEMLAT_F_TIED;
	if (below(2))
		config.flags |= MEMLAT_F_LOADS | MEMLAT_F_STORES;
	if (!below(4))
		config.flags |= MEMLAT_F_CALL_GRAPH;
	if (!below(4)) {
		config.pid = getppid();
		config.flags |= MEMLAT_F_CHILDREN;
	}
	if (!below(4))
		config.max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	good = !device_start(fd, &config);
	usleep(below(20000));
	close(fd);
	return good;
}

static bool simple(int (*call)(int fd))
{
	int fd = device_open();
	bool good;

	if (fd < 0)
		return false;
	good = !call(fd);
	close(fd);
	return good;
}

static bool stopper(void)
{
	usleep(below(40000));
	return simple(device_stop);
}

static bool resetter(void)
{
	usleep(below(20000));
	return simple(device_reset);
}

static int look(int fd)
{
	struct memlat_status status;
	struct snapshot snapshot;
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLPRI };
	int error;

	if (below(4))
		return device_status(fd, &status);
	error = device_snapshot(fd, &snapshot);
	if (!error)
		snapshot_free(&snapshot);
	poll(&p, 1, below(20));
	return error;
}

static bool reader(void)
{
	return simple(look);
}

static bool sysfs(void)
{
	static const char * const file[] = { "status", "buckets", "lines" };
	char path[64], text[4096];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/memlat/%s", file[below(3)]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = read(fd, text, sizeof(text)) > 0;
	close(fd);
	return good;
}

static bool loader(void)
{
	if (below(4))
		return !module_load();
	usleep(below(100000));
	return !module_unload();
}

static bool hotplugger(void)
{
	char path[64];
	long cpu = 1 + below(cpus - 1);
	double began = fuzz_seconds();
	bool good;
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = write(fd, below(3) ? "1" : "0", 1) == 1;
	close(fd);
	/* All others wait during this, so leave most of the time to them. */
	began += 4 * (fuzz_seconds() - began);
	while (fuzz_seconds() < began && go_on())
		usleep(1000 + below(20000));
	return good;
}

/* Tasks that load, come and go. */
static bool forker(void)
{
	static volatile char memory[1 << 18];
	unsigned int i;
	pid_t pid = fork();

	if (pid < 0)
		return false;
	for (i = 0; i < sizeof(memory); i += 64)
		memory[i]++;
	if (!pid)
		_exit(0);
	return waitpid(pid, NULL, 0) == pid;
}

/* Kill a process that uses the device, wherever it is. */
static bool killer(void)
{
	static bool (* const victim[])(void) = { starter, reader, resetter };
	bool (*act)(void) = victim[below(3)];
	pid_t pid = fork();

	if (pid < 0)
		return false;
	if (!pid) {
		choice ^= getpid();
		for (;;)
			act();
	}
	usleep(below(30000));
	signal_child(pid, SIGKILL);
	return waitpid(pid, NULL, 0) == pid;
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

/* Cycles of this process that perf counts; 0: perf has no counter. */
static uint64_t perf_cycles(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);
	uint64_t value = 0;

	if (fd < 0)
		return 0;
	usleep(below(20000));
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		value = 0;
	close(fd);
	return value;
}

static bool perf_user(void)
{
	usleep(below(20000));
	return perf_cycles(below(2) ? -1 : (int)below(cpus)) != 0;
}

static bool watchdog(void)
{
	usleep(below(100000));
	return put("/proc/sys/kernel/nmi_watchdog", below(2) ? "1" : "0");
}

/* A guest is entered, and may keep kvm_intel in use for a while. */
static bool guest(void)
{
	unsigned long long before, after = 0;
	cpu_set_t set;
	char line[80];
	ssize_t got;
	int fd;

	usleep(below(200000));
	CPU_ZERO(&set);
	CPU_SET(below(cpus), &set);
	/* The CPU may be offline. */
	sched_setaffinity(0, sizeof(set), &set);
	fd = open("/dev/kvm", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, line, sizeof(line) - 1);
	line[got > 0 ? got : 0] = '\0';
	if (sscanf(line, "cpu %*d before %llx after %llx", &before, &after) == 2 && after)
		atomic_fetch_add(&shared->pebs_in_guest, 1);
	if (!below(4))
		usleep(below(50000));
	close(fd);
	return got > 0;
}

/* The cgroup that a session samples is removed. */
static bool remover(void)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT, PERIOD);
	struct stat st;
	bool good;
	int fd;

	if (mkdir(GROUPS "/some", 0700) || stat(GROUPS "/some", &st))
		return false;
	config.cgroup = st.st_ino;
	fd = device_open();
	good = fd >= 0 && !device_start(fd, &config);
	if (fd >= 0)
		close(fd);
	usleep(below(20000));
	return !rmdir(GROUPS "/some") && good;
}

/* Processes freeze and thaw. Leave most of the time to the others. */
static bool sleeper(void)
{
	double began;
	bool good;

	usleep(100000);
	began = fuzz_seconds();
	good = put("/sys/power/state", "mem");
	began += 4 * (fuzz_seconds() - began);
	while (fuzz_seconds() < began && go_on())
		usleep(1000 + below(20000));
	return good;
}

static const struct {
	const char *name;
	bool (*act)(void);
	unsigned int processes;
	bool storm;		/* only in a storm */
	unsigned int seconds;	/* of a storm, in which it has to succeed once on average */
} kind[] = {
	{ "started", starter, 2, .seconds = 10 }, { "stopped", stopper, 1, .seconds = 20 },
	{ "reset", resetter, 1, .seconds = 10 }, { "read", reader, 2, .seconds = 10 },
	{ "read in sysfs", sysfs, 1, .seconds = 10 },
	{ "loaded or unloaded", loader, 1, .seconds = 10 },
	{ "CPU went or came", hotplugger, 1, .seconds = 10 }, { "forked", forker, 1, .seconds = 5 },
	{ "killed", killer, 1, .seconds = 10 },
	{ "counted with perf", perf_user, 1, true, 20 },
	{ "watchdog turned on or off", watchdog, 1, true, 10 },
	{ "guest entered", guest, 1, true, 10 },
	{ "cgroup removed from a session", remover, 1, true, 20 },
	{ "suspended", sleeper, 1, true, 30 },
};

#define KINDS (sizeof(kind) / sizeof(kind[0]))
#define MOST  24

static unsigned int processes;
static pid_t pids[MOST];
static const char *does[MOST];	/* the kind's name */
static unsigned long storms;	/* 0: none; else how slow the kernel is */

static void storm_begin(void)
{
	need(!mkdir(GROUPS, 0700) && !mount("none", GROUPS, "cgroup2", 0, NULL), "no cgroups");
	need(!command_run(NULL, "insmod " KVM "kvm.ko && insmod " KVM "kvm-intel.ko"),
	     "no stand-in for KVM");
	need(!truth_call("vmxe on never"), "cannot turn VMXE on");
	need(put("/sys/power/pm_test", "freezer") &&
	     put("/sys/module/suspend/parameters/pm_test_delay", "0"), "no test of suspends");
}

/* The others' registers and counters are as they leave them, and not as they were. */
static void storm_end(void)
{
	uint64_t cycles = 0;
	int i;

	result(!atomic_load(&shared->pebs_in_guest), "no guest was entered while PEBS was on\n");
	need(put("/sys/power/pm_test", "none") &&
	     put("/proc/sys/kernel/nmi_watchdog", "0"), "cannot clean up");
	need(!command_run(NULL, "rmmod kvm_intel kvm") && !truth_call("vmxe off"),
	     "the stand-in for KVM does not go");
	need(!umount(GROUPS) && !rmdir(GROUPS), "a cgroup is left");
	for (i = 0; i < 10; i++)
		cycles += perf_cycles(-1);
	result(cycles > 0, "perf counts\n");
	need(!truth_call("photo"), "cannot photograph the PMU");
}

static void start_all(uint64_t seed)
{
	unsigned int k, i;

	for (k = 0; k < KINDS; k++) {
		for (i = 0; i < kind[k].processes && (storms || !kind[k].storm); i++) {
			need(processes < MOST, "too many processes");
			does[processes] = kind[k].name;
			pids[processes] = fork();
			need(pids[processes] >= 0, "cannot fork");
			choice = (seed + processes * 0x9e3779b97f4a7c15ull) | 1;
			if (!pids[processes]) {
				/* Leave the kernel's threads their share of the CPUs. */
				if (nice(19) < 0)
					_exit(1);
				while (go_on())
					if (kind[k].act())
						atomic_fetch_add(&shared->done[k], 1);
				_exit(0);
			}
			processes++;
		}
	}
}

/* Wait for all of them. False: one hangs. */
static bool end_all(void)
{
	const time_t until = time(NULL) + LONGEST;
	unsigned int left = processes, i;
	bool good = true;
	int status;

	atomic_store(&shared->end, true);
	while (left && time(NULL) < until) {
		for (i = 0; i < processes; i++) {
			if (!pids[i] || waitpid(pids[i], &status, WNOHANG) != pids[i])
				continue;
			pids[i] = 0;
			left--;
			good &= !status;
		}
		usleep(10000);
	}
	for (i = 0; left && i < processes; i++)
		if (pids[i])
			note("it hangs: what %s\n", does[i]);
	return good && !left;
}

static bool all_online(void)
{
	char path[64];
	bool good = true;
	long cpu;
	int fd;

	for (cpu = 1; cpu < cpus; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/online", cpu);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		good &= fd >= 0 && write(fd, "1", 1) == 1;
		close(fd);
	}
	return good && sysconf(_SC_NPROCESSORS_ONLN) == cpus;
}

int main(void)
{
	const unsigned long duration = fuzz_number("MEMLAT_SECONDS", SECONDS);
	struct memlat_config config;
	struct json_object *answer;
	struct measured m = { };
	const uint64_t seed = fuzz_seed();
	unsigned int k;
	bool all = true;

	storms = fuzz_number("MEMLAT_STORM", 0);
	rig_open(storms ? 6 + CONSERVED_RESULTS : 5 + CONSERVED_RESULTS);
	note("MEMLAT_SEED=%llu MEMLAT_SECONDS=%lu\n", (unsigned long long)seed, duration);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	need(cpus > 1, "this test wants two CPUs");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared != MAP_FAILED, "no memory");
	/* Nothing may prevent the module's unload. */
	rig_release();
	if (storms)
		storm_begin();
	fflush(NULL);

	start_all(seed);
	sleep(duration);
	result(end_all(), "all threads of the test end\n");
	for (k = 0; k < KINDS; k++) {
		const unsigned long least = storms ? duration / storms / kind[k].seconds : 1;

		if (kind[k].storm && !storms)
			continue;
		note("%lu times %s\n", atomic_load(&shared->done[k]), kind[k].name);
		all &= atomic_load(&shared->done[k]) >= (least ?: 1);
	}
	result(all, storms ? "each kind of process succeeded as often as it has to\n" :
	       "each kind of process succeeded at least once\n");
	result(all_online(), "all CPUs are online again\n");
	/* The module may be loaded or not, and a session may be running. */
	need(!module_load(), "insmod fails");
	result(!module_unload(), "the module can be unloaded, whatever ran\n");
	if (storms)
		storm_end();
	else
		result(!truth_call("compare"), "every PMU register is as before\n");

	rig_take();
	config = device_config(MEMLAT_LDLAT_DEFAULT, device_period(rig_fd(), PERIOD));
	measure_begin(&config);
	answer = work(WORKLOADS "false_sharing --iterations 100000");
	measure_end(&m);
	check_conserved(&m, "a session afterwards");
	measured_free(&m);
	json_object_put(answer);
	rig_close();
}
