/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel's memory and map, from /proc/kcore where it may be read. */
#ifndef MEMLAT_KERNEL_CORE_H
#define MEMLAT_KERNEL_CORE_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/kernel_names.h"

/* Areas of the kernel's map as rows. */
void kernel_core_areas(struct kernel_names *names);

/* Bytes of kernel memory: how many could be had. */
size_t kernel_core_read(__u64 address, void *bytes, size_t size);

/* The same for who reads often. NULL: it may not be read, which needs CAP_SYS_RAWIO. */
struct kernel_core;

struct kernel_core *kernel_core_open(void);
void kernel_core_close(struct kernel_core *core);
bool kernel_core_get(const struct kernel_core *core, __u64 address, void *bytes, size_t size);

#endif
