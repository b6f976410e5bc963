/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a function that is followed: see operand_track.c and operand_step.c. */
#ifndef MEMLAT_OPERAND_FLOW_H
#define MEMLAT_OPERAND_FLOW_H

#include "operand_track.h"
#include "operand_value.h"

#define FLOW_SLOTS	40	/* places on the stack that are remembered */
#define FLOW_TABLES	64	/* places that may be jump tables */

struct slot {
	__s64 at;		/* from where the stack pointer was at the entry */
	struct value value;
};

struct state {
	bool reached;
	__u8 word;		/* bytes of an address, and of what is pushed */
	struct value reg[REG_NR];
	unsigned int nr_slots;
	struct slot slot[FLOW_SLOTS];	/* last, because only those in use are copied */
};

struct block {
	size_t first;		/* its first instruction; the next block's ends it */
	bool changed;
	struct state before;
};

struct flow {
	const struct tracking *in;
	struct facts facts;
	struct block *blocks;
	size_t nr_blocks;
	__u32 *block_of;	/* by instruction: one more than the block it begins; 0: none */
	__u64 table[FLOW_TABLES];
	unsigned int nr_tables;
	__s64 escaped;		/* from here up others may write to the stack: an address was taken */
	bool lost;		/* an indirect jump has unknown targets */
	bool again;
	struct tracked *answers;	/* NULL: not yet */
};

/* Apply an instruction to the state, and fill in its answer if flow->answers is set. */
void flow_step(struct flow *flow, size_t at, struct state *state);

/* NULL: nothing is remembered of that place. */
struct slot *flow_slot(const struct state *state, __s64 at);

#endif
