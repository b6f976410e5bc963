/* SPDX-License-Identifier: GPL-2.0 */
/* Threads of a workload, each on a CPU of its own, that begin together. */
#ifndef MEMLAT_TEAM_H
#define MEMLAT_TEAM_H

#include <stdint.h>

#define TEAM_MAX	64

struct team {
	int nr;			/* CPUs; one thread each */
	int cpus[TEAM_MAX];
	int least, most;	/* CPUs that the program can use */
	uint64_t iterations;
	const char *flag;	/* one more option of the program, without a value */
	int flagged;		/* it was given */
};

/* Which CPUs a program uses if --cpus names none. */
enum team_default {
	TEAM_PAIR,		/* two, of two nodes */
	TEAM_ALL,		/* all that the machine has */
	TEAM_NONE		/* nr stays 0: the caller chooses */
};

/* Parse --cpus A,B,... and --iterations N. Ends the program if they, or the CPUs, are wrong. */
void team_options(struct team *team, int argc, char **argv, enum team_default which);

/* Call work(i) on CPU cpus[i] for every i, all starting at the same time, and wait for them. */
void team_run(const struct team *team, void (*work)(int index, uint64_t iterations));

/* Print the end of an answer, "cpus":[...],"nodes":[...],"iterations":N,"pid":N}, and flush. */
void team_print_rest(const struct team *team);

#endif
