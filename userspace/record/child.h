/* SPDX-License-Identifier: GPL-2.0 */
/* The command that is recorded: made first, let go when all is ready. */
#ifndef MEMLAT_CHILD_H
#define MEMLAT_CHILD_H

#include <signal.h>
#include <stdbool.h>

#include <sys/types.h>

#include "../util/out.h"

struct child {
	pid_t pid;		/* 0: none, or it was waited for */
	int go;			/* it waits for a byte on this; -1: it has gone on */
	int failed;		/* execvp's errno comes out of this */
	int status;		/* as waitpid gave it */
};

/*
 * Make a process that will execute these words, with these signals unblocked and
 * this environment added ("NAME=value"; NULL ends). What the descriptor ours means
 * shall end with us: it is closed there at once (-1: none). 0 or -errno.
 */
int child_make(struct child *child, char *const words[], const sigset_t *mask,
	       char *const environment[], int ours);
/* Let it go. 0: it executes the command; else execvp's errno (it has ended then). */
int child_go(struct child *child);
/* Say why it could not be executed: the status to exit with, as a shell has it. */
enum exit_status child_explain(const char *name, int error);
/* Has it ended? Without waiting. */
bool child_ended(struct child *child);
/* Wait so long for its end, in milliseconds. */
bool child_wait(struct child *child, int milliseconds);
/* End it before it was let go, or let it be; nothing is left to wait for. */
void child_drop(struct child *child);
/* As a shell tells it: its status, or 128 and its signal. */
int child_status(const struct child *child);

#endif
