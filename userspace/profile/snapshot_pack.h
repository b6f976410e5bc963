/* SPDX-License-Identifier: GPL-2.0 */
/* Packed records of the snapshot stream: linux/memlat_records.h, "Packed records". */
#ifndef MEMLAT_SNAPSHOT_PACK_H
#define MEMLAT_SNAPSHOT_PACK_H

#include <stddef.h>

/* Bytes that a record of so many may take packed. */
#define SNAPSHOT_PACKED(size)	((size) + ((size) / 8 + 63) / 64 * 8)

/* Pack a record of size bytes into SNAPSHOT_PACKED(size) at most. Returns the bytes it takes. */
size_t snapshot_pack(void *to, const void *record, size_t size);

/*
 * The record in size bytes of the stream, which a header with that size begins, into
 * MEMLAT_REC_MAX bytes. Returns its size; 0: that is no packed record.
 */
size_t snapshot_unpack(void *to, const void *packed, size_t size);

#endif
