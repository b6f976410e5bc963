/* SPDX-License-Identifier: GPL-2.0 */
/* Following pointers through a function's code. */
#ifndef MEMLAT_OPERAND_TRACK_H
#define MEMLAT_OPERAND_TRACK_H

#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"
#include "operand_code.h"
#include "operand_type.h"
#include "operand_value.h"
#include "operand_vars.h"

/* A function, whose instructions are sorted by address. */
struct tracking {
	struct elf_files *files;
	struct elf_file *file;
	struct operand_types *types;
	const struct function_vars *vars;
	const struct step *steps;
	size_t nr;
	__u64 entry;
	/* For code without DWARF: the types that the arguments point to, by register; 0: unknown */
	const __u32 *arguments;
	/*
	 * For the kernel: the type of the per-CPU variable at an offset from the CPU's base; 0: not
	 * known. NULL: segments are not understood.
	 */
	__u32 (*percpu)(const struct tracking *tracking, __u64 address, __s64 *offset);
	void *context;		/* for that */
};

/* What an instruction's memory operand points to. */
struct tracked {
	__u32 type;		/* 0: not known */
	__s64 offset;
	bool member;
	enum operand_place place;
	enum operand_how how;
};

/* The operand of an instruction for which this was found. */
struct operand tracked_operand(const struct operand_types *types, const struct step *step,
			       const struct tracked *tracked);

/* Find all operands of the function. @answers has a zeroed entry for each instruction. */
void track_function(const struct tracking *tracking, struct tracked *answers);

/* The state of a function that is followed: see operand_track.c and operand_step.c. */

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
