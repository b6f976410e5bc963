/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests on the emulated machine share: its state before and after, a measured session,
 * workloads that wait for a command, and the checks that every session must pass.
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

/* Fail and end the test unless this is done. */
void need(bool done, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A line of TAP comment, and one result; both texts end with a newline. */
void note(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
void result(bool good, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Print the header and a plan of this many results and those of rig_close(). Skip without root or
 * the emulated machine. Save the PMU's state, load the module and open the device.
 */
void rig_open(unsigned int results);

/*
 * Turn NUMA balancing off until rig_close(). It makes pages unreadable for a moment, on a busy host
 * for long, and an NMI handler cannot read such pages (perf cannot either).
 */
void rig_pages_stay(void);

/* Results of rig_close(): rmmod restored everything, and there was no violation. */
#define RIG_RESULTS	2
void rig_close(void);

/*
 * Are its stores in the first two slots? One more store is accepted, because the kernel clears a
 * page before a program gets it. That is 8 stores to each line, less than a period.
 */
bool stores_of_two_slots(const struct memlat_rec_line *line);

/* The descriptor of the open device. */
int rig_fd(void);

/* Close the device, so that the module can be unloaded; load it and open the device again. */
void rig_release(void);
void rig_take(void);

/* A workload that runs beside the test. */
struct actor {
	pid_t pid;
	int in;				/* its standard input */
	FILE *out;			/* its standard output */
	struct json_object *answer;	/* its first line */
};

/* Start a shell command and wait for its first line. */
void actor_start(struct actor *actor, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void actor_go(struct actor *actor);	/* for those with --wait */
void actor_wait(struct actor *actor);	/* until it ends well */
void actor_kill(struct actor *actor);

/* Run a workload to its end. Returns its first line. */
struct json_object *work(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* One session, and the truth's bracket around it. */
struct measured {
	struct snapshot snapshot;
	struct json_object *truth;
};

void measure_begin(struct memlat_config *config);
/* Stop, close the bracket and take the snapshot. The truth only has the machine's totals. */
void measure_end(struct measured *measured);
/* The same, but the truth also has lines and instructions. */
void measure_end_lists(struct measured *measured);
/* The same, but only with the lines in a range: the guest takes seconds to read thousands. */
void measure_end_lines(struct measured *measured, uint64_t start, uint64_t bytes);
/* The truth about each line in a range, of the last bracket. */
struct json_object *truth_lines(uint64_t start, uint64_t bytes);
void measured_free(struct measured *measured);

/* Measure an actor that waits until it ends, by the clock of the machine's counters. */
void measure_actor(struct measured *measured, struct memlat_config *config, struct actor *actor);

/* What was counted of an event on one CPU, or on all of them (-1). */
struct counted {
	double estimate;
	uint64_t value, enabled, running, records;
	bool all_the_time;
};
struct counted counted_of(const struct snapshot *snapshot, unsigned int event, int cpu);

/* The truth of an event on one CPU while its counters were on. false: there is no such CPU. */
bool counted_truth(struct json_object *truth, unsigned int cpu, const char *event, uint64_t *value);

/* Is the start refused with this error, and for this reason? */
bool refused(struct memlat_config config, int error, unsigned int why);

/* Two results: the accounts balance; as many records were read as were written. */
#define CONSERVED_RESULTS	2
void check_conserved(const struct measured *measured, const char *what);

/* The samples of lines in a range, and their weight. */
struct share {
	uint64_t samples, stores, weight;
};
struct share lines_in(const struct snapshot *snapshot, uint64_t start,
		      uint64_t bytes);

/*
 * Does a sum of weights agree with the events that it estimates? Each of n samples stands for a
 * period, n has a standard deviation of at most its square root, and each CPU may have an
 * incomplete period.
 */
bool weight_agrees(const char *what, uint64_t weight, uint64_t events,
		   uint64_t period);

#endif
