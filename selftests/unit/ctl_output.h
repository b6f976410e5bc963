/* SPDX-License-Identifier: GPL-2.0 */
/* Capture what this program and its children print. */
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
 * Until output_end(), what is written to fd goes to a file, also from children that begin in
 * between. A test that fails in between would print into that file, so check results afterwards.
 */
void output_catch(struct caught *caught, int fd);
/* Get the output, as far as there is room, and '\0'. Children must have ended. */
void output_end(struct caught *caught, char *text, size_t room);

/* Wait for a child, which must exit by itself. Returns its exit status. */
int exit_status_of(pid_t pid);

#endif
