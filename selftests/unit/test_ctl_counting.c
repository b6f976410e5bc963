// SPDX-License-Identifier: GPL-2.0
/* Runs that count, on a device that is none: what a signal ends. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ctl_output.h"
#include "ctl_profile.h"
#include "ctl_view.h"

#include "cli/open.h"
#include "host/device.h"
#include "cmd.h"

#define STARTED_NS	7

static bool session_runs;

/* These take the place of memlat-ctl's own. */
int memlat_device_open(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int memlat_device_query(int fd, struct memlat_query *query)
{
	*query = (struct memlat_query){
		.abi_version = MEMLAT_ABI_VERSION, .flags = ~0U,
	};
	return 0;
}

int memlat_device_start(int fd, struct memlat_config *config)
{
	session_runs = true;
	return 0;
}

int memlat_device_stop(int fd)
{
	session_runs = false;
	return 0;
}

int memlat_device_status(int fd, struct memlat_status *status)
{
	*status = (struct memlat_status){
		.state = session_runs ? MEMLAT_STATE_RUNNING : MEMLAT_STATE_IDLE,
		.started_ns = STARTED_NS,
	};
	return 0;
}

int snapshot_read(struct snapshot *snap, int fd)
{
	snap->head.status.started_ns = STARTED_NS;
	return 0;
}

bool prefetch_hold(int fd, const struct memlat_query *query, __u32 kinds, const __u64 *cpus)
{
	return true;
}

bool prefetch_release(int fd, const struct memlat_query *query)
{
	return true;
}

#define ENDLESS	77
/* A wait that never ends is one too many. Another one ends by a signal. */
static bool must_end;

int poll(struct pollfd *fds, nfds_t nr, int ms)
{
	if (must_end && ms < 0)
		_exit(ENDLESS);
	if (must_end)
		kill(getpid(), SIGINT);
	return (int)syscall(SYS_poll, fds, nr, ms);
}

/* Run bus with a command that gets this far and then interrupts it. Returns bus' exit status. */
static int bus(const char *option, const char *script)
{
	char *words[] = {
		"bus", "-o", (char *)in("figures"), "--", "sh", "-c", (char *)script, NULL, NULL,
	};
	int nr = 7;
	pid_t child;

	if (option) {
		memmove(words + 2, words + 1, 6 * sizeof(*words));
		words[1] = (char *)option;
		nr++;
	}
	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(out_finish(cmd_run(&cmd_bus, nr, words)));
	return exit_status_of(child);
}

static size_t runs(void)
{
	struct bytes file = file_bytes(in("runs"));
	size_t size = file.size;

	free(file.at);
	return size;
}

/* What was interrupted is not compared with anything, and not run again. */
TEST_WITH(one_signal_ends_all_runs, own_folder_make, own_folder_remove)
{
	char script[512];

	snprintf(script, sizeof(script), "printf x >>'%s'", in("runs"));
	assert_int_equal(bus("--prefetch=compare", script), DONE);
	assert_int_equal(runs(), 2);
	snprintf(script, sizeof(script), "printf x >>'%s'; kill -INT $PPID; sleep 5", in("runs"));
	assert_int_equal(bus(NULL, script), DONE);
	assert_int_equal(runs(), 3);
	assert_int_equal(bus("--prefetch=compare", script), FAILED);
	assert_int_equal(runs(), 4);
	/* Also in the second run. */
	snprintf(script, sizeof(script), "printf x >>'%s'; test $(wc -c <'%s') = 5 || { kill -INT $PPID; sleep 5; }",
		 in("runs"), in("runs"));
	assert_int_equal(bus("--prefetch=compare", script), FAILED);
	assert_int_equal(runs(), 6);
}

/* A month has more milliseconds than poll() can wait for. */
TEST_WITH(a_month_ends, own_folder_make, own_folder_remove)
{
	char *words[] = {
		"bus", "-o", (char *)in("figures"), "-a", "--duration", "2592000", NULL,
	};
	pid_t child;

	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		must_end = true;
		_exit(out_finish(cmd_run(&cmd_bus, 6, words)));
	}
	assert_int_equal(exit_status_of(child), DONE);
}
