/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ioctls of /dev/memlat. All return 0 (or a descriptor) or -errno. Without the module, the keeper
 * of a session of perf's engine answers them at a socket (../record/session.h), so a descriptor is of
 * either. A snapshot is read alike: whole records, until a read() of no bytes.
 */
#ifndef MEMLAT_DEVICE_H
#define MEMLAT_DEVICE_H

#include <stdbool.h>

#include <linux/memlat.h>

/* A request to the keeper, and its answer. If the keeper is gone, that is -EOWNERDEAD. */
struct device_call {
	__u64 request;	/* MEMLAT_IOC_* */
	__s32 result;	/* 0 or -errno */
	__u32 reserved;
	union {
		struct memlat_query query;
		struct memlat_status status;
		struct memlat_reader reader;
	} argument;
};

/* Who samples. */
enum engine_choice { ENGINE_EITHER, ENGINE_MODULE, ENGINE_PERF };

/*
 * The one that was asked for, or the module where its device opens or only it will do, else perf's
 * engine if the kernel samples loads on this CPU.
 */
enum engine_choice engine_choose(enum engine_choice asked, bool needs_module, bool opens,
				 bool perf_loads);

int memlat_device_open(void);
/* Is that what memlat_device_open() returns where no module is loaded? */
bool memlat_device_is_absent(int ret);
int memlat_device_query(int fd, struct memlat_query *query);
int memlat_device_start(int fd, struct memlat_config *config);
int memlat_device_stop(int fd);
int memlat_device_reset(int fd);
int memlat_device_status(int fd, struct memlat_status *status);
int memlat_device_snapshot(int fd);
int memlat_device_prefetch(int fd, struct memlat_prefetch *prefetch);
/* The smallest accepted period of stores; an older module has one for loads and stores. */
__u64 device_store_period_min(const struct memlat_query *query);
/*
 * Set what snapshots of this descriptor hold (bits by enum memlat_rec_type; 0: all), and how long
 * after a snapshot poll() wakes (0: never).
 */
int memlat_device_reader(int fd, __u32 tables, __u32 interval_ms);

#endif
