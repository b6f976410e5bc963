/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's fault injection: which call fails, and where; and the log of it. */
#ifndef MEMLAT_TEST_FAULT_H
#define MEMLAT_TEST_FAULT_H

#include <stdbool.h>
#include <sys/types.h>

/* Does this kernel inject faults? */
bool fault_available(void);

/*
 * Prepare that small and large allocations, and copies, can fail: those with memlat's code on the
 * stack, or with a function of the kernel.
 */
bool fault_prepare(void);
bool fault_within_module(void);
bool fault_within_function(const char *name);

/* The nth such call of a task fails. pid 0: the current thread. */
bool fault_arm(pid_t pid, unsigned int nth);

/* No call fails any more. Returns how many calls were left to the one that should fail. */
unsigned int fault_disarm(pid_t pid);

/* All such calls of all tasks fail, or none. */
bool fault_all(bool all);

/* After this many pages, all requests for pages fail; fault_all() ends it. */
bool fault_pages(unsigned int pages);

/* The kernel thread of this name, or 0. */
pid_t fault_thread(const char *name);

/*
 * Injected faults make the kernel warn of missing memory, with a stack. The console would take that
 * for a splat, so it is silenced, and the log is searched instead.
 */
bool fault_log_begin(void);

/* The first line of a splat since then (static), or NULL. */
const char *fault_log_splat(void);
void fault_log_end(void);

#endif
