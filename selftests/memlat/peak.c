// SPDX-License-Identifier: GPL-2.0
/*
 *	peak FILE COMMAND...
 *
 * Run COMMAND, write its peak memory in KiB to FILE, and exit with its status.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	FILE *file;
	int status;
	pid_t pid;

	if (argc < 3) {
		fputs("usage: peak FILE COMMAND...\n", stderr);
		return 2;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
		perror(argv[2]);
		return 2;
	}
	file = fopen(argv[1], "w");
	if (!file || fprintf(file, "%ld\n", usage.ru_maxrss) < 0 || fclose(file)) {
		perror(argv[1]);
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
