// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "ctl_serve.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static FILE *ask, *answer;
static pid_t server, asker;

/* The server ends when nobody can ask it any more. */
static void end(void)
{
	if (getpid() != asker)
		return;
	fclose(ask);
	fclose(answer);
	waitpid(server, NULL, 0);
}

static void begin(void)
{
	char path[4096];
	int to[2], from[2];

	assert_non_null(getenv("MEMLAT_CTL"));
	snprintf(path, sizeof(path), "%s-serve", getenv("MEMLAT_CTL"));
	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	server = fork();
	if (!server) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		execl(path, path, NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	ask = fdopen(to[1], "w");
	answer = fdopen(from[0], "r");
	assert_true(server > 0 && ask && answer);
	asker = getpid();
	atexit(end);
}

static size_t strings(const char *const *list)
{
	size_t nr = 0;

	while (list[nr])
		nr++;
	return nr;
}

int served(int out, int err, const char *const *words)
{
	const char *const *environment = (const char *const *)environ;
	const int self = getpid();
	int status = -1;

	if (!ask)
		begin();
	fflush(NULL);
	fprintf(ask, "%zu", 4 + strings(environment) + strings(words));
	fprintf(ask, "%c/proc/%d/cwd%c/proc/%d/fd/%d%c/proc/%d/fd/%d%c-i%c", 0, self, 0, self, out, 0, self, err, 0, 0);
	for (; *environment; environment++)
		fprintf(ask, "%s%c", *environment, 0);
	for (; *words; words++)
		fprintf(ask, "%s%c", *words, 0);
	fflush(ask);
	if (fscanf(answer, "%d", &status) != 1)
		fail_msg("nobody runs memlat-ctl %s", words[-1]);
	return status;
}
