/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SYSFS_STATUS_H
#define MEMLAT_SYSFS_STATUS_H

#include <linux/types.h>

struct memlat_status;
struct memlat_totals;

/*
 * Each function fills a page with the text of a file of single figures, and returns its length.
 * Documentation/ABI/testing/sysfs-kernel-memlat describes the formats.
 */
int memlat_sysfs_status(char *buf, const struct memlat_status *s, const struct memlat_totals *t);
int memlat_sysfs_losses(char *buf, const struct memlat_status *s, const struct memlat_totals *t);
int memlat_sysfs_ldlat(char *buf, const struct memlat_status *s, const struct memlat_totals *t);
int memlat_sysfs_period(char *buf, const struct memlat_status *s, const struct memlat_totals *t);

const char *memlat_sysfs_state(const struct memlat_status *s);
u64 memlat_sysfs_lost(const struct memlat_status *s);

#endif /* MEMLAT_SYSFS_STATUS_H */
