// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "harness.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/time.h>
#include <unistd.h>

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

/*
 * What a session of this machine, or a test that was killed, has left in /run is no concern of tests,
 * and what they leave there goes with them. Not everybody may have that.
 */
static void run_is_empty(void)
{
	const char *tmp = getenv("TMPDIR");

	if (!geteuid() && (!tmp || strncmp(tmp, "/run", 4)) && !unshare(CLONE_NEWNS) &&
	    !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		mount("none", "/run", "tmpfs", 0, "mode=755");
}

/* Weak, for programs that have a main() of their own. */
__attribute__((weak)) int main(int argc, char **argv)
{
	if (argc != 1 || !nr_tests)
		return 2;
	run_is_empty();
	return _cmocka_run_group_tests(argv[0], tests, nr_tests, group_setup, group_teardown);
}
