/* SPDX-License-Identifier: GPL-2.0 */
/* Many runs of memlat-ctl: see serve.c. */
#ifndef CTL_SERVE_H
#define CTL_SERVE_H

/*
 * Run memlat-ctl with these words, the first of which is its name, and with this process's folder and
 * environment. Its output is added to files that are open here. Returns the exit status; 128 and more:
 * a signal ended it.
 */
int served(int out, int err, const char *const *words);

#endif
