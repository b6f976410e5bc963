/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel's memory and map, from /proc/kcore where it may be read. */
#ifndef MEMLAT_KERNEL_CORE_H
#define MEMLAT_KERNEL_CORE_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/kernel_names.h"

/* NULL: it may not be read, which needs CAP_SYS_RAWIO. */
struct kernel_core;

struct kernel_core *kernel_core_open(void);
/* The same of a file that is like it. */
struct kernel_core *kernel_core_open_at(const char *path);
void kernel_core_close(struct kernel_core *core);
/* All of these bytes, or false. */
bool kernel_core_get(const struct kernel_core *core, __u64 address, void *bytes, size_t size);
/* How many of them could be had. */
size_t kernel_core_read(const struct kernel_core *core, __u64 address, void *bytes, size_t size);
/* Where a symbol is that the kernel names to those who read its memory after a crash. */
bool kernel_core_symbol(const struct kernel_core *core, const char *name, __u64 *address);

/* Is an address in the area of vmalloc()? */
bool kernel_core_in_vmalloc(const struct kernel_core *core, __u64 address);

/* Areas of the kernel's map as rows. core NULL: those that are so in each. */
void kernel_core_areas(const struct kernel_core *core, struct kernel_names *names);

#endif
