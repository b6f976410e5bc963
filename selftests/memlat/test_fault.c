// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation and each copy from and to user memory that memlat requests fails, one after the
 * other: the first, the second, until a call needs no more. Each time, the call returns a clean
 * error or works without; the session and the PMU are as before; the next call works. Afterwards
 * run_all looks for leaks with kmemleak.
 *
 * Functions that have another way if one request fails (kvmalloc(), the tables) are starved too:
 * then all of their requests fail.
 *
 * MEMLAT_OPERATION=WORD: run only the operations without a session that have WORD in their name.
 */
#include "command.h"
#include "fault.h"
#include "operate.h"
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"

static int fd = -1;
static char last_cpu[80], last_thread[32];
static uint64_t memory_min;

static struct memlat_config config_of_all(void)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT, 1009);

	config.flags |= MEMLAT_F_LOADS | MEMLAT_F_STORES | MEMLAT_F_CALL_GRAPH |
			MEMLAT_F_PHYS | MEMLAT_F_CHILDREN;
	config.pid = getpid();
	/* A large table requests all of its pages in the same way. */
	config.max_memory = memory_min;
	return config;
}

static bool is_idle(void)
{
	return device_is(fd, MEMLAT_STATE_IDLE);
}

static bool is_running(void)
{
	return device_is(fd, MEMLAT_STATE_RUNNING);
}

/* As after a reset: nothing of what the CPUs sampled that were armed before one failed. */
static bool is_empty(void)
{
	struct memlat_status s;

	return is_idle() && !device_status(fd, &s) && !s.duration_ns && !s.records && !s.lines;
}

/* ------------------------------------------------------------ operations */

static bool is_absent(void)
{
	return access("/sys/module/memlat", F_OK) && access(MEMLAT_DEVICE, F_OK) &&
	       access("/sys/kernel/memlat", F_OK);
}

static void unload(void)
{
	need(!module_unload(), "rmmod fails");
}

static int start(void)
{
	struct memlat_config config = config_of_all();

	return device_start(fd, &config);
}

static int stop(void)
{
	return device_stop(fd);
}

static void stop_again(void)
{
	need(!stop(), "stop fails");
}

static void start_again(void)
{
	need(!start(), "start fails");
}

/* Start and sample, so that STOP finds samples for which the tables have no room yet. */
static void start_and_load(void)
{
	static volatile char array[4 << 20];
	size_t i;

	for (i = 0; i < sizeof(array); i += MEMLAT_LINE_BYTES)
		array[i] = 1;
	start_again();
	for (i = 0; i < sizeof(array); i += MEMLAT_LINE_BYTES)
		(void)array[i];
}

static int status(void)
{
	struct memlat_status s;

	return device_status(fd, &s);
}

static int query(void)
{
	struct memlat_query q;

	return device_query(fd, &q);
}

/* Open the device, set the tables, and read to the end. */
static int open_and_read(void)
{
	struct snapshot snapshot;
	int own = device_open(), error;

	if (own < 0)
		return own;
	error = device_tables(own, 0);
	if (!error)
		error = device_snapshot(own, &snapshot);
	close(own);
	if (!error)
		snapshot_free(&snapshot);
	return error;
}

#define FILES	3

/* The rows that each file had at first: without an error they must not become fewer. */
static unsigned int rows_before[FILES];

static int read_sysfs(void)
{
	static const char * const file[FILES] = { "buckets", "lines", "status" };
	char path[64], text[8192];
	int error = 0, own, i;
	unsigned int rows;
	ssize_t got, at;

	for (i = 0; i < FILES && !error; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/memlat/%s", file[i]);
		own = open(path, O_RDONLY | O_CLOEXEC);
		got = own < 0 ? -1 : read(own, text, sizeof(text));
		if (got < 0)
			error = -errno;
		close(own);
		for (at = 0, rows = 0; at < got; at++)
			rows += text[at] == '\n';
		if (got >= 0 && rows < rows_before[i]) {
			note("%s: %u rows, and there were %u\n", path, rows, rows_before[i]);
			error = -ENODATA;
		}
		if (!error && !rows_before[i])
			rows_before[i] = rows;
	}
	return error;
}

static int cpu_set(const char *to)
{
	int own = open(last_cpu, O_WRONLY | O_CLOEXEC), error = 0;

	if (own < 0 || write(own, to, 1) != 1)
		error = -errno;
	close(own);
	return error;
}

/* Without memory a CPU comes online nevertheless, but is not sampled. */
static int cpu_comes(void)
{
	return cpu_set("1");
}

static void cpu_goes(void)
{
	need(!cpu_set("0"), "the last CPU does not go");
}

/* Start a session while the CPU is offline, so that memlat has no memory for it yet. */
static void start_without_cpu(void)
{
	cpu_goes();
	start_again();
}

/* Is every online CPU sampled? */
static bool all_armed(void)
{
	struct memlat_status s;

	need(!device_status(fd, &s), "status fails");
	return s.cpus_armed == s.cpus_online;
}

/* ------------------------------------------------------------- specials */

/* With no more memory, the tables keep what they have, and every record is accounted for. */
static void without_memory(void)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT, 1009);
	struct json_object *answer;
	struct measured m = { };

	measure_begin(&config);
	need(fault_all(true), "cannot arm the injection");
	answer = work(WORKLOADS "chase --steps 100000");
	need(fault_all(false), "cannot disarm the injection");
	measure_end(&m);
	check_conserved(&m, "without memory");
	measured_free(&m);
	json_object_put(answer);
}

