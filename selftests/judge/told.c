// SPDX-License-Identifier: GPL-2.0
/*
 * For programs that do not say which threads they have, as random ones do. Linked with
 * -Wl,--wrap=pthread_create, this prints for each process and thread "thread NAME TID VALUE", where
 * the value is that of pthread_self(), by which the emulator's truth names threads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct start {
	void *(*run)(void *arg);
	void *arg;
};

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *arg),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *arg),
			  void *arg);

static void tell(const char *name)
{
	dprintf(STDOUT_FILENO, "thread %s %d 0x%lx\n", name, (int)gettid(),
		(unsigned long)pthread_self());
}

static __attribute__((constructor)) void tell_main(void)
{
	tell("main");
}

static void *begin(void *arg)
{
	const struct start start = *(struct start *)arg;

	free(arg);
	tell("thread");
	return start.run(start.arg);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *arg),
			  void *arg)
{
	struct start *start = malloc(sizeof(*start));

	if (!start)
		abort();
	*start = (struct start) { .run = run, .arg = arg };
	return __real_pthread_create(thread, attr, begin, start);
}
