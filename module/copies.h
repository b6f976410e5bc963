/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_COPIES_H
#define MEMLAT_COPIES_H

#include <linux/types.h>

struct memlat_tables;

void *memlat_copy_alloc(size_t bytes);
void memlat_copy_free(void *records);
size_t memlat_copy_bytes(const struct memlat_tables *tables, u32 wanted);
void memlat_copy_fill(void *to, const struct memlat_tables *tables, u32 wanted);

#endif /* MEMLAT_COPIES_H */
