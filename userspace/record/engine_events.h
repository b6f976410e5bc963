/* SPDX-License-Identifier: GPL-2.0 */
/* The events of perf's engine: what the kernel allows, and how each is opened. */
#ifndef MEMLAT_ENGINE_EVENTS_H
#define MEMLAT_ENGINE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <linux/memlat.h>

#include "../host/pmu.h"
#include "../import/perf_sample.h"

/*
 * What a sample takes the kernel, unless it is measured: an interrupt, and the writing of its record.
 * A large PEBS buffer would need fewer interrupts, but the kernel takes it only without a clock of
 * ours.
 */
#define ENGINE_SAMPLE_NS	3000ULL
#define ENGINE_RATE_LEAST	10ULL

/* The layout of a sample, up to its weight, and of the other records' trailer: it decides where times are. */
#define ENGINE_FIELDS \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC)
#define ENGINE_SAMPLE_TIME	32	/* after the header, the identifier, ip, and tid */
#define ENGINE_TRAILER		32	/* tid, time, cpu, identifier */
#define ENGINE_TRAILER_TIME	8

/* Most events that are counted; beside samples they are few. */
#define ENGINE_COUNTS	24
#define ENGINE_BESIDE	5

struct engine_count {
	enum memlat_event_id id;
	__u64 config;
};

struct ring;
struct ring_sums;
struct snapshot;

/* What perf_event_open() of a kernel may lack. Stable kernels of Linux 5.10 have PERF_FORMAT_LOST. */
#define ENGINE_NO_LOST		1U	/* PERF_FORMAT_LOST, Linux 6.0 */
#define ENGINE_NO_PARTS		2U	/* PERF_SAMPLE_WEIGHT_STRUCT and build ids, Linux 5.12 */
#define ENGINE_LACKS_ALL	3U

enum engine_kind { ENGINE_LOADS, ENGINE_STORES, ENGINE_BURSTS, ENGINE_KINDS = ENGINE_BURSTS + 2 };

struct engine_events {
	/* Before the begin: what was asked for. What is not allowed is taken out of it. */
	struct memlat_config config;
	bool command;			/* sample config.pid when it executes */
	pid_t all;			/* without config.pid: -1, or RING_CGROUP() */
	/* Then: */
	struct pmu pmus[PMUS_MAX];
	size_t nr_pmus;
	struct perf_event_attr life;	/* of the events that report processes */
	struct perf_events set;		/* ENGINE_KINDS for each PMU */
	struct engine_count count[PMUS_MAX][ENGINE_COUNTS];
	size_t nr_counts[PMUS_MAX];
	unsigned int lacks;
	__u64 sample_ns, next_measure;	/* measured, if there is a budget, or bursts */
	__u64 rate, rate_most;		/* samples per second of each event; 0: fixed periods */
	const char *remark;		/* what is left out; NULL: nothing */
};

/* Find out what may be sampled. 0 or -errno; perf_events_free() of the set in both cases. */
int engine_events_begin(struct engine_events *of);
/* The part of it that only depends on members that are set. */
void engine_events_set(struct engine_events *of);
/*
 * Find out the highest rate: by what a sample takes, and by what the kernel allows now. The kernel keeps no
 * account of the former, so measure it, by loads that all count, once a minute.
 */
void engine_events_bound(struct engine_events *of, __u64 now);
/* Events that are opened from now on have this rate, within bounds. Is it another one? */
bool engine_events_rate(struct engine_events *of, __u64 rate);

/*
 * Open the loads or stores of a task on a CPU. Cores that need another event beside loads have it as
 * the leader of the group, which counts. Returns the descriptor, and that of the leader or -1 in
 * *leader, or -errno.
 */
int engine_events_open(const struct engine_events *of, size_t pmu, unsigned int kind, pid_t pid,
		       int cpu, bool at_once, int *leader);
/* Is nothing sampled? Then what is counted is in groups, each of which begins with cycles. */
bool engine_events_only_count(const struct engine_events *of);
#define ENGINE_CLOCK	(~0ULL)
/*
 * Open what is counted beside. ENGINE_CLOCK always runs with its task. leader: of its group, or -1.
 * The descriptor or -errno.
 */
int engine_events_count(const struct engine_events *of, size_t pmu, __u64 config, pid_t pid, int cpu,
			bool at_once, int leader);

/* Add what the ring's events have counted (1), or forget it (-1). */
void engine_events_counted(struct snapshot *snap, const struct ring *ring, int sign);
/*
 * All rings were added. As with the module, an event counts all the time or is left out. perf lets
 * events take turns if somebody else counts, too. Of groups, all of them together count all the time.
 */
void engine_events_finish(const struct engine_events *of, struct snapshot *snap,
			  const struct ring_sums *sums);

#endif
