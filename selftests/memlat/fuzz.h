/* SPDX-License-Identifier: GPL-2.0 */
/* Random calls of /dev/memlat and what they may answer. */
#ifndef MEMLAT_TEST_FUZZ_H
#define MEMLAT_TEST_FUZZ_H

#include <linux/memlat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* xorshift64*: the same seed, the same calls. */
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

/* How many kinds of calls there are. */
#define FUZZ_KINDS	15

/* Who calls. Its own file, and one that all share. */
struct fuzzer {
	uint64_t random;
	int own, shared;
	bool gentle;		/* nothing that starts, stops or empties the session */
	bool idle;		/* nothing that starts one */
	struct memlat_query query;
	char *guard;		/* the end of memory: a page without access */
	char *read_room;
	char wrong[160];	/* the first answer that must not be, as a text */
	unsigned long calls[FUZZ_KINDS];	/* of each kind */
	double seconds[FUZZ_KINDS];		/* that they took */
};

/* Make ready: memory and a file of its own. False, with wrong set, if that fails. */
bool fuzz_open(struct fuzzer *f, uint64_t seed, int shared);

/* One call, or a few that belong together. False, with wrong set: a wrong answer. */
bool fuzz_call(struct fuzzer *f);

/* What a kind is called. */
const char *fuzz_kind(unsigned int kind);

/* A number of the environment's; what chance is fed with, MEMLAT_SEED or the kernel's. */
unsigned long fuzz_number(const char *name, unsigned long otherwise);
uint64_t fuzz_seed(void);

/* Of a clock that nobody sets. */
double fuzz_seconds(void);

#endif
