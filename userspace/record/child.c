// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../util/text.h"

#define SHOWN_MAX	(4 * 256)
/* most time for a command to end that got Ctrl-C from the terminal itself */
#define END_MS		500
#define KILL_MS		5000

static void run(char *const words[], const sigset_t *mask, char *const environment[],
		int go, int failed)
{
	char byte;
	int error;

	/* Without a byte, memlat-ctl has ended or has given up. */
	if (read(go, &byte, 1) != 1)
		_exit(1);
	for (; environment && *environment; environment++)
		putenv(*environment);
	/* memlat-ctl ignores SIGPIPE. A program ignores it only if asked to. */
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(words[0], words);
	error = errno;
	(void)!write(failed, &error, sizeof(error));
	_exit(127);
}

int child_make(struct child *child, char *const words[], const sigset_t *mask,
	       char *const environment[], int ours)
{
	int go[2], failed[2], error;

	memset(child, 0, sizeof(*child));
	child->go = child->failed = -1;
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		error = errno;
		close(go[0]);
		close(go[1]);
		return -error;
	}
	child->pid = fork();
	error = errno;
	if (!child->pid) {
		close(go[1]);
		close(failed[0]);
		/* execve() closes it too, but memlat-ctl must not wait for that. */
		if (ours >= 0)
			close(ours);
		run(words, mask, environment, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (child->pid < 0) {
		child->pid = 0;
		close(go[1]);
		close(failed[0]);
		return -error;
	}
	child->go = go[1];
	child->failed = failed[0];
	return 0;
}

static void wait_for(struct child *child)
{
	while (child->pid && waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
		continue;
	child->pid = 0;
}

int child_go(struct child *child)
{
	ssize_t got;
	int error = 0;

	got = write(child->go, "", 1);
	close(child->go);
	child->go = -1;
	if (got == 1)
		do
			got = read(child->failed, &error, sizeof(error));
		while (got < 0 && errno == EINTR);
	close(child->failed);
	child->failed = -1;
	if (got != sizeof(error))
		return 0;
	wait_for(child);
	return error;
}

/* 127 if there is no such command, 126 if it cannot be executed. */
enum exit_status child_explain(const char *name, int error)
{
	char escaped[SHOWN_MAX];
	const char *shown = text_typed(escaped, sizeof(escaped), name);
	bool missing = error == ENOENT && (!strchr(name, '/') || access(name, F_OK));

	if (missing)
		out_complain("%s: no such command; give the path of a program, or a name that is found in PATH",
			     shown);
	else if (error == ENOENT)
		out_complain("%s: cannot be executed: its interpreter does not exist\n  file %s",
			     shown, shown);
	else
		out_complain("%s: cannot be executed: %s\n  ls -l %s", shown, strerror(error),
			     shown);
	return (enum exit_status)(missing ? 127 : 126);
}

bool child_ended(struct child *child)
{
	if (!child->pid)
		return true;
	if (waitpid(child->pid, &child->status, WNOHANG) != child->pid)
		return false;
	child->pid = 0;
	return true;
}

bool child_wait(struct child *child, int milliseconds)
{
	struct timespec limit = {
		.tv_sec = milliseconds / 1000,
		.tv_nsec = milliseconds % 1000 * 1000000L,
	};
	sigset_t ended;

	/* Block SIGCHLD, so that none is missed between the check and the wait. */
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	while (!child_ended(child))
		if (sigtimedwait(&ended, NULL, &limit) < 0 && errno == EAGAIN)
			return child_ended(child);
	return true;
}

void child_end(struct child *child, int caught)
{
	const int signal = caught && caught != SIGINT ? caught : SIGTERM;
	const pid_t pid = child->pid;

	if (!pid || (caught == SIGINT && child_wait(child, END_MS)))
		return;
	kill(pid, signal);
	if (!child_wait(child, KILL_MS))
		out_complain("the command (pid %d) still runs after signal %d\n  kill -KILL %d      ends it",
			     pid, signal, pid);
}

void child_drop(struct child *child)
{
	if (child->go >= 0) {
		close(child->go);
		close(child->failed);
		child->go = child->failed = -1;
		wait_for(child);
	}
	child->pid = 0;
}

int child_status(const struct child *child)
{
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) :
					    WEXITSTATUS(child->status);
}
