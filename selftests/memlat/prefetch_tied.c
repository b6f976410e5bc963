// SPDX-License-Identifier: GPL-2.0
/*
 * prefetch_tied COMMAND [ARGUMENT]...: turn all prefetchers off for as long as this program has the
 * device open, print "off", run the command, and exit without restoring them. The status is the
 * command's, or 1 if the module refused; then the reason's number is printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memlat.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct memlat_prefetch prefetch = {
		.size = sizeof(prefetch), .op = MEMLAT_PREFETCH_OFF,
		.flags = MEMLAT_PREFETCH_F_TIED,
	};
	int fd = open(MEMLAT_DEVICE, O_RDWR | O_CLOEXEC), status = 1;
	pid_t child;

	if (argc < 2 || fd < 0) {
		fprintf(stderr, "prefetch_tied: give a command, and load memlat\n");
		return 2;
	}
	if (ioctl(fd, MEMLAT_IOC_PREFETCH, &prefetch)) {
		fprintf(stderr, "prefetch_tied: %s, reason %u, owner %u\n", strerror(errno),
			prefetch.reason, prefetch.owner);
		return 1;
	}
	puts("off");
	fflush(stdout);
	child = fork();
	if (!child) {
		/* If this program is killed, nothing else ends the command. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
