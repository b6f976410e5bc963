/* SPDX-License-Identifier: GPL-2.0 */
/* The device opened and asked, with words for people when that fails. */
#ifndef MEMLAT_OPEN_H
#define MEMLAT_OPEN_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../profile/running.h"
#include "../profile/snapshot.h"

/* The device, or -1 after saying what is in the way. */
int cmd_open(struct memlat_query *query);

/* An ioctl failed in a way no command has a better word for. */
void cmd_complain_device(const char *what, int error);

/* Warn of figures that contradict each other. */
void cmd_warn_account(const struct snapshot *snap);
/* ret: snapshot_read()'s. False after saying why it failed; else figures are looked at, too. */
bool cmd_is_read(const struct snapshot *snap, int ret);

/*
 * As cmd_snapshot(), of a device that is open. Tables that its module does not
 * know are not asked for: one that tells of no cores knows neither these nor
 * source words, and one without MEMLAT_F_STRIDE no strides.
 */
bool cmd_snapshot_of(struct snapshot *snap, int fd,
		     const struct memlat_query *query, __u32 tables);
/* The same for who takes one after the other: what came since the one before. */
bool cmd_running(struct running *running, int fd, const struct memlat_query *query, __u64 elapsed_ns,
		struct snapshot *came, enum since *since);

/*
 * A snapshot of the device with these tables (bits by enum memlat_rec_type;
 * 0: all). False after saying what is in the way; else the caller frees it.
 */
bool cmd_snapshot(struct snapshot *snap, __u32 tables);

#endif
