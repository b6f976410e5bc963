// SPDX-License-Identifier: GPL-2.0
/*
 * What test_fault checks for a session that samples is checked here for a session that counts, its
 * snapshot, and the ioctl for prefetchers; and how "memlat-ctl record" handles requests that fail.
 */
#include "fault.h"
#include "operate.h"
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"

static int fd = -1;

static bool is_idle(void)
{
	return device_is(fd, MEMLAT_STATE_IDLE);
}

static bool is_running(void)
{
	return device_is(fd, MEMLAT_STATE_RUNNING);
}

static void stop_again(void)
{
	need(!device_stop(fd), "stop fails");
}

static int start_counting(void)
{
	struct memlat_config config = {
		.size = sizeof(config),
		.flags = MEMLAT_F_COUNT | MEMLAT_F_USER | MEMLAT_F_KERNEL,
	};

	return device_start(fd, &config);
}

/* A machine without known prefetchers allocates and copies the same. */
static int show_prefetchers(void)
{
	struct memlat_prefetch prefetch = {
		.size = sizeof(prefetch), .op = MEMLAT_PREFETCH_SHOW,
	};

	return ioctl(fd, MEMLAT_IOC_PREFETCH, &prefetch) ? -errno : 0;
}

static int read_all(void)
{
	struct snapshot snapshot;
	int error = device_snapshot(fd, &snapshot);

	if (!error)
		snapshot_free(&snapshot);
	return error;
}

/* A program whose requests fail succeeds, or prints an error and leaves no session. */
static bool record_once(unsigned int nth, bool *more)
{
	siginfo_t info;
	pid_t pid;
	int log = open("/tmp/fault.err", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	off_t said;

	need(log >= 0, "no /tmp");
	fflush(NULL);
	pid = fork();
	if (!pid) {
		dup2(log, STDERR_FILENO);
		dup2(log, STDOUT_FILENO);
		/* The injection survives exec, and the loader makes no request of memlat's. */
		fault_arm(0, nth);
		execlp("memlat-ctl", "memlat-ctl", "record", "-o", "/tmp/fault.data", "--",
		       "true", NULL);
		_exit(127);
	}
	/* The count can be read until the process is waited for. */
	need(pid > 0 && !waitid(P_PID, pid, &info, WEXITED | WNOWAIT), "no such process");
	*more = !fault_disarm(pid);
	waitpid(pid, NULL, 0);
	said = lseek(log, 0, SEEK_END);
	close(log);
	unlink("/tmp/fault.data");
	if (info.si_code != CLD_EXITED || info.si_status > 2 || !is_idle()) {
		note("record, request %u: status %d, session %s\n", nth, info.si_status,
		     is_idle() ? "ended" : "left");
		return false;
	}
	if (info.si_status && (!*more || !said)) {
		note("record, request %u: fails, and says %s\n", nth,
		     said ? "why" : "nothing");
		return false;
	}
	return true;
}

/* Each of its requests has failed above already. This checks how the program handles that. */
static void record(void)
{
	unsigned int nth, hit = 0;
	bool good = true, more = true;

	for (nth = 1; good && more && nth <= MOST; nth += nth / 2 + 1) {
		good = record_once(nth, &more);
		hit += more;
	}
	note("record: %u requests failed\n", hit);
	result(good && !more && hit, "memlat-ctl record\n");
}

static const char * const of_ioctl[] = { "memlat_ioctl", NULL };

int main(void)
{
	const struct operation idle[] = {
		{ .name = "start that counts", .call = start_counting, .undo = stop_again,
		  .intact = is_idle, .fails = true, .functions = of_ioctl },
		{ .name = "prefetch", .call = show_prefetchers, .intact = is_idle, .fails = true,
		  .functions = of_ioctl },
	};
	const struct operation counting[] = {
		{ .name = "snapshot of what is counted", .call = read_all,
		  .intact = is_running, .fails = true },
	};
	const char *splat;

	if (!geteuid() && !fault_available()) {
		ksft_print_header();
		ksft_exit_skip("needs a kernel that injects faults: run --kernel debug\n");
	}
	rig_open(results_of(idle, ARRAY_SIZE(idle)) + results_of(counting, ARRAY_SIZE(counting)) +
		 2);
	fd = rig_fd();
	need(fault_log_begin(), "cannot read the kernel's log");
	need(fault_prepare(), "cannot prepare the injection");
	operate_all(idle, ARRAY_SIZE(idle));
	need(!start_counting(), "counting does not start");
	operate_all(counting, ARRAY_SIZE(counting));
	stop_again();
	record();
	splat = fault_log_splat();
	if (splat)
		note("%s\n", splat);
	result(!splat, "the kernel log has no complaint\n");
	fault_log_end();
	rig_close();
}
