/* SPDX-License-Identifier: GPL-2.0 */
/* Facts about processes, from /proc. */
#ifndef MEMLAT_PROCESS_H
#define MEMLAT_PROCESS_H

#include <dirent.h>
#include <stdbool.h>

#include <linux/types.h>

#define PROCESS_NAME_MAX	64

/*
 * The command name of a process, in the kernel's bytes. False if the process is gone or /proc is
 * not mounted.
 */
bool process_name(__u32 pid, char name[PROCESS_NAME_MAX]);

/*
 * The next process of /proc, 0: there is no other. proc points to NULL at first, and for each
 * further call is left as it is; after 0 nothing stays open.
 */
__u32 process_next(DIR **proc);

/*
 * Are processes here numbered as in the module? They are not in a PID namespace other than the
 * first.
 */
bool process_sees_all(void);

/* False only if /proc is there and the process is certainly not. */
bool process_may_exist(__u64 pid);

#endif
