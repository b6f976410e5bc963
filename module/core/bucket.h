/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_BUCKET_H
#define MEMLAT_CORE_BUCKET_H

#include <uapi/linux/memlat.h>

#include "types.h"

extern const u32 memlat_bucket_edge[MEMLAT_BUCKETS - 1];

unsigned int memlat_bucket_of(u32 latency);

#endif /* MEMLAT_CORE_BUCKET_H */
