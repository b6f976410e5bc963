/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's engine: sample without the module. The kernel's own driver writes samples into a ring of
 * each CPU, and they are added up in the module's tables while they come.
 */
#ifndef MEMLAT_ENGINE_H
#define MEMLAT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "../host/cpu_models.h"
#include "ring.h"

struct collect;
struct engine;
struct history;
struct machine;
struct ring;
struct snapshot;
struct start_options;

/*
 * Begin: find out what may be sampled of these tasks. command: its process, config.pid of the options,
 * executes later, and is sampled from then on. NULL, with *why as by engine_why(); the options' reason is
 * MEMLAT_WHY_PERF if the counters are taken.
 */
struct engine *engine_new(struct start_options *options, bool command, const char **why);
void engine_free(struct engine *engine);
/* What is sampled, of what was asked for. */
const struct memlat_config *engine_config(const struct engine *engine);
/* The folder of the cgroup that is sampled; -1: not one cgroup. */
int engine_folder(const struct engine *engine);
/* Is what is to be sampled still there? */
bool engine_has_tasks(const struct engine *engine);
/* What the kernel does not allow and is left out, as a remark; NULL: nothing. */
const char *engine_remark(const struct engine *engine);

/* Open the ring of a CPU with all events that write to it. As ring_open(). */
int engine_ring(struct engine *engine, struct ring *ring, unsigned int cpu, size_t pages_most);
/* A ring is about to be closed: note what its events have lost. */
void engine_ring_ends(struct engine *engine, struct ring *ring);
/* Why rings cannot be opened, as engine_why(). error: from collect_begin(). */
const char *engine_ring_why(const struct engine *engine, int error);

/* Sample from now on. A command is sampled when it executes. */
void engine_start(struct engine *engine, struct collect *collect, struct history *history);
/* Take the records that are in the rings, but those of the last moment. */
void engine_read(struct engine *engine, struct collect *collect);
/* So many milliseconds at most may pass until then; engine NULL: ms, as given. -1: no bound. */
int engine_wait(const struct engine *engine, int ms);
/* Keep to the budget. */
void engine_tick(struct engine *engine, struct collect *collect);
/* Forget what was sampled until now. */
void engine_reset(struct engine *engine, struct collect *collect);
/* Sample no longer, and take all records. */
void engine_stop(struct engine *engine, struct collect *collect);
/* The session's state and counts. */
struct memlat_status *engine_status(struct engine *engine);
/*
 * The session until now, complete. While it runs, this is for a process that was forked for it, since
 * nothing can be added any more.
 */
struct snapshot *engine_look(struct engine *engine, struct collect *collect);
/* The processes and threads that the tables name, sorted. */
__u32 *engine_numbers(const struct engine *engine, size_t *nr);
/* After engine_stop(): hand over the tables. */
void engine_take(struct engine *engine, struct snapshot *snap);

/* What perf's engine can sample here, what the kernel allows it, and what to type if it does not. */

#define ENGINE_MEMORY	(64ULL << 20)	/* of the tables, as with the module */

/* This CPU, and its part of the query. */
struct cpu_identity engine_cpu(struct memlat_query *query);
/* All of the query, as the module would answer. 0, or -ENOENT: the kernel samples no loads here. */
int engine_query(struct memlat_query *query);
/* Most samples per second that the kernel allows an event; 0: not known. */
__u64 engine_most_rate(void);

/* Does the kernel's watchdog for lockups have a counter? */
bool engine_watchdog(void);

/*
 * Why perf_event_open() refused to sample this, and what to type: text of out_complain(), valid
 * until the next call. error: -errno.
 */
const char *engine_why(int error, const struct memlat_config *config);
/* Why a ring cannot be mapped, although its events were opened. */
const char *engine_why_ring(int error);
/* The kernel's own loads are left out, in one line. */
const char *engine_why_no_kernel(void);

/* Listen to all CPUs' rings during a recording: processes and mappings go to a history. */

struct engine;

struct collect {
	struct history *history;
	struct engine *engine;	/* opens the rings, and reads them; NULL: they are of processes */
	/*
	 * The engine's events are of tasks. They stay while a CPU is offline, and hang up when the
	 * task has ended.
	 */
	bool of_tasks;
	const __u64 *only;	/* listen on these CPUs; NULL: on all */
	struct ring *rings;
	size_t nr_rings, room_rings;
	size_t ring_pages;	/* most pages of each ring */
	__u64 online[MEMLAT_CPU_WORDS];
};

/*
 * Begin on all CPUs that are online, or those of the engine, which is set before. Returns 0 or -errno; collect_end() is needed in both cases.
 */
int collect_begin(struct collect *collect, struct history *history, size_t ring_pages);
/* Read all rings. */
void collect_read(struct collect *collect);
/* Open rings for CPUs that came online; *changed tells whether any did. Returns 0 or -errno. */
int collect_look(struct collect *collect, bool *changed);
void collect_end(struct collect *collect);

#endif
