// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "clock.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../util/chain.h"
#include "../util/order.h"

#define TURNS		1250ULL
#define READINGS	65

static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		/* count always, or not at all */
		.pinned = 1,
		/* Do not count interrupts. Without the kernel, no privilege is needed either. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Does the event count? Without a counter, reading returns nothing or a constant. */
static int perf_counts(int fd)
{
	__u64 before, after;

	if (read(fd, &before, sizeof(before)) != sizeof(before))
		return 0;
	chain_add(TURNS);
	return read(fd, &after, sizeof(after)) == sizeof(after) &&
	       after - before >= CHAIN_ADDITIONS * TURNS / 2;
}

__u64 clock_ticks(const struct clock *clock)
{
	__u64 now = 0;

	if (clock->kind == CLOCK_TSC)
		return chain_ticks();
	/* The system call waits for all instructions before it. */
	if (read(clock->fd, &now, sizeof(now)) != sizeof(now))
		return 0;
	return now;
}

void clock_adjust(struct clock *clock)
{
	if (clock->kind == CLOCK_TSC)
		clock->cycle = chain_cycle() ?: 1;
}

void clock_begin(struct clock *clock)
{
	__u64 apart[READINGS];
	int i;

	memset(clock, 0, sizeof(*clock));
	clock->kind = CLOCK_PERF;
	clock->cycle = 1;
	clock->fd = perf_open();
	if (clock->fd < 0 || !perf_counts(clock->fd)) {
		clock_end(clock);
		clock->kind = CLOCK_TSC;
	}
	clock_adjust(clock);
	for (i = 0; i < READINGS; i++) {
		__u64 began = clock_ticks(clock);

		apart[i] = clock_ticks(clock) - began;
	}
	qsort(apart, READINGS, sizeof(*apart), order_u64);
	clock->overhead = (double)apart[READINGS / 2];
}

void clock_end(struct clock *clock)
{
	if (clock->fd >= 0)
		close(clock->fd);
	clock->fd = -1;
}

double clock_cycles(const struct clock *clock, __u64 from, __u64 to)
{
	double ticks = (double)(to - from) - clock->overhead;

	return ticks > 0 ? ticks / clock->cycle : 0;
}

const char *clock_name(enum clock_kind kind)
{
	return kind == CLOCK_PERF ? "perf" : "tsc";
}
