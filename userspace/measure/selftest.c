// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../host/device.h"
#include "../host/process.h"
#include "../profile/snapshot.h"
#include "../util/clock.h"
#include "../util/source.h"

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

#define NAP_MS	10

static void set_error(struct sample *sample, const char *what, int error)
{
	snprintf(sample->why, sizeof(sample->why), "%s: %s", what, strerror(error));
}

/* Wait for enough samples, the end of the session, or the time limit. */
static int wait_for_samples(const struct sample *sample, int device)
{
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };
	__u64 until = clock_now() + CLOCK_SECOND * sample->seconds;
	struct memlat_status status;
	int ret;

	do {
		nanosleep(&nap, NULL);
		ret = memlat_device_status(device, &status);
	} while (!ret && status.state == MEMLAT_STATE_RUNNING &&
		 status.samples < sample->wanted && clock_now() < until);
	return ret;
}

static int start(struct sample *sample, int device, const struct memlat_query *query)
{
	struct memlat_config *config = &sample->config;
	int ret;

	memset(config, 0, sizeof(*config));
	config->ldlat = sample->ldlat < query->ldlat_min ? query->ldlat_min : sample->ldlat;
	config->period = sample->period < query->period_min ? query->period_min : sample->period;
	config->flags = MEMLAT_F_USER | MEMLAT_F_LOADS | sample->flags |
			(query->flags & MEMLAT_F_TIED);
	config->pid = (__s32)sample->work.pid;
	ret = memlat_device_start(device, config);
	if (ret) {
		sample->refused = -ret;
		set_error(sample, "a session does not start", -ret);
	}
	return ret;
}

static void note_line(struct sample *sample, const struct memlat_rec_line *line)
{
	sample->line_loads += source_total(line->source);
	/* The line that is planted is written, so a forward is of a modified line. */
	sample->line_near += line->source[MEMLAT_SRC_L3_HITM] + line->xsnp_fwd;
	sample->line_far += line->source[MEMLAT_SRC_RHITM];
}

static void note_tables(struct sample *sample, const struct snapshot *snap)
{
	size_t i;

	source_sums(snap->buckets.count, sample->loads);
	memcpy(sample->latency, snap->buckets.latency, sizeof(sample->latency));
	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];
		__u64 first = (__u64)(unsigned long)sample->work.words[0];
		__u64 last = (__u64)(unsigned long)sample->work.words[1];

		if (line->addr == first / CHASE_LINE * CHASE_LINE ||
		    line->addr == last / CHASE_LINE * CHASE_LINE)
			note_line(sample, line);
	}
	sample->broken = account_snapshot_broken(snap);
	if (sample->broken) {
		snprintf(sample->broken_text, sizeof(sample->broken_text), "%s", sample->broken);
		sample->broken = sample->broken_text;
	}
}

static void collect(struct sample *sample, int device)
{
	struct snapshot snap;
	int ret;

	snapshot_init(&snap);
	snap.tables = 1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_LINE |
		      1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_THREAD;
	ret = snapshot_read(&snap, device);
	if (!ret) {
		note_tables(sample, &snap);
		sample->status = snap.head.status;
		sample->taken = true;
	} else if (ret == -EBADMSG) {
		snprintf(sample->why, sizeof(sample->why), "the snapshot is malformed: %.100s",
			 snap.error);
	} else {
		set_error(sample, "no snapshot", -ret);
	}
	snapshot_free(&snap);
}

static void take_session(struct sample *sample, int device, const struct memlat_query *query)
{
	int ret;
	bool there;

	if (start(sample, device, query))
		return;
	ret = work_go(&sample->work);
	if (!ret)
		ret = wait_for_samples(sample, device);
	there = work_finish(&sample->work);
	sample->steps = sample->work.shared->steps;
	sample->cycles = sample->work.shared->cycles;
	memlat_device_stop(device);
	if (ret)
		set_error(sample, "the session cannot be followed", -ret);
	else if (!there)
		snprintf(sample->why, sizeof(sample->why), "the program did not end well");
	else
		collect(sample, device);
}

void sample_take(struct sample *sample, int device, const struct memlat_query *query)
{
	int ret = work_begin(&sample->work);

	if (ret)
		set_error(sample, "the program cannot be set up", -ret);
	else
		take_session(sample, device, query);
	work_end(&sample->work);
}
