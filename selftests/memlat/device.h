/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/memlat as the tests call it. */
#ifndef MEMLAT_TEST_DEVICE_H
#define MEMLAT_TEST_DEVICE_H

#include "snapshot.h"

#include <linux/memlat.h>
#include <stdbool.h>

/* All return 0 or more when done, else -errno. */
int device_open(void);
int device_query(int fd, struct memlat_query *query);
int device_start(int fd, struct memlat_config *config);
int device_stop(int fd);
int device_reset(int fd);
int device_status(int fd, struct memlat_status *status);
/* Is the session in this state? */
bool device_is(int fd, enum memlat_state state);

/* Which tables the snapshots of a descriptor hold: as in struct memlat_reader. */
int device_tables(int fd, unsigned int tables);

/* A fresh snapshot, read to its end and parsed; -EPROTO: not as documented. */
int device_snapshot(int fd, struct snapshot *snapshot);

/* A config that asks for user and kernel loads of all processes. */
struct memlat_config device_config(unsigned int ldlat, unsigned long period);

/* The smallest prime the module accepts that is not below the one wanted. */
unsigned long device_period(int fd, unsigned long wanted);

#endif
