// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../host/device.h"
#include "../profile/account.h"
#include "../profile/snapshot.h"
#include "../util/clock.h"
#include "../util/source.h"

#define NAP_MS	10

static void say(struct sample *sample, const char *what, int error)
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
		say(sample, "a session does not start", -ret);
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

		if (line->addr == first / WORK_LINE * WORK_LINE ||
		    line->addr == last / WORK_LINE * WORK_LINE)
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
		say(sample, "no snapshot", -ret);
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
		say(sample, "the session cannot be followed", -ret);
	else if (!there)
		snprintf(sample->why, sizeof(sample->why), "the program did not end well");
	else
		collect(sample, device);
}

void sample_take(struct sample *sample, int device, const struct memlat_query *query)
{
	int ret = work_begin(&sample->work);

	if (ret)
		say(sample, "the program cannot be set up", -ret);
	else
		take_session(sample, device, query);
	work_end(&sample->work);
}
