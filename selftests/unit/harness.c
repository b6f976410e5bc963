// SPDX-License-Identifier: GPL-2.0
#include "harness.h"

#include <stdlib.h>
#include <sys/time.h>

#define TESTS_MAX	64
#define ENDLESS		60	/* seconds of a CPU */

static struct CMUnitTest tests[TESTS_MAX];
static int lines[TESTS_MAX];
static size_t nr_tests;
static CMFixtureFunction group_setup, group_teardown;

/* Called in any order, because the compiler decides the order of constructors. */
void harness_add(struct CMUnitTest test, int line)
{
	size_t i;

	if (nr_tests == TESTS_MAX)
		abort();
	for (i = nr_tests++; i && lines[i - 1] > line; i--) {
		tests[i] = tests[i - 1];
		lines[i] = lines[i - 1];
	}
	tests[i] = test;
	lines[i] = line;
}

void harness_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	group_setup = setup;
	group_teardown = teardown;
}

void endless_begin(void)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = ENDLESS }, NULL);
}

void endless_end(void)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ 0 }, NULL);
}

/* Weak, for programs that have a main() of their own. */
__attribute__((weak)) int main(int argc, char **argv)
{
	if (argc != 1 || !nr_tests)
		return 2;
	return _cmocka_run_group_tests(argv[0], tests, nr_tests, group_setup, group_teardown);
}
