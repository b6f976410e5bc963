/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SYSFS_TABLE_H
#define MEMLAT_SYSFS_TABLE_H

#include <linux/types.h>

struct memlat_rec_line;
struct memlat_status;
struct memlat_totals;

/* The same for files that hold tables, see sysfs_status.h. */
int memlat_sysfs_buckets(char *buf, const struct memlat_status *s, const struct memlat_totals *t);
int memlat_sysfs_sources(char *buf, const struct memlat_status *s, const struct memlat_totals *t);
int memlat_sysfs_lines(char *buf, const struct memlat_rec_line *line, unsigned int lines,
		       u64 age_ns);

#endif /* MEMLAT_SYSFS_TABLE_H */
