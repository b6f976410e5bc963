// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../util/out.h"

#define PAGER		"less -FRX"
/* statuses by which a shell says that the command could not be run */
#define NOT_RUN		126

extern char **environ;

/* the terminal, while standard output goes to a file; otherwise -1 */
static int terminal = -1;

/* With file capabilities, the environment of the user is not trusted. */
static const char *pager_command(void)
{
	const char *command = secure_getenv("PAGER");

	if (!command)
		return PAGER;
	return *command && strcmp(command, "cat") ? command : NULL;
}

void pager_begin(bool wanted)
{
	static bool registered;
	int kept, fd;

	if (!wanted || terminal >= 0 || !pager_command() || !isatty(STDOUT_FILENO))
		return;
	kept = memfd_create("text", MFD_CLOEXEC);
	if (kept < 0)
		return;
	fflush(stdout);
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0 || dup2(kept, STDOUT_FILENO) < 0) {
		if (fd >= 0)
			close(fd);
		close(kept);
		return;
	}
	close(kept);
	terminal = fd;
	out_set_terminal(terminal);
	if (!registered)
		registered = !atexit(pager_end);
}

/* Count the lines on the screen, including those that wrap. */
static bool longer_than_screen(int text)
{
	char bytes[4096];
	struct winsize size;
	size_t lines = 0, column = 0;
	ssize_t got, i;

	if (ioctl(terminal, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return true;
	while ((got = read(text, bytes, sizeof(bytes))) > 0)
		for (i = 0; i < got; i++) {
			if (bytes[i] == '\n' || ++column > size.ws_col) {
				lines++;
				column = 0;
			}
			if (lines >= size.ws_row)
				return true;
		}
	return false;
}

static void copy(int text)
{
	char bytes[65536];
	ssize_t got;

	if (lseek(text, 0, SEEK_SET))
		return;
	/* Write through the stream, so that out_finish() notices errors. */
	while ((got = read(text, bytes, sizeof(bytes))) > 0)
		fwrite(bytes, 1, (size_t)got, stdout);
}

/* Run the pager through the shell. Returns -1, or the status as from waitpid(). */
static int run(const char *command, int text)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int status = -1;
	pid_t child;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	sigaddset(&defaults, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, text, STDIN_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	if (posix_spawn(&child, "/bin/sh", &actions, &attributes,
			(char *const *)(uintptr_t)argv, environ))
		child = -1;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (child < 0)
		return -1;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Was there a pager to show the text? The pager's own result does not matter. */
static bool paged(int text)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	int status;

	if (lseek(text, 0, SEEK_SET))
		return false;
	/* Ctrl-C is for the pager. memlat-ctl must not end before the pager does. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	status = run(pager_command(), text);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return status >= 0 && !(WIFEXITED(status) && WEXITSTATUS(status) >= NOT_RUN);
}

void pager_end(void)
{
	int text;

	if (terminal < 0)
		return;
	fflush(stdout);
	text = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	dup2(terminal, STDOUT_FILENO);
	out_set_terminal(STDOUT_FILENO);
	if (text >= 0) {
		lseek(text, 0, SEEK_SET);
		if (!longer_than_screen(text) || !paged(text))
			copy(text);
		close(text);
	}
	close(terminal);
	terminal = -1;
}
