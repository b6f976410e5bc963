/* SPDX-License-Identifier: GPL-2.0 */
/* Signals that end a run, taken as input and not as an end. */
#ifndef MEMLAT_RECORD_SIGNALS_H
#define MEMLAT_RECORD_SIGNALS_H

#include <signal.h>

/*
 * From here on none of these ends us without the session being stopped: a signalfd of
 * those that end a run, and of SIGCHLD; mask: what was blocked before. -1: said why.
 */
int signals_hold(sigset_t *mask);

#endif
