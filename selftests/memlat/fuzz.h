/* SPDX-License-Identifier: GPL-2.0 */
/* Random calls of /dev/memlat, and the results that they may have. */
#ifndef MEMLAT_TEST_FUZZ_H
#define MEMLAT_TEST_FUZZ_H

#include <linux/memlat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* xorshift64*: the same seed gives the same calls. */
static inline uint64_t fuzz_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

/* A number below a limit. */
static inline uint64_t fuzz_below(uint64_t *state, uint64_t limit)
{
	return (fuzz_next(state) >> 16) % limit;
}

/* The number of kinds of calls. */
#define FUZZ_KINDS	15

/* A thread that makes calls, with its own file and one that all share. */
struct fuzzer {
	uint64_t random;
	int own, shared;
	bool gentle;		/* nothing that starts, stops or empties the session */
	bool idle;		/* nothing that starts a session */
	struct memlat_query query;
	char *guard;		/* the end of memory: a page without access */
	char *read_room;
	char wrong[160];	/* the first wrong result, as a text */
	bool succeeded;		/* the call that is made now */
	unsigned long calls[FUZZ_KINDS];	/* of each kind */
	unsigned long good[FUZZ_KINDS];		/* those that succeeded */
	double seconds[FUZZ_KINDS];		/* that they took */
};

/* Prepare memory and the own file. False, with wrong set, if that fails. */
bool fuzz_open(struct fuzzer *f, uint64_t seed, int shared);

/* Make one call, or a few that belong together. False, with wrong set, if a result is wrong. */
bool fuzz_call(struct fuzzer *f);

/* The name of a kind. */
const char *fuzz_kind(unsigned int kind);

/* Does one of many calls of a kind succeed, on each machine? */
enum fuzz_success { FUZZ_UNSURE, FUZZ_ALWAYS, FUZZ_WITH_SESSIONS };
enum fuzz_success fuzz_success(unsigned int kind);

/* A number from the environment; the seed, from MEMLAT_SEED or the kernel. */
unsigned long fuzz_number(const char *name, unsigned long otherwise);
uint64_t fuzz_seed(void);

/* Seconds of a monotonic clock. */
double fuzz_seconds(void);

#endif
