// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../host/device.h"
#include "../host/process.h"

#define CHASE_PERIOD	1009
#define CHASE_SAMPLES	1000
#define HITM_LDLAT	30	/* loads of lines that another core modified take longer */
#define HITM_PERIOD	101	/* two CPUs that take turns make few such loads */
#define HITM_SAMPLES	300
#define SECONDS_MOST	60

static const char *const names[RUNS] = {
	[RUN_L1] = "chase in L1", [RUN_L2] = "chase in L2", [RUN_L3] = "chase in L3",
	[RUN_DRAM] = "chase in memory", [RUN_NEAR] = "one line, two cores",
	[RUN_FAR] = "one line, two sockets", [RUN_PRIVATE] = "a line each",
};

static void plan_chases(struct selftest *test)
{
	unsigned int level;

	for (level = 0; level < LEVELS; level++) {
		struct sample *sample = &test->runs[RUN_L1 + level];

		test->wanted[RUN_L1 + level] = test->place.bytes[level] &&
					       !(test->place.emulated && level == LEVEL_L3);
		sample->work.kind = WORK_CHASE;
		sample->work.cpu[0] = sample->work.cpu[1] = test->place.cpu;
		sample->work.bytes = test->place.bytes[level];
		sample->period = CHASE_PERIOD;
		sample->wanted = CHASE_SAMPLES;
	}
}

static void plan_counters(struct selftest *test, enum selftest_run run, enum work_kind kind,
			  int other)
{
	struct sample *sample = &test->runs[run];
	bool shared = kind == WORK_SHARED;

	test->wanted[run] = other >= 0;
	sample->work.kind = kind;
	sample->work.cpu[0] = test->place.cpu;
	sample->work.cpu[1] = other;
	sample->ldlat = shared ? HITM_LDLAT : 0;
	sample->period = shared ? HITM_PERIOD : CHASE_PERIOD;
	sample->wanted = shared ? HITM_SAMPLES : CHASE_SAMPLES;
}

int selftest_run(struct selftest *test, int device, const struct memlat_query *query,
		 __u32 flags, selftest_progress *progress, const struct sample **refused)
{
	struct memlat_status status;
	unsigned int run;

	*refused = NULL;
	memset(test, 0, sizeof(*test));
	if (!place_find(&test->place, ""))
		return -ENODEV;
	machine_read(&test->machine, query);
	plan_chases(test);
	plan_counters(test, RUN_NEAR, WORK_SHARED, test->place.near);
	plan_counters(test, RUN_FAR, WORK_SHARED, test->place.far);
	plan_counters(test, RUN_PRIVATE, WORK_PRIVATE,
		      test->place.near < 0 ? test->place.far : test->place.near);
	test->watchdog_before = holders_watchdog("/proc");
	counting_try(&test->before);
	for (run = 0; run < RUNS; run++) {
		struct sample *sample = &test->runs[run];

		sample->name = names[run];
		sample->seconds = SECONDS_MOST;
		sample->flags = flags;
		if (!test->wanted[run])
			continue;
		progress(sample->name);
		sample_take(sample, device, query);
		if (sample->refused) {
			*refused = sample;
			return 0;
		}
	}
	test->ended_as = memlat_device_status(device, &status) ? -1 : (int)status.state;
	counting_try(&test->after);
	test->watchdog_after = holders_watchdog("/proc");
	return 0;
}

void selftest_free(struct selftest *test)
{
	machine_free(&test->machine);
}

/* Use a counter through perf, to check that perf gets the PMU and counts correctly. */

#define TURNS	1000000ULL	/* of two instructions */

void counting_try(struct counting *counting)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	__u64 left = TURNS;
	int fd;

	memset(counting, 0, sizeof(*counting));
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		counting->error = errno;
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	asm volatile("1: dec %0; jnz 1b" : "+r"(left) : : "cc");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &counting->counted, sizeof(counting->counted)) !=
	    sizeof(counting->counted))
		counting->error = EIO;
	counting->executed = 2 * TURNS;
	close(fd);
}
