// SPDX-License-Identifier: GPL-2.0
/* Rings of CPUs that come and go, without a kernel that tells of them. */
#include <errno.h>

#include "record/engine.h"
#include "util/cpulist.h"
#include "ctl_test.h"

static __u64 online;		/* CPUs that sysfs lists */
static bool gone;		/* CPU 1 went offline after sysfs was read */

bool cpulist_online(__u64 cpus[MEMLAT_CPU_WORDS])
{
	memset(cpus, 0, MEMLAT_CPU_WORDS * sizeof(*cpus));
	cpus[0] = online;
	return true;
}

int ring_open(struct ring *ring, unsigned int cpu, size_t pages_most,
	      const struct perf_event_attr *attr, pid_t pid)
{
	if (cpu == 1 && gone)
		return -ENODEV;
	*ring = (struct ring){ .cpu = cpu, .fd = -1 };
	return 0;
}

struct perf_event_attr ring_attr(void)
{
	return (struct perf_event_attr){ 0 };
}

void ring_read(struct ring *ring, struct history *history)
{
}

void ring_close(struct ring *ring)
{
}

/* Between two looks the CPU is back, so sysfs lists the same CPUs as before. */
TEST(a_cpu_that_was_offline_for_a_moment)
{
	struct collect collect = { 0 };
	bool changed;

	online = 3;
	gone = true;
	assert_int_equal(collect_begin(&collect, NULL, 8), 0);
	assert_int_equal(collect.nr_rings, 1);
	assert_int_equal(collect_look(&collect, &changed), 0);
	assert_int_equal(collect.nr_rings, 1);
	/* There is nothing to read anew. */
	assert_false(changed);
	gone = false;
	assert_int_equal(collect_look(&collect, &changed), 0);
	assert_true(changed);
	assert_int_equal(collect.nr_rings, 2);
	assert_int_equal(collect.rings[1].cpu, 1);
	assert_int_equal(collect_look(&collect, &changed), 0);
	assert_false(changed);
	assert_int_equal(collect.nr_rings, 2);
	collect_end(&collect);
}

/* A task's events hang up when it ends, and stay while a CPU is offline. */
TEST(rings_of_tasks_stay)
{
	struct collect collect = { 0 };
	bool changed;

	online = 3;
	gone = false;
	assert_int_equal(collect_begin(&collect, NULL, 8), 0);
	collect.of_tasks = true;
	assert_int_equal(collect.nr_rings, 2);
	collect.rings[0].hung = true;
	online = 1;
	assert_int_equal(collect_look(&collect, &changed), 0);
	assert_int_equal(collect.nr_rings, 2);
	assert_true(collect.rings[0].hung);
	online = 7;
	assert_int_equal(collect_look(&collect, &changed), 0);
	assert_int_equal(collect.nr_rings, 3);
	collect_end(&collect);
}
