/* SPDX-License-Identifier: GPL-2.0 */
/* Running programs and loading the module, for the guest tests. */
#ifndef MEMLAT_TEST_COMMAND_H
#define MEMLAT_TEST_COMMAND_H

/*
 * Run a command line in a shell. Returns its exit status, -1 when it did not
 * exit. With output, *output is its standard output, to be freed.
 */
int command_run(char **output, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Load memlat.ko ($MEMLAT_KO, else ./memlat.ko), and unload it: 0 or -errno.
 * Loaded already is as good as loaded.
 */
int module_load(void);
int module_unload(void);

#endif
