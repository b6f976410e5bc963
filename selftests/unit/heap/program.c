// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates in ways that are known, and tells of each object that lives at its end:
 * "object PID ADDRESS SIZE FUNCTION", the function being who asked for it. What is
 * "gone" was freed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *what, const void *object, size_t size, void *function)
{
	char line[128];
	int length = snprintf(line, sizeof(line), "%s %d %lx %zu %lx\n", what, (int)getpid(),
			      (unsigned long)object, size, (unsigned long)function);

	/* At once: the program may not live to flush. */
	(void)!write(STDOUT_FILENO, line, (size_t)length);
}

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "heap_program: %s\n", what);
	exit(1);
}

__attribute__((noinline)) void *by_malloc(size_t size)
{
	void *object = malloc(size);

	require(object && malloc_usable_size(object) >= size, "malloc");
	memset(object, 1, size);
	return object;
}

__attribute__((noinline)) void *by_calloc(size_t size)
{
	unsigned char *object = calloc(size / 8, 8);
	size_t i;

	require(object != NULL, "calloc");
	for (i = 0; i < size; i++)
		require(!object[i], "calloc does not clear");
	return object;
}

__attribute__((noinline)) void *by_realloc(void *old, size_t size)
{
	void *object = realloc(old, size);

	require(object != NULL, "realloc");
	return object;
}

__attribute__((noinline)) void *by_reallocarray(void *old, size_t size)
{
	void *object = reallocarray(old, size / 4, 4);

	require(object != NULL, "reallocarray");
	return object;
}

__attribute__((noinline)) void *by_posix_memalign(size_t size)
{
	void *object = NULL;

	require(!posix_memalign(&object, 4096, size) && !((uintptr_t)object % 4096),
		"posix_memalign");
	require(posix_memalign(&object, 3, size) == EINVAL, "posix_memalign of 3");
	return object;
}

__attribute__((noinline)) void *by_aligned_alloc(size_t size)
{
	void *object = aligned_alloc(256, size);

	require(object && !((uintptr_t)object % 256), "aligned_alloc");
	return object;
}

__attribute__((noinline)) void *by_memalign(size_t size)
{
	void *object = memalign(128, size);

	require(object && !((uintptr_t)object % 128), "memalign");
	return object;
}

static void kinds(void)
{
	void *object = by_malloc(72), *other;
	char *text;

	tell("object", object, 72, by_malloc);
	tell("object", by_malloc(3 << 20), 3 << 20, by_malloc);
	tell("object", by_calloc(4096), 4096, by_calloc);
	tell("object", by_posix_memalign(5000), 5000, by_posix_memalign);
	tell("object", by_aligned_alloc(512), 512, by_aligned_alloc);
	tell("object", by_memalign(640), 640, by_memalign);
	other = by_realloc(by_malloc(100), 200000);
	tell("object", other, 200000, by_realloc);
	tell("object", by_reallocarray(NULL, 400), 400, by_reallocarray);
	object = by_malloc(1000);
	tell("gone", object, 1000, by_malloc);
	free(object);
	free(NULL);
	errno = 0;
	require(!malloc(SIZE_MAX / 2) && errno == ENOMEM, "a malloc that cannot be");
	require(!calloc(SIZE_MAX / 2, 4) && errno == ENOMEM, "a calloc that overflows");
	require(!reallocarray(NULL, SIZE_MAX / 2, 4), "a reallocarray that overflows");
	/* libc's own calls come here too. */
	text = strdup("text");
	require(text && !strcmp(text, "text"), "strdup");
	free(text);
}

#define THREADS	8
#define OBJECTS	2000

static void *given[THREADS][OBJECTS];

static void *make(void *data)
{
	void **mine = data;
	int i;

	for (i = 0; i < OBJECTS; i++)
		mine[i] = by_malloc((size_t)16 + i % 900);
	return NULL;
}

