/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests on the emulated machine share: its state before and after, one
 * measured session, workloads that wait for a word, and the checks that every
 * session must pass.
 */
#ifndef MEMLAT_TEST_RIG_H
#define MEMLAT_TEST_RIG_H

#include "device.h"
#include "snapshot.h"
#include "truth.h"

#include <linux/memlat.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define WORKLOADS	"selftests/workloads/"

/* End the test, failed, unless this is done. */
void need(bool done, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A line of TAP comment, and one result; both texts end with a newline. */
void note(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
void result(bool good, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Print the header and a plan of so many results with those of rig_close();
 * skip without root or the emulated machine; note the PMU, load the module and
 * open the device.
 */
void rig_open(unsigned int results);

/*
 * No NUMA balancing until rig_close(): it makes pages unreadable for a moment, on a busy
 * host for long, and what lies there can't be looked at in an NMI (perf can't either).
 */
void rig_pages_stay(void);

/* Results of rig_close(): all given back after rmmod, and no violation. */
#define RIG_RESULTS	2
void rig_close(void);

/*
 * Are its stores of the first two slots? One more may be: the kernel clears a page before a
 * program has it, which is 8 stores to each line and less than a period.
 */
bool stores_of_two_slots(const struct memlat_rec_line *line);

/* The device, open. */
int rig_fd(void);

/* Close it, so that the module may go; load that again and open it. */
void rig_release(void);
void rig_take(void);

/* A workload that runs beside the test. */
struct actor {
	pid_t pid;
	int in;				/* its standard input */
	FILE *out;			/* its standard output */
	struct json_object *answer;	/* its first line */
};

/* Start a command of the shell's and wait for its answer. */
void actor_start(struct actor *actor, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void actor_go(struct actor *actor);	/* for those with --wait */
void actor_wait(struct actor *actor);	/* until it ends well */
void actor_kill(struct actor *actor);

/* Run a workload to its end; its first line. */
struct json_object *work(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* One session with its bracket around it. */
struct measured {
	struct snapshot snapshot;
	struct json_object *truth;
};

void measure_begin(struct memlat_config *config);
/* Stop, close the bracket, take the snapshot; the truth of the whole machine, in totals. */
void measure_end(struct measured *measured);
/* The same, and the truth has its lines and instructions. */
void measure_end_lists(struct measured *measured);
/* The same, of its lines only those in a range: thousands take seconds to read, here. */
void measure_end_lines(struct measured *measured, uint64_t start, uint64_t bytes);
/* What is true of each line in a range, in the bracket that was closed last. */
struct json_object *truth_lines(uint64_t start, uint64_t bytes);
void measured_free(struct measured *measured);

/* Two results: the accounts hold; records written = records taken out. */
#define CONSERVED_RESULTS	2
void check_conserved(const struct measured *measured, const char *what);

/* Samples, and their weight, of lines in a range. */
struct share {
	uint64_t samples, stores, weight;
};
struct share lines_in(const struct snapshot *snapshot, uint64_t start,
		      uint64_t bytes);

/*
 * Is a sum of weights what it estimates? Each of n samples stands for a period;
 * n has a standard deviation of at most its square root, and each CPU may hold
 * back one period that is not complete.
 */
bool weight_agrees(const char *what, uint64_t weight, uint64_t events,
		   uint64_t period);

#endif
