/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What really happened: exact counts, with which memlat's and perf's sampled figures are compared,
 * and every violation of the hardware's rules.
 *
 * A load's source is counted as its core's source word reports it. If the word has one code for two
 * of enum vp_code, it is the first of them. But if it has one code for lines that another core had
 * clean or modified, both are counted as modified; a line's "modified" counts those that really
 * were.
 *
 * A bracket is the time between vp_truth_begin and vp_truth_end. Bracket 0 is open from the start,
 * and the machine ends it before the guest runs. What happens outside brackets is counted too, for
 * vp_truth_json_run, but not by line and instruction.
 */
#ifndef VPEBS_TRUTH_H
#define VPEBS_TRUTH_H

#include <stddef.h>

#include "cost.h"
#include "model.h"

struct vp_truth;
struct vp_lives;

/* What happened to the record of a counter that overflowed. */
enum vp_fate {
	VP_WRITTEN,
	VP_LOST_BUFFER_FULL,	/* PEBS index had reached the absolute maximum */
	VP_LOST_DS_UNMAPPED,	/* DS area or buffer not mapped in this address space */
	VP_LOST_BAD_DS,		/* DS area holds nonsense */
	VP_LOST_NO_PEBS,	/* overflow of an event whose PEBS is off or unavailable */
	VP_FATES
};

/* Key of a fate in the JSON. */
const char *vp_fate_name(enum vp_fate fate);

/* Key of a source in the JSON for an enum vp_code. */
const char *vp_source_name(unsigned int code);

/* NULL and errno: EINVAL, ENOMEM. */
struct vp_truth *vp_truth_new(const struct vp_topology *topology, const struct vp_model *model);
void vp_truth_free(struct vp_truth *truth);

/*
 * The machine has a clock: return where its counts are to be added, by CPU. Called before any CPU
 * runs. NULL: no memory.
 */
struct vp_counts *vp_truth_counts(struct vp_truth *truth);

/* The JSON of a bracket has the lives of lines from now on; NULL: no more. */
void vp_truth_lives(struct vp_truth *truth, const struct vp_lives *lives);

void vp_truth_begin(struct vp_truth *truth);
void vp_truth_end(struct vp_truth *truth);
/* From now on, the bracket does not count by line and instruction. */
void vp_truth_sums(struct vp_truth *truth);

/*
 * The next five are called by the thread that runs access->cpu (or cpu).
 */

/*
 * Every access that the model saw. With a threshold set (vp_truth_qualify)
 * and a bracket open, loads slower than that and all stores are also kept
 * by line and instruction.
 */
void vp_truth_access(struct vp_truth *truth, const struct vp_access *access,
		     const struct vp_outcome *outcome);

/* The load-latency counter counted this load. */
void vp_truth_counted(struct vp_truth *truth, const struct vp_access *access,
		      const struct vp_outcome *outcome);

/*
 * A counter of stores counted this store. If its core's records have a store's source, that and the
 * latency of memory are counted.
 */
void vp_truth_stored(struct vp_truth *truth, const struct vp_access *access,
		     const struct vp_outcome *outcome);

/*
 * A counter overflowed at this access; paddr 0: not at an access. word: the data source in a record
 * of load latency or of a store; VP_NO_WORD: there is none.
 */
void vp_truth_record(struct vp_truth *truth, const struct vp_access *access,
		     enum vp_fate fate, uint32_t word);

/* A PMI was sent, or was not sent because LVTPC was masked. */
void vp_truth_pmi(struct vp_truth *truth, unsigned int cpu, bool sent);

/* All that the machine has executed since it was switched on, for the run's JSON. */
void vp_truth_instructions(struct vp_truth *truth, uint64_t instructions);

/*
 * Set what a module costs, one row per CPU, for the next JSON; NULL: it is not measured. lost:
 * hooks that could not be followed. Any thread may call this.
 */
void vp_truth_cost(struct vp_truth *truth, const struct vp_cost_figures *row, unsigned int lost);

/* Any thread. Loads with a latency above this many cycles qualify; 0: no load does. */
void vp_truth_qualify(struct vp_truth *truth, uint32_t threshold);

/* Any thread. Same kind, cpu, ip and detail: merged, with a count. */
void vp_truth_violation(struct vp_truth *truth, unsigned int cpu, uint64_t ip,
			const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void vp_truth_forgive(struct vp_truth *truth);
unsigned int vp_truth_violations(struct vp_truth *truth);	/* events, not kinds */

/*
 * JSON of the current (or last) bracket, or of the whole run. Returns the
 * length needed without the terminating NUL; writes at most size bytes,
 * with a NUL at the end when size > 0. 0: out of memory.
 */
size_t vp_truth_json(struct vp_truth *truth, char *buf, size_t size);
size_t vp_truth_json_run(struct vp_truth *truth, char *buf, size_t size);

/* The bracket, with all lines in a range of virtual addresses and no others. */
size_t vp_truth_json_lines(struct vp_truth *truth, uint64_t start, uint64_t bytes, char *buf,
			   size_t size);

/* The bracket without any line or instruction: the sum of the lines in that range. */
size_t vp_truth_json_sum(struct vp_truth *truth, uint64_t start, uint64_t bytes, char *buf,
			 size_t size);

#endif
