/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_COPIES_H
#define MEMLAT_COPIES_H

#include <linux/types.h>

void *memlat_copy_alloc(size_t bytes);
void memlat_copy_free(void *records);

#endif /* MEMLAT_COPIES_H */
