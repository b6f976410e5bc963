/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SNAPSHOT_H
#define MEMLAT_SNAPSHOT_H

#include <linux/bits.h>
#include <linux/types.h>
#include <uapi/linux/memlat.h>

struct memlat_copy;

/* Bits of struct memlat_reader.tables: what a snapshot can be asked for. */
#define MEMLAT_SNAPSHOT_TABLES	(BIT(MEMLAT_REC_BUCKETS) | BIT(MEMLAT_REC_RAW) |		\
				 BIT(MEMLAT_REC_LINE) | BIT(MEMLAT_REC_SITE) |		\
				 BIT(MEMLAT_REC_ACCESS) | BIT(MEMLAT_REC_THREAD) |	\
				 BIT(MEMLAT_REC_STACK) | BIT(MEMLAT_REC_CORE) |		\
				 BIT(MEMLAT_REC_SOURCE) | BIT(MEMLAT_REC_COUNT) |	\
				 BIT(MEMLAT_REC_STRIDE) | BIT(MEMLAT_REC_PARTS) |	\
				 BIT(MEMLAT_REC_STORES))

/* With them: records of tables packed. No record has type 0. */
#define MEMLAT_SNAPSHOT_PACKED	BIT(0)

struct memlat_copy *memlat_snapshot_take(u32 tables);

#endif /* MEMLAT_SNAPSHOT_H */
