/* SPDX-License-Identifier: GPL-2.0 */
/* The command that is recorded. It is forked first, and executes when everything is ready. */
#ifndef MEMLAT_CHILD_H
#define MEMLAT_CHILD_H

#include <signal.h>
#include <stdbool.h>

#include <sys/types.h>

#include "../util/out.h"

struct child {
	pid_t pid;		/* 0: none, or it was waited for */
	int go;			/* the child waits for a byte on this descriptor; -1: it was sent */
	int failed;		/* descriptor that delivers execvp's errno */
	int status;		/* as from waitpid() */
};

/*
 * Fork a process that will execute these words, with mask as its signal mask and with this
 * environment added ("NAME=value"; NULL ends). The child closes the descriptor ours at once, so
 * that what depends on it ends with memlat-ctl (-1: none). Returns 0 or -errno.
 */
int child_make(struct child *child, char *const words[], const sigset_t *mask,
	       char *const environment[], int ours);
/* Let the child execute the command. Returns 0, or execvp's errno; then the child has ended. */
int child_go(struct child *child);
/* Print why the command could not be executed. Returns the exit status that a shell would give. */
enum exit_status child_explain(const char *name, int error);
/* Has the child ended? Does not wait. */
bool child_ended(struct child *child);
/* Wait up to this many milliseconds for the child's end. */
bool child_wait(struct child *child, int milliseconds);
/*
 * End the child, so that it does not go on after memlat-ctl. caught: the signal that ends
 * memlat-ctl, which the child may have got too; 0: it ends for another reason.
 */
void child_end(struct child *child, int caught);
/* End the child if it does not execute yet, otherwise leave it. There is no wait afterwards. */
void child_drop(struct child *child);
/* The status that a shell would report: the child's, or 128 plus its signal. */
int child_status(const struct child *child);

#endif
