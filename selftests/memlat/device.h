/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/memlat as the tests call it. */
#ifndef MEMLAT_TEST_DEVICE_H
#define MEMLAT_TEST_DEVICE_H

#include "snapshot.h"

#include <linux/memlat.h>
#include <stdbool.h>

/* All return -errno on errors. */
int device_open(void);
int device_query(int fd, struct memlat_query *query);
int device_start(int fd, struct memlat_config *config);
int device_stop(int fd);
int device_reset(int fd);
int device_status(int fd, struct memlat_status *status);
/* Is the session in this state? */
bool device_is(int fd, enum memlat_state state);

/* Set which tables the snapshots of a descriptor have, as in struct memlat_reader. */
int device_tables(int fd, unsigned int tables);

/* Take a new snapshot, read and parse it. -EPROTO: it is not as documented. */
int device_snapshot(int fd, struct snapshot *snapshot);

/* A config for user and kernel loads of all processes. */
struct memlat_config device_config(unsigned int ldlat, unsigned long period);

/* The smallest prime that the module accepts and that is not below the wanted period. */
unsigned long device_period(int fd, unsigned long wanted);

#endif
