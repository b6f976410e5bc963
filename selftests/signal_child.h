/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests that send signals. kill() with 0 or -1 reaches the test's group, or all that runs: what
 * a failed fork() leaves behind must not.
 */
#ifndef SIGNAL_CHILD_H
#define SIGNAL_CHILD_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static inline int signal_child(pid_t pid, int number)
{
	if (pid <= 0) {
		fprintf(stderr, "signal %d was to be sent to PID %d\n", number, (int)pid);
		abort();
	}
	return kill(pid, number);
}

#endif
