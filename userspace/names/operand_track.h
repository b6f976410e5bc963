/* SPDX-License-Identifier: GPL-2.0 */
/* Following pointers through a function's code. */
#ifndef MEMLAT_OPERAND_TRACK_H
#define MEMLAT_OPERAND_TRACK_H

#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"
#include "operand_code.h"
#include "operand_type.h"
#include "operand_vars.h"

/* What is known about the value of a register. */

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_NUMBER,		/* no address */
	VALUE_POINTER,		/* into an object of a type */
	VALUE_STACK		/* a stack address, relative to the stack pointer at the entry */
};

/*
 * The number or offset is exactly this one (step 0), or this one plus any multiple of step. So a
 * walk through an array differs from an access to anywhere.
 */
struct value {
	enum value_kind kind;
	__u32 type;
	__s64 offset;
	__u64 step;
};

static inline struct value value_number(__s64 number)
{
	return (struct value){ .kind = VALUE_NUMBER, .offset = number };
}

static inline struct value value_pointer(__u32 type, __s64 offset)
{
	return (struct value){ .kind = VALUE_POINTER, .type = type, .offset = offset };
}

/* The distance from one offset to another. It wraps as registers do: any value may occur. */
static inline __s64 value_apart(__s64 from, __s64 to)
{
	return (__s64)((__u64)to - (__u64)from);
}

bool value_same(const struct value *a, const struct value *b);
struct value value_add(struct value a, struct value b);
struct value value_times(struct value value, __s64 by);

/* What holds for both values, whichever of two paths was taken. */
struct value value_meet(const struct operand_types *types, struct value a, struct value b);

/* Does it point to that type, and can it have this offset? */
bool value_includes(const struct value *value, __u32 type, __s64 offset);

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