/* A CPU that got no memory when it came online is sampled when it comes online again. */
static void without_a_cpu(void)
{
	bool first;

	start_without_cpu();
	need(fault_within_function("memlat_ds_map") && fault_all(true), "cannot arm the injection");
	need(!cpu_comes(), "a CPU does not come");
	need(fault_all(false), "cannot disarm the injection");
	first = all_armed();
	cpu_goes();
	need(!cpu_comes(), "a CPU does not come");
	result(!first && all_armed(), "a CPU without memory is sampled when it comes again\n");
	stop_again();
	need(fault_within_module(), "where is the module?");
}

/* Start with samples of many lines, merged, for the views. */
static void start_with_samples(void)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT, 10007);
	struct snapshot snapshot;
	struct json_object *answer;

	need(!device_start(fd, &config), "start fails");
	answer = work(WORKLOADS "chase --steps 100000");
	need(!device_snapshot(fd, &snapshot) && snapshot.nr_lines, "nothing was sampled");
	snapshot_free(&snapshot);
	json_object_put(answer);
}

static const char * const of_load[] = { "do_one_initcall", NULL };
static const char * const of_read[] = {
	"memlat_open", "memlat_snapshot_take", "memlat_store_snapshot", NULL
};
static const char * const of_start[] = {
	"memlat_ioctl", "memlat_filter_set", "memlat_store_start", "memlat_task_watch",
	"memlat_shards_alloc", "memlat_ds_map", NULL
};
static const char * const of_status[] = { "memlat_ioctl", NULL };
static const char * const of_cpu[] = { "memlat_shards_alloc", "memlat_ds_map", NULL };
static const char * const of_sysfs[] = {
	"buckets_show", "lines_show", "memlat_session_top", "status_show", NULL
};

int main(void)
{
	const long last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	const struct operation load = {
		.name = "insmod", .call = module_load, .undo = unload, .intact = is_absent,
		.fails = true, .slow = true, .functions = of_load,
	};
	const struct operation idle[] = {
		{ .name = "query", .call = query, .intact = is_idle, .fails = true },
		{ .name = "open, snapshot, read", .call = open_and_read, .intact = is_idle,
		  .fails = true, .functions = of_read },
		{ .name = "start", .call = start, .undo = stop_again, .intact = is_idle,
		  .fails = true, .functions = of_start },
		{ .name = "start, on the first CPU", .call = start, .undo = stop_again,
		  .intact = is_idle, .thread = "cpuhp/0" },
		{ .name = "start, on the last CPU", .call = start, .undo = stop_again,
		  .intact = is_idle, .thread = last_thread },
		/* The CPUs before that one are armed then, and none may stay armed. */
		{ .name = "start, no buffer for a CPU", .call = start,
		  .undo = stop_again, .intact = is_empty, .within = "memlat_ds_map",
		  .fails = true },
		{ .name = "stop", .call = stop, .prepare = start_and_load, .intact = is_running,
		  .never_fails = true },
		{ .name = "status", .call = status, .intact = is_idle, .fails = true,
		  .functions = of_status },
		{ .name = "a CPU comes", .call = cpu_comes, .prepare = start_without_cpu,
		  .undo = stop_again, .intact = is_running, .complete = all_armed,
		  .thread = last_thread, .never_fails = true, .functions = of_cpu },
	};
	const struct operation running[] = {
		{ .name = "status of a session", .call = status, .intact = is_running,
		  .fails = true },
		{ .name = "snapshot of a session", .call = open_and_read, .intact = is_running,
		  .fails = true, .functions = of_read },
	};
	/* Not in a running session, which makes reading slow on a debug kernel. */
	const struct operation stopped[] = {
		{ .name = "sysfs", .call = read_sysfs, .intact = is_idle, .functions = of_sysfs },
	};
	const bool all = !getenv("MEMLAT_OPERATION");
	struct memlat_query ranges;
	const char *splat;

	if (!geteuid() && !fault_available()) {
		ksft_print_header();
		ksft_exit_skip("needs a kernel that injects faults: run --kernel debug\n");
	}
	need(results_of(idle, ARRAY_SIZE(idle)), "no operation has '%s' in its name",
	     getenv("MEMLAT_OPERATION"));
	rig_open(results_of(idle, ARRAY_SIZE(idle)) + 2 +
		 (all ? results_of(&load, 1) + results_of(running, ARRAY_SIZE(running)) +
			results_of(stopped, ARRAY_SIZE(stopped)) + 1 + CONSERVED_RESULTS : 0));
	need(last > 0, "this test wants two CPUs");
	snprintf(last_cpu, sizeof(last_cpu), "/sys/devices/system/cpu/cpu%ld/online", last);
	snprintf(last_thread, sizeof(last_thread), "cpuhp/%ld", last);
	need(fault_log_begin(), "cannot read the kernel's log");
	need(fault_prepare(), "cannot prepare the injection");

	need(!device_query(rig_fd(), &ranges), "query fails");
	memory_min = ranges.memory_min;
	rig_release();
	unload();
	/* While loading, only the requests of memlat's init function fail. */
	if (all) {
		need(fault_within_function("do_one_initcall"), "no do_one_initcall");
		operate(&load);
		starve(&load);
	}
	rig_take();
	fd = rig_fd();
	operate_all(idle, ARRAY_SIZE(idle));
	result(!truth_call("compare"), "every PMU register is as before\n");
	if (all) {
		start_with_samples();
		operate_all(running, ARRAY_SIZE(running));
		stop_again();
		need(!read_sysfs(), "cannot read sysfs");
		operate_all(stopped, ARRAY_SIZE(stopped));
		without_a_cpu();
		without_memory();
	}
	rig_release();
	unload();
	splat = fault_log_splat();
	if (splat)
		note("%s\n", splat);
	result(!splat, "the kernel log has no complaint\n");
	fault_log_end();
	rig_take();
	rig_close();
}
