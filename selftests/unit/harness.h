/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TEST(name) { ... } defines a test and adds it to its program. main() in harness.c runs all tests
 * in the order of their lines. A program with a main() of its own has a list of tests instead, as
 * cmocka needs it.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* A test with functions that are called before and after it, as cmocka's fixtures are. */
#define TEST_WITH(name, setup, teardown) \
	static void name(void **state); \
	__attribute__((constructor)) static void harness_add_##name(void) \
	{ \
		harness_add((struct CMUnitTest){ #name, name, setup, teardown, NULL }, __LINE__); \
	} \
	static void name(__attribute__((unused)) void **state)

/* For TEST_WITH(name, begin, end): functions that do this before and after a test. */
#define BEGIN_END(before, after) \
	static int begin(__attribute__((unused)) void **state) \
	{ \
		before; \
		return 0; \
	} \
	\
	static int end(__attribute__((unused)) void **state) \
	{ \
		after; \
		return 0; \
	}

/* Functions that are called before all tests and after all tests. */
#define TEST_GROUP(setup, teardown) \
	__attribute__((constructor)) static void harness_add_group(void) \
	{ \
		harness_group(setup, teardown); \
	}

void harness_add(struct CMUnitTest test, int line);
void harness_group(CMFixtureFunction setup, CMFixtureFunction teardown);

/*
 * End the program by a signal if what follows takes far too much of a CPU's time, and not sooner on a
 * host that is busy. endless_end() puts an end to that.
 */
void endless_begin(void);
void endless_end(void);

#endif
