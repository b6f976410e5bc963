/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loops on the emulated machine's own caches and core (selftests/vpebs), without QEMU. Each is run
 * as it is and with its change made, so that the real gain is known to the cycle.
 */
#ifndef GAIN_MACHINE_H
#define GAIN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../userspace/analysis/gain.h"

#define REG(n)		(1u << (n))
#define UNTOUCHED	(-1.0)	/* an access that the change leaves as it is */

struct gain_run {
	unsigned int cpus, nodes;
	void (*body)(unsigned int cpu);	/* one iteration */
	uint64_t iterations;		/* of each CPU */
	uint64_t seed;
	bool mended;			/* the change is made */
	bool prefetch;			/* hardware prefetchers are on */
	bool tagging;			/* as PEBS does: one load at a time is looked at */
};

struct gain_ran {
	struct gain_counts counts;
	struct gain_samples samples;
	struct gain_part part;
	double latency;			/* its loads' share of all sampled latency: what Cheetah goes by */
};

void gain_machine_run(const struct gain_run *run, struct gain_ran *ran);

/* What bodies consist of. after: the latency with the change, or UNTOUCHED. */
void op(unsigned int cpu, uint32_t in, uint32_t out);
void work(unsigned int cpu, unsigned int instructions);
void load(unsigned int cpu, unsigned int base, unsigned int to, uint64_t addr, double after);
void store(unsigned int cpu, unsigned int base, unsigned int from, uint64_t addr, bool touched);
void locked_add(unsigned int cpu, unsigned int base, uint64_t addr, double after);
/* Return a line of a node's memory that nobody has used yet. */
uint64_t fresh(unsigned int cpu, unsigned int node);
/*
 * Return the CPU's own word, which shares its line with other CPUs' words unless the change is
 * made.
 */
uint64_t word(unsigned int cpu);
uint64_t iteration(unsigned int cpu);
uint64_t *scratch(unsigned int cpu);	/* 0 at first */
bool mended(void);

#endif
