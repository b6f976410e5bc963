/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records without their words that are 0, for MEMLAT_READER_PACKED.
 */
#ifndef MEMLAT_CORE_PACK_H
#define MEMLAT_CORE_PACK_H

#include <uapi/linux/memlat.h>

#include "types.h"

u32 memlat_pack_room(u32 size);
void *memlat_pack(void *to, const void *records, u32 nr, u32 size);

#endif /* MEMLAT_CORE_PACK_H */
