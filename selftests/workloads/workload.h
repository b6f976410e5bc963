/* SPDX-License-Identifier: GPL-2.0 */
/* What the workloads share: arguments, pinning, topology. */
#ifndef MEMLAT_WORKLOAD_H
#define MEMLAT_WORKLOAD_H

#include <stdint.h>

#define WORKLOAD_LINE	64	/* bytes of a cache line */
/*
 * Align what must lie on small pages to this: a variable that shares a large page with it, and
 * that is written before madvise(), would otherwise bring in a large page for both, on the node
 * where main() started.
 */
#define WORKLOAD_LARGE	(2 << 20)

/* The name that messages begin with. Set it first in main(). */
extern const char *workload_name;

/* For wrong use: print "name: message" on stderr and exit with status 2. */
void workload_usage(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* If the machine refuses: print the message and exit with status 1. */
void workload_fail(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/*
 * An option, and where its value goes: a number from least to most to *number or *integer, another
 * text to *text. An option without a value sets *flag.
 */
struct workload_arg {
	const char *name;	/* NULL: the end of the list */
	uint64_t least, most;
	uint64_t *number;
	int *integer;
	const char **text;
	int *flag;
};

#define WORKLOAD_ARGS	16	/* in a list at most */

/*
 * Parse all of these options. --help prints the usage and ends the program. A word that is no
 * option, or has a wrong value, ends it with status 2.
 */
void workload_args(int argc, char **argv, const char *usage, const struct workload_arg *args);

/* Return a whole decimal number from min to max. Otherwise workload_usage(). */
uint64_t workload_number(const char *option, const char *text, uint64_t min,
			 uint64_t max);

/* Parse two CPU numbers, "A,B". */
void workload_cpu_pair(const char *text, int cpus[2]);

/* The first CPUs of the first two nodes that have any. */
void workload_cpus_of_two_nodes(int cpus[2]);

/* The node of a CPU, and a CPU that is not on that node. */
int workload_node_of(int cpu);
int workload_cpu_not_on(int node);

/* xorshift64 from this state draws the same numbers in every run. */
#define WORKLOAD_SEED	0x9e3779b97f4a7c15ull
uint64_t workload_draw(uint64_t *state);

/*
 * Fill order with the numbers from 0 to count - 1, in an order that is the same each time
 * (Sattolo's shuffle).
 */
void workload_shuffle(uint32_t *order, uint64_t count);

/* Pin the calling thread to the CPU. */
void workload_pin(int cpu);

#endif
