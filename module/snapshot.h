/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SNAPSHOT_H
#define MEMLAT_SNAPSHOT_H

#include <linux/types.h>

void *memlat_snapshot_take(size_t *size);

#endif /* MEMLAT_SNAPSHOT_H */
