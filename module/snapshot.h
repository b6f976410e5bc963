/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SNAPSHOT_H
#define MEMLAT_SNAPSHOT_H

#include <linux/bits.h>
#include <linux/types.h>
#include <uapi/linux/memlat.h>

struct memlat_copy;

/* Bits of struct memlat_reader.tables: the records that a snapshot can have. */
#define MEMLAT_SNAPSHOT_TABLES	(BIT(MEMLAT_REC_BUCKETS) | BIT(MEMLAT_REC_RAW) |		\
				 BIT(MEMLAT_REC_LINE) | BIT(MEMLAT_REC_SITE) |		\
				 BIT(MEMLAT_REC_ACCESS) | BIT(MEMLAT_REC_THREAD) |	\
				 BIT(MEMLAT_REC_STACK) | BIT(MEMLAT_REC_CORE) |		\
				 BIT(MEMLAT_REC_SOURCE) | BIT(MEMLAT_REC_COUNT) |	\
				 BIT(MEMLAT_REC_STRIDE) | BIT(MEMLAT_REC_PARTS) |	\
				 BIT(MEMLAT_REC_STORES))

/* Another bit: pack the records of tables. It is free because no record has type 0. */
#define MEMLAT_SNAPSHOT_PACKED	BIT(0)

struct memlat_copy *memlat_snapshot_take(u32 tables);

#endif /* MEMLAT_SNAPSHOT_H */
