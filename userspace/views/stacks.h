/* SPDX-License-Identifier: GPL-2.0 */
/* Recorded call chains, found by number, and printed frame by frame. */
#ifndef MEMLAT_STACKS_H
#define MEMLAT_STACKS_H

#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../profile/snapshot.h"
#include "../util/json.h"
#include "row.h"

struct stacks {
	struct namer *namer;
	const struct memlat_rec_stack **by_id;
	size_t nr;
};

/* The snapshot's rows must not move. */
void stacks_take(struct stacks *stacks, const struct snapshot *snap, struct namer *namer);
void stacks_free(struct stacks *stacks);
/* NULL: the chain was evicted. */
const struct memlat_rec_stack *stacks_find(const struct stacks *stacks, __u32 id);
/* The names of a frame's code. */
const struct code_name *stacks_code(const struct stacks *stacks,
				    const struct memlat_rec_stack *stack, unsigned int at);

/* The sums over accesses that have one chain; id 0: none. */
struct stack_use {
	struct sums sum;
	__u32 id;
};

/*
 * Add an access to its chain's row of a pivot. Afterwards, chains_end() sorts these rows by cost, and
 * returns how many there are but for the one without a chain, which comes last.
 */
void chains_add(struct pivot *chains, const struct memlat_rec_access *access);
struct stack_use *chains_end(struct pivot *chains, size_t *nr);

/* Print a line for each frame. */
void stacks_print_one(FILE *out, const struct stacks *stacks, __u32 id);
/* The chain's frames, and how many samples have it. */
struct json_object *stacks_json(const struct stacks *stacks, const struct stack_use *use);

/*
 * The call chains of all accesses that a view shows, the costliest first. With a selection
 * (analysis/selection.h) they are those of one function or variable.
 */

/*
 * Set the chains of the next view; profile NULL: none. of_lines: only accesses to lines that are in
 * the profile. show: at most so many chains, 0: all.
 */
void chains_set(const struct profile *profile, struct namer *namer, bool of_lines, size_t show);

void chains_print_all(FILE *out);
#define CHAINS_NONE	"\nNo call chains were recorded.\n" \
			"  memlat-ctl record --call-graph -- COMMAND      records them; so does start --call-graph\n"
/* Put the member "chains", if chains were asked for. */
void chains_put(struct json_object *document);

#endif
