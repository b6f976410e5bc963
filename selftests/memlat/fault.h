/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's fault injection: which call fails, where; and what it left behind. */
#ifndef MEMLAT_TEST_FAULT_H
#define MEMLAT_TEST_FAULT_H

#include <stdbool.h>
#include <sys/types.h>

/* Does this kernel inject faults? */
bool fault_available(void);

/*
 * From now on allocations and copies fail where they are told to, small and large, but
 * only those with memlat's code on the stack, or a function of the kernel's.
 */
bool fault_prepare(void);
bool fault_within_module(void);
bool fault_within_function(const char *name);

/* A task's nth such call fails. 0: the current thread. */
bool fault_arm(pid_t pid, unsigned int nth);

/* How many calls before the one that was to fail were left; none fails any more. */
unsigned int fault_disarm(pid_t pid);

/* All such calls of all tasks fail, or none. */
bool fault_all(bool all);

/* All requests for pages fail after so many pages; fault_all() ends it. */
bool fault_pages(unsigned int pages);

/* The kernel thread of this name, 0: none. */
pid_t fault_thread(const char *name);

/*
 * Injected faults make the kernel warn of missing memory, with a stack: not on the
 * console, where that would be taken for a splat. Instead the log is looked through.
 */
bool fault_log_begin(void);

/* A splat since then: its first line (static), NULL: none. */
const char *fault_log_splat(void);
void fault_log_end(void);

#endif
