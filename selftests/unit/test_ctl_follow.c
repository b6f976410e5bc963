// SPDX-License-Identifier: GPL-2.0
/* When intervals of a recording end, without a device. */
#include <time.h>

#include "ctl_test.h"
#include "record/follow.h"
#include "util/clock.h"

#define INTERVAL_NS	200000000ULL

static __u64 ends[2];
static size_t nr_ends;

int collect_look(struct collect *collect, bool *changed)
{
	*changed = false;
	return 0;
}

/* The session ends with the second interval, however busy the machine is. */
int memlat_device_status(int fd, struct memlat_status *status)
{
	memset(status, 0, sizeof(*status));
	if (nr_ends < 2)
		status->state = MEMLAT_STATE_RUNNING;
	return 0;
}

/* The first snapshot takes longer than two intervals. */
int interval_take(struct interval_run *run)
{
	const struct timespec late = { .tv_nsec = 2 * INTERVAL_NS + INTERVAL_NS / 4 };

	if (!nr_ends)
		nanosleep(&late, NULL);
	ends[nr_ends++] = clock_now();
	return 0;
}

/* The interval after the late one is at least half as long as it should be. */
TEST(an_interval_after_a_late_one)
{
	struct interval_run run = { 0 };
	struct collect collect = { 0 };
	struct follow how = {
		.device = -1, .signals = -1, .process = -1, .intervals = &run,
		.interval_ns = INTERVAL_NS, .collect = &collect,
	};

	assert_int_equal(follow(&how), FOLLOW_SESSION);
	assert_int_equal(nr_ends, 2);
	if (ends[1] - ends[0] < INTERVAL_NS / 2)
		fail_msg("it lasted %llu ns", ends[1] - ends[0]);
}
