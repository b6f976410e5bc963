/* SPDX-License-Identifier: GPL-2.0 */
/* What this program and its children print while a test looks on. */
#ifndef CTL_OUTPUT_H
#define CTL_OUTPUT_H

#include <stdio.h>
#include <sys/types.h>

struct caught {
	FILE *file;
	int fd;		/* STDOUT_FILENO or STDERR_FILENO */
	int saved;	/* where it went before */
};

/*
 * Until output_end() what goes to fd goes to a file, also from children that begin meanwhile.
 * A test that fails in between says so there, so check results afterwards.
 */
void output_catch(struct caught *caught, int fd);
/* All of it, as far as there is room, and '\0'. Children must have ended. */
void output_end(struct caught *caught, char *text, size_t room);

/* Wait for a child, which must exit by itself; its exit status. */
int exit_status_of(pid_t pid);

#endif
