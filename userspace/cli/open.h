/* SPDX-License-Identifier: GPL-2.0 */
/* Open the device and read from it, and say in words why that fails. */
#ifndef MEMLAT_OPEN_H
#define MEMLAT_OPEN_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../profile/series.h"
#include "../profile/snapshot.h"
#include "../util/out.h"

/* Open the device, or return -1 after printing what is in the way. */
int cmd_open(struct memlat_query *query);
/* Open a session of perf's engine, or the device if there is none. */
int cmd_open_session(struct memlat_query *query);
/* Open it, do what a command does with it, and close it. */
typedef enum exit_status cmd_use(int fd, const struct memlat_query *query, void *context);
enum exit_status cmd_with_device(cmd_use *use, void *context);
enum exit_status cmd_with_session(cmd_use *use, void *context);

/* Report an ioctl's failure for which the command has no better words. */
void cmd_complain_device(const char *what, int error);

/* Warn about figures that contradict each other. */
void cmd_warn_account(const struct snapshot *snap);
/*
 * Report a failure of snapshot_read(), whose result is ret, and return false. Otherwise check the
 * figures, too.
 */
bool cmd_is_read(const struct snapshot *snap, int ret);

/*
 * Take a snapshot of these tables (bits by enum memlat_rec_type; 0: all). False after printing what
 * is in the way; otherwise the caller frees it. Tables that the module does not know are not asked
 * for: one that does not report cores knows neither cores nor source words, and one without
 * MEMLAT_F_STRIDE no strides.
 */
bool cmd_snapshot_of(struct snapshot *snap, int fd,
		     const struct memlat_query *query, __u32 tables);
/* Take one snapshot after another: *came is what was sampled since the last one. */
bool cmd_running(struct series *running, int fd, const struct memlat_query *query, __u64 elapsed_ns,
		struct snapshot *came, enum delta_kind *since);

/* Explain why a start was refused, and what to type. */

/*
 * Explain the answer of MEMLAT_IOC_START: error is its errno, config is as it came back. fd is the
 * device, to ask about the session that is running.
 */
enum exit_status refusal_explain(int fd, int error,
				 const struct memlat_config *config,
				 const struct memlat_query *query);
/* Why perf_event_open() refuses the cgroup that --cgroup names; NULL: it is not because of that. */
const char *refusal_perf_cgroup(int error);

/* Turn prefetchers off and put them back, and say in words why that is refused. */

/* MEMLAT_IOC_PREFETCH on an open device; p gets the answer. False after printing why not. */
bool prefetch_ask(int fd, const struct memlat_query *query, struct memlat_prefetch *p);

/*
 * Turn these prefetchers (kinds 0: all) off on these CPUs (cpus NULL: all) while the device is open
 * here. Its last close puts them back as they were found, even if this process is killed. False
 * after printing why not.
 */
bool prefetch_hold(int fd, const struct memlat_query *query, __u32 kinds, const __u64 *cpus);

/* Put back at once what fd holds. False after printing why not. */
bool prefetch_release(int fd, const struct memlat_query *query);

#endif