static void *drop(void *data)
{
	void **others = data;
	int i;

	/* Not the last one. */
	for (i = 0; i < OBJECTS - 1; i++)
		free(others[i]);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		require(!pthread_create(&thread[i], NULL, make, given[i]), "pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < THREADS; i++)
		require(!pthread_create(&thread[i], NULL, drop, given[i]), "pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < THREADS; i++)
		tell("object", given[i][OBJECTS - 1], 16 + (OBJECTS - 1) % 900, by_malloc);
}

/* Leaves libc an object that it frees after the thread's last destructor. */
static void *ask(void *data)
{
	free(by_malloc(64));
	require(strsignal(1000) != NULL, "strsignal");
	return data;
}

static void *drop_one(void *data)
{
	errno = EAGAIN;
	free(data);
	require(errno == EAGAIN, "free changes errno");
	return NULL;
}

/* No file can be opened, and free() keeps errno all the same, as libc's does. */
static void no_files(void)
{
	const struct rlimit none = { 0, 0 };
	pthread_t thread;

	require(!setrlimit(RLIMIT_NOFILE, &none), "setrlimit");
	require(!pthread_create(&thread, NULL, drop_one, by_malloc(64)), "pthread_create");
	pthread_join(thread, NULL);
}

/* Many threads, one after the other. */
static void turns(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 400; i++) {
		require(!pthread_create(&thread, NULL, ask, NULL), "pthread_create");
		pthread_join(thread, NULL);
	}
	tell("object", by_malloc(40), 40, by_malloc);
}

static void *churn(void *data)
{
	volatile int *end = data;

	while (!*end)
		free(by_malloc(64));
	return NULL;
}

/* A child of a process whose threads allocate just then. */
static void forks(void)
{
	static volatile int end;
	void *object = by_malloc(88);
	pthread_t thread[2];
	int i, status;
	pid_t pid;

	for (i = 0; i < 2; i++)
		require(!pthread_create(&thread[i], NULL, churn, (void *)&end), "pthread_create");
	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			if (!i) {
				tell("object", by_malloc(99), 99, by_malloc);
				tell("object", object, 88, by_malloc);
			}
			free(by_malloc(10));
			_exit(0);
		}
		require(waitpid(pid, &status, 0) == pid && !status, "a child failed");
	}
	end = 1;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	tell("object", object, 88, by_malloc);
}

/* A child, and a child of it, keep nothing of their parents' files. */
static void child(void)
{
	char line[512], file[32];
	pthread_t thread;
	FILE *maps;
	int i, status;
	pid_t pid;

	require(!pthread_create(&thread, NULL, ask, NULL), "pthread_create");
	pthread_join(thread, NULL);
	for (i = 0; i < 2; i++) {
		free(by_malloc(64));
		snprintf(file, sizeof(file), "/%d.", (int)getpid());
		pid = fork();
		if (pid) {
			require(waitpid(pid, &status, 0) == pid && !status, "a child failed");
			return;
		}
		maps = fopen("/proc/self/maps", "r");
		require(maps != NULL, "/proc/self/maps");
		while (fgets(line, sizeof(line), maps))
			require(!strstr(line, "memlat-test") || !strstr(line, file), line);
		fclose(maps);
	}
}

/* The library asks for this limit in the middle of an allocation, where its file has to grow. */
static volatile sig_atomic_t armed, inherited;

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
	if (armed)
		raise(SIGUSR1);
	return prlimit(0, resource, NULL, limit);
}

static void fork_here(int signal)
{
	pid_t pid = fork();
	int status;

	if (pid)
		require(waitpid(pid, &status, 0) == pid && !status, "a child failed");
	inherited = !pid;
	armed = !inherited;
}

static void *allocate(void *data)
{
	void *object;

	armed = 1;
	object = by_calloc(48);
	armed = 0;
	if (inherited) {
		tell("object", by_malloc(72), 72, by_malloc);
		_exit(0);
	}
	tell("object", object, 48, by_calloc);
	return NULL;
}

/* A signal's handler forks, and the child goes on with the allocation. */
static void interrupted(void)
{
	pthread_t thread;

	signal(SIGUSR1, fork_here);
	require(!pthread_create(&thread, NULL, allocate, NULL), "pthread_create");
	pthread_join(thread, NULL);
}

static void killed(void)
{
	tell("object", by_malloc(56), 56, by_malloc);
	raise(SIGKILL);
}

static void closes_all(void)
{
	int fd;

	for (fd = 3; fd < 64; fd++)
		close(fd);
	threads();
}

/* Files may not grow: that is an error to who writes, and no end of the program. */
static void limited(void)
{
	const struct rlimit limit = { 200000, 200000 };

	require(!setrlimit(RLIMIT_FSIZE, &limit), "setrlimit");
	threads();
	threads();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "kinds"))
		kinds();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "turns"))
		turns();
	else if (!strcmp(what, "no files"))
		no_files();
	else if (!strcmp(what, "forks"))
		forks();
	else if (!strcmp(what, "child"))
		child();
	else if (!strcmp(what, "interrupted"))
		interrupted();
	else if (!strcmp(what, "killed"))
		killed();
	else if (!strcmp(what, "closes"))
		closes_all();
	else if (!strcmp(what, "limited"))
		limited();
	else if (!strcmp(what, "exec"))
		execv(argv[0], (char *[]){ argv[0], "kinds", NULL });
	else
		return 2;
	return 0;
}
