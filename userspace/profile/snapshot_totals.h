/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for parsing a snapshot's records. */
#ifndef MEMLAT_SNAPSHOT_TOTALS_H
#define MEMLAT_SNAPSHOT_TOTALS_H

#include "snapshot.h"

/* Note an error and return -EBADMSG. */
__attribute__((format(printf, 2, 3)))
int snapshot_broken(struct snapshot *snap, const char *format, ...);

/*
 * Copy a record. A larger one than known here comes from a newer module; structures grow at their
 * end, so the beginning means the same. One that is smaller, but has at least the size least, comes
 * from an older module.
 */
int snapshot_copy(struct snapshot *snap, const char *name, void *to, size_t known,
		  size_t least, const void *from, size_t size);

/* 0, or -EBADMSG with what is wrong. */
int snapshot_take_buckets(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_parts(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_stores(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_raw(struct snapshot *snap, const void *data, size_t size);

/* Once parts and buckets are there: is no part larger than its whole? */
int snapshot_parts_fit(struct snapshot *snap);

/* Add all sums of these records to those of another snapshot; times -1: take them away. */
void totals_add(struct snapshot *to, const struct snapshot *more, __u64 times);

#endif
