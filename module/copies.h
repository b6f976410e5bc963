/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_COPIES_H
#define MEMLAT_COPIES_H

#include <linux/types.h>

struct memlat_copy;
struct memlat_tables;

struct memlat_copy *memlat_copy_tables(const struct memlat_tables *tables, u32 wanted, u32 head,
				       u32 tail);
void *memlat_copy_head(struct memlat_copy *copy);
void *memlat_copy_tail(struct memlat_copy *copy);
void memlat_copy_end(struct memlat_copy *copy, const void *end);
const void *memlat_copy_records(const struct memlat_copy *copy, size_t room, size_t *bytes);
bool memlat_copy_pass(struct memlat_copy *copy, size_t bytes);
void memlat_copy_free(struct memlat_copy *copy);

#endif /* MEMLAT_COPIES_H */
