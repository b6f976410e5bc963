// SPDX-License-Identifier: GPL-2.0
/*
 * memlat-ctl as tests start it. Called memlat-ctl-serve it runs one command line after another, each in
 * a process of its own that begins with memlat-ctl's main(): to load the libraries and to set up the
 * sanitizers takes longer than most commands. A command line is strings that end with NUL: how many
 * follow, the folder, the files that get its output and its complaints, what is set in its environment
 * (behind "-i" that is all of it), and its words. The answer is a line: its status, as a shell has it.
 *
 * With MEMLAT_LEAKS=0 leaks are not looked for, which takes as long again.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRINGS_MAX	512

static char bytes[1 << 18];	/* of a command line */

int memlat_ctl_main(int argc, char **argv);
int __lsan_is_turned_off(void);
void __lsan_do_leak_check(void);
int __lsan_do_recoverable_leak_check(void);
#pragma weak __lsan_do_leak_check
#pragma weak __lsan_do_recoverable_leak_check

int __lsan_is_turned_off(void)
{
	const char *leaks = getenv("MEMLAT_LEAKS");

	return leaks && !strcmp(leaks, "0");
}

/* Behind all that memlat-ctl does at its end. What the sanitizers do there is for the kernel to do. */
static void leave(int status, void *nothing)
{
	fflush(NULL);
	if (__lsan_do_leak_check)
		__lsan_do_leak_check();
	_exit(status);
}

static void cannot(const char *what)
{
	perror(what);
	_exit(126);
}

/* So that what is there stays, whoever else writes there. */
static void open_as(int fd, const char *path, int flags)
{
	int opened = open(path, flags | O_APPEND | O_CLOEXEC);

	if (opened < 0 || dup2(opened, fd) < 0)
		cannot(path);
}

static int run(size_t nr, char **strings)
{
	size_t i = 3;

	if (nr < 4 || chdir(strings[0]))
		cannot(strings[0]);
	open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
	open_as(STDERR_FILENO, strings[2], O_WRONLY);
	if (!strcmp(strings[1], strings[2]))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	else
		open_as(STDOUT_FILENO, strings[1], O_WRONLY);
	if (!strcmp(strings[i], "-i")) {
		clearenv();
		i++;
	}
	for (; i < nr && strchr(strings[i], '='); i++)
		putenv(strings[i]);
	on_exit(leave, NULL);
	return memlat_ctl_main((int)(nr - i), strings + i);
}

/* Not from the heap, because memlat-ctl may forget words that it was called with. */
static char *string(char **free)
{
	char *const text = *free;
	int byte;

	while (*free < bytes + sizeof(bytes) && (byte = getchar()) != EOF) {
		*(*free)++ = (char)byte;
		if (!byte)
			return text;
	}
	return NULL;
}

static int serve(void)
{
	char *strings[STRINGS_MAX + 1], *free, *count;
	size_t nr, i;
	int status;
	pid_t pid;

	/* It reads megabytes that nobody has used. Once they are mapped here, they are in each process. */
	if (__lsan_do_recoverable_leak_check)
		__lsan_do_recoverable_leak_check();
	while (free = bytes, (count = string(&free))) {
		nr = strtoul(count, NULL, 10);
		for (i = 0; i < nr && i < STRINGS_MAX && (strings[i] = string(&free)); i++)
			continue;
		if (i < nr)
			return 1;
		strings[nr] = NULL;
		pid = fork();
		if (!pid)
			exit(run(nr, strings));
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		dprintf(STDOUT_FILENO, "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');

	return strcmp(name ? name + 1 : argv[0], "memlat-ctl-serve") ? memlat_ctl_main(argc, argv) : serve();
}
