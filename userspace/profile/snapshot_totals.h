/* SPDX-License-Identifier: GPL-2.0 */
/* What takes the records of a snapshot apart shares. */
#ifndef MEMLAT_SNAPSHOT_TOTALS_H
#define MEMLAT_SNAPSHOT_TOTALS_H

#include "snapshot.h"

/* Note what is wrong: -EBADMSG. */
__attribute__((format(printf, 2, 3)))
int snapshot_broken(struct snapshot *snap, const char *format, ...);

/*
 * A record that is larger than the one known here comes from a newer module:
 * structures grow at their end, so the beginning still means the same. One that
 * is smaller, but not below least, comes from an older one.
 */
int snapshot_copy(struct snapshot *snap, const char *name, void *to, size_t known,
		  size_t least, const void *from, size_t size);

/* 0, or -EBADMSG with what is wrong. */
int snapshot_take_buckets(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_parts(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_stores(struct snapshot *snap, const void *data, size_t size);
int snapshot_take_raw(struct snapshot *snap, const void *data, size_t size);

/* Parts and buckets are there: is what is told apart a part of what it is told apart from? */
int snapshot_parts_fit(struct snapshot *snap);

#endif
