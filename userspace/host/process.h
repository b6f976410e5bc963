/* SPDX-License-Identifier: GPL-2.0 */
/* Who a process is, from /proc. */
#ifndef MEMLAT_PROCESS_H
#define MEMLAT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define PROCESS_NAME_MAX	64

/*
 * The command name of a process, as the bytes the kernel gives. False when
 * the process is gone (or /proc is not mounted).
 */
bool process_name(__u32 pid, char name[PROCESS_NAME_MAX]);

/*
 * Are processes here numbered as the module numbers them? Not in a PID namespace other
 * than the first one.
 */
bool process_sees_all(void);

/* False only when it is certain: /proc is there and the process is not. */
bool process_may_exist(__u64 pid);

#endif
