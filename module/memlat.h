/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this folder declare for each other, in the order of a session.
 */
#ifndef MEMLAT_MEMLAT_H
#define MEMLAT_MEMLAT_H

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <uapi/linux/memlat.h>

#include "core/counts.h"
#include "core/shard.h"
#include "core/table.h"

struct memlat_copy;
struct memlat_tables;
struct memlat_totals;
struct task_struct;

/* config.c */
bool memlat_config_only_counts(const struct memlat_config *config);
int memlat_config_check(struct memlat_config *config);
int memlat_config_permit(struct memlat_config *config);
int memlat_config_refuse(struct memlat_config *config, u32 why, int error);
bool memlat_config_cpus(const __u64 *list, struct cpumask *cpus);
void memlat_config_query(struct memlat_query *q);

/* session.c */
int memlat_session_init(void);
void memlat_session_exit(void);

int memlat_session_start(struct memlat_config *config, const void *file);
int memlat_session_stop(void);
void memlat_session_closed(const void *file);
void memlat_session_reset(void);

/* Called when the machine is suspended or shut down, or when the session has to end. */
void memlat_session_suspend(void);
void memlat_session_resume(void);
void memlat_session_shut_down(void);
void memlat_session_end_troubled(void);
void memlat_session_end_for_guests(void);

/* A number that changes with the session's state, and a queue to wait for a change. */
u32 memlat_session_generation(void);
extern wait_queue_head_t memlat_session_changed;

void memlat_session_status(struct memlat_status *status, struct memlat_totals *totals);
int memlat_session_top(struct memlat_rec_line *line, unsigned int max, u64 *age_ns);
struct memlat_copy *memlat_session_snapshot(struct memlat_status *status,
					    struct memlat_totals *totals,
					    struct memlat_core_counts *core, u32 tables, u32 head,
					    u32 tail, u64 *counted);

/* cpus.c */
int memlat_cpus_arm(const struct cpumask *cpus);
int memlat_cpus_arm_again(void);
void memlat_cpus_disarm(void);
unsigned int memlat_cpus_armed(void);
void memlat_cpus_list(struct cpumask *armed);
void memlat_cpus_sleep_here(void);
void memlat_cpus_wake_here(void);

/* task.c */
bool memlat_task_wanted(struct task_struct *task);
void memlat_task_hide(void);
void memlat_task_unhide(void);
int memlat_task_watch(bool forks);
void memlat_task_unwatch(void);

/* filter.c */
extern bool memlat_filter_on;

int memlat_filter_set(struct memlat_config *config, pid_t *nr);
void memlat_filter_clear(void);
u64 memlat_filter_forks_lost(void);
void memlat_filter_reset(void);

bool memlat_filter_is_gone(void);
bool memlat_filter_passes(const struct task_struct *task);
void memlat_filter_fork(const struct task_struct *parent, const struct task_struct *child);
void memlat_filter_free(const struct task_struct *task);

/* guests.c */
int memlat_guests_init(void);
void memlat_guests_exit(void);

const char *memlat_guests_watch(bool no_guests);
void memlat_guests_watch_vmx(void);
void memlat_guests_unwatch(void);
void memlat_guests_warn(void);

bool memlat_guests_are_unseen(const char *module);

/* watch.c */
int memlat_watch_init(void);
void memlat_watch_exit(void);

void memlat_watch_cpu(unsigned int cpu);
void memlat_watch_leave_cpu(unsigned int cpu);
void memlat_watch_trouble(u32 end);
u32 memlat_watch_found(void);
u32 memlat_watch_settle(void);
void memlat_watch_log_end(u32 end);

/* power.c */
int memlat_power_init(void);
void memlat_power_exit(void);

/* store.c */

#define MEMLAT_MEMORY_MIN	((u64)SZ_1M)
#define MEMLAT_MEMORY_DEFAULT	((u64)SZ_64M)

/**
 * struct memlat_store_setup - what a session wants of its store
 * @max_memory: most bytes that the store may use
 * @call_graph: samples have call chains
 * @stride: samples have steps; never with @call_graph
 */
struct memlat_store_setup {
	u64 max_memory;
	bool call_graph;
	bool stride;
};

