/* SPDX-License-Identifier: GPL-2.0 */
/* Run programs and load the module, for the guest tests. */
#ifndef MEMLAT_TEST_COMMAND_H
#define MEMLAT_TEST_COMMAND_H

/*
 * Run a command line in a shell. Returns its exit status, or -1 if it did not exit. *output is set
 * to its standard output, which the caller frees; output may be NULL.
 */
int command_run(char **output, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Load memlat.ko ($MEMLAT_KO, or else ./memlat.ko), and unload it. Returns 0 or -errno. If the
 * module is loaded already, this is no error.
 */
int module_load(void);
int module_unload(void);

#endif
