// SPDX-License-Identifier: GPL-2.0
/* vCPUs are kept abreast, and none stands still for what the other did alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "pace.h"

#define CPUS	2
#define ALONE	1000000000ull	/* instructions while nobody looked */
#define HANG	10		/* seconds, then the test is killed */

static uint64_t count[CPUS];
static bool stop;

static uint64_t count_of(unsigned int vcpu)
{
	return __atomic_load_n(&count[vcpu], __ATOMIC_RELAXED);
}

static void run(unsigned int vcpu, uint64_t instructions)
{
	__atomic_fetch_add(&count[vcpu], instructions, __ATOMIC_RELAXED);
}

/* As a CPU that waits for the other one, in a loop, and never sleeps. */
static void *spin(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		run(1, 100);
		vp_pace(1);
		usleep(10);
	}
	return NULL;
}

static void begin(uint64_t first, uint64_t second)
{
	vp_pace_setup(CPUS, count_of);
	vp_pace_idle(0);
	vp_pace_idle(1);
	count[0] = first;
	count[1] = second;
	alarm(HANG);
}

/* Instructions that it ran before the other one joined are no lead. */
static void test_late_joiner(void **state)
{
	pthread_t thread;
	unsigned int i;

	(void)state;
	begin(ALONE, 0);
	vp_pace(1);
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	assert_int_equal(pthread_create(&thread, NULL, spin, NULL), 0);
	for (i = 0; i < 100; i++) {
		vp_pace(0);
		run(0, 100);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	alarm(0);
	/* It did wait for what both ran together. */
	assert_true(count[1] >= 9000 && count[1] < ALONE / 10);
}

/* Both ways: who was far behind does not have to make up for it either. */
static void test_early_joiner(void **state)
{
	pthread_t thread;
	unsigned int i;

	(void)state;
	begin(0, ALONE);
	vp_pace(0);
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	assert_int_equal(pthread_create(&thread, NULL, spin, NULL), 0);
	for (i = 0; i < 100; i++) {
		run(0, 100);
		vp_pace(0);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	alarm(0);
	assert_true(count[0] == 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_joiner),
		cmocka_unit_test(test_early_joiner),
	};

	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
