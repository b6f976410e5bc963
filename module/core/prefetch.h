/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value of the register that turns prefetchers off. The bits that memlat has set are its own;
 * all other bits belong to somebody else and stay as they are.
 */
#ifndef MEMLAT_CORE_PREFETCH_H
#define MEMLAT_CORE_PREFETCH_H

#include "types.h"

u64 memlat_prefetch_apply(u64 value, u8 want, u8 *held, u8 *lost);

#endif /* MEMLAT_CORE_PREFETCH_H */
