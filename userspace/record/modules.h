/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modules of the kernel that come and go during a recording. The kernel may put a module where
 * another one was, and its symbols are read at the end, so they would name what was sampled of the
 * one that is gone.
 */
#ifndef MEMLAT_MODULES_H
#define MEMLAT_MODULES_H

#include <stddef.h>

struct kernel_names;
struct modules;

/* Listen to the kernel. */
struct modules *modules_watch(void);
void modules_free(struct modules *modules);
/* Take what the kernel has told since the last call. */
void modules_read(struct modules *modules);
/* One message, of this many bytes. */
void modules_take(struct modules *modules, const char *message, size_t size);
/* Add rows (KERNEL_BEFORE) where a module has the names that came when another one had gone. */
void modules_doubt(const struct modules *modules, struct kernel_names *names);

#endif
