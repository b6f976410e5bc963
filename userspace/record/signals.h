/* SPDX-License-Identifier: GPL-2.0 */
/* Read signals that would end a run from a descriptor, so that the run can end in order. */
#ifndef MEMLAT_RECORD_SIGNALS_H
#define MEMLAT_RECORD_SIGNALS_H

#include <signal.h>

/*
 * Block the signals that end a run, and SIGCHLD, and return a signalfd of them. So none of them
 * ends memlat-ctl before it has stopped the session. mask: the signal mask before. -1: the reason
 * was printed.
 */
int signals_hold(sigset_t *mask);

#endif