/**
 * struct memlat_totals - what was counted since start or reset
 * @sum: the exact counts of all CPUs, without raw words; STACKS_LOST includes stacks for which
 *	the store's own table had no room
 * @lines: figures of the table of lines; @evicted includes CELLS_LOST
 * @sites: the same for sites
 * @accesses: the same for accesses
 * @threads: the same for threads
 * @stacks: call chains; @evicted are the samples in STACKS_LOST
 * @strides: steps; @evicted are pairs, and includes PAIRS_LOST
 * @bytes: memory of the store
 * @max_memory: its bound
 * @merges: shards merged
 * @merged_ns: CLOCK_MONOTONIC of the last merge, 0: none yet
 *
 * In a snapshot, counts and tables describe one moment and balance exactly. In the result of
 * memlat_store_totals(), the counts are current and the tables are as of the last merge.
 */
struct memlat_totals {
	struct memlat_counts sum;
	struct memlat_figures lines;
	struct memlat_figures sites;
	struct memlat_figures accesses;
	struct memlat_figures threads;
	struct memlat_figures stacks;
	struct memlat_figures strides;
	u64 bytes;
	u64 max_memory;
	u64 merges;
	u64 merged_ns;
};

u64 memlat_store_memory_max(void);
size_t memlat_store_cpu_memory(void);
int memlat_store_start(const struct memlat_store_setup *setup);
void memlat_store_unwatch(void);
int memlat_store_init(void);
void memlat_store_exit(void);
int memlat_store_cpu_prepare(int cpu);
void memlat_store_cpus_free(void);
void memlat_store_reset(void);
void memlat_store_totals(struct memlat_totals *totals);
unsigned int memlat_store_top(struct memlat_rec_line *to, unsigned int max);

struct memlat_copy *memlat_store_snapshot(struct memlat_totals *totals,
					  struct memlat_core_counts *core, u32 wanted, u32 head,
					  u32 tail);

/* shards.c */
size_t memlat_shards_cpu_bytes(bool call_graph, bool stride);
int memlat_shards_init(void);
void memlat_shards_exit(void);
int memlat_shards_alloc(int cpu, bool call_graph, bool stride);
void memlat_shards_free_all(void);

bool memlat_shards_due(int cpu);
struct memlat_shard *memlat_shards_take(int cpu);
void memlat_shards_round(void);
void memlat_shards_round_sum(struct memlat_counts *sum, struct memlat_core_counts *core);
void memlat_shards_round_forget(void);

void memlat_shards_count(struct memlat_counts *sum);
void memlat_shards_forget(void);

/* copies.c */
struct memlat_copy *memlat_copy_tables(const struct memlat_tables *tables, u32 wanted, u32 head,
				       u32 tail);
void *memlat_copy_head(struct memlat_copy *copy);
void *memlat_copy_tail(struct memlat_copy *copy);
void memlat_copy_end(struct memlat_copy *copy, const void *end);
const void *memlat_copy_records(const struct memlat_copy *copy, size_t room, size_t *bytes);
bool memlat_copy_pass(struct memlat_copy *copy, size_t bytes);
void memlat_copy_free(struct memlat_copy *copy);

/* snapshot.c */

/* Bits of struct memlat_reader.tables: the records that a snapshot can have. */
#define MEMLAT_SNAPSHOT_TABLES	(BIT(MEMLAT_REC_BUCKETS) | BIT(MEMLAT_REC_RAW) |		\
				 BIT(MEMLAT_REC_LINE) | BIT(MEMLAT_REC_SITE) |		\
				 BIT(MEMLAT_REC_ACCESS) | BIT(MEMLAT_REC_THREAD) |	\
				 BIT(MEMLAT_REC_STACK) | BIT(MEMLAT_REC_CORE) |		\
				 BIT(MEMLAT_REC_SOURCE) | BIT(MEMLAT_REC_COUNT) |	\
				 BIT(MEMLAT_REC_STRIDE) | BIT(MEMLAT_REC_PARTS) |	\
				 BIT(MEMLAT_REC_STORES))

/* Another bit: pack the records of tables. It is free because no record has type 0. */
#define MEMLAT_SNAPSHOT_PACKED	BIT(0)

struct memlat_copy *memlat_snapshot_take(u32 tables);

/* prefetch.c */
int memlat_prefetch_init(void);
void memlat_prefetch_exit(void);

/* @file identifies the open file. */
int memlat_prefetch(struct memlat_prefetch *p, const void *file);
void memlat_prefetch_closed(const void *file);

/* Called when the machine is suspended, resumed or shut down. */
void memlat_prefetch_suspend(void);
void memlat_prefetch_resume(void);
void memlat_prefetch_shut_down(void);

/* chardev.c */
int memlat_chardev_init(void);
void memlat_chardev_exit(void);

/* sysfs.c */
int memlat_sysfs_init(void);
void memlat_sysfs_exit(void);

#endif /* MEMLAT_MEMLAT_H */
