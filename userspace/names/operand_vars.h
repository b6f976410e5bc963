/* SPDX-License-Identifier: GPL-2.0 */
/* What DWARF tells of a function's registers and stack, instruction by instruction. */
#ifndef MEMLAT_OPERAND_VARS_H
#define MEMLAT_OPERAND_VARS_H

#include <stdbool.h>
#include <stddef.h>

#include "operand_code.h"
#include "operand_type.h"

/* A register that leads to an object of a type, offset bytes into it. */
struct fact {
	__u64 start, end;	/* of the instructions that it holds for */
	__s64 offset;
	__u32 type;		/* 0: it leads to one of several, and nobody knows which */
	__u8 reg;
};

/* The facts at each of a function's instructions. */
struct facts {
	size_t *first;		/* by instruction: where its own begin; the next one's end them */
	const struct fact **rows;
};

#define FRAME_CFA	0xff	/* no register: from where the stack pointer was at the call */

/* A variable on the stack. */
struct on_stack {
	__u64 start, end;
	__s64 at;		/* from base */
	__u8 base;		/* a register, or FRAME_CFA */
	Dwarf_Die type;
	__u64 size;
};

struct called {
	__u64 after;		/* where it returns to */
	__u32 type;		/* what the pointer that it returns leads to; 0: not known */
	bool ends;		/* it does not return */
};

struct function_vars {
	struct fact *facts;
	size_t nr_facts, room_facts;
	struct on_stack *stack;
	size_t nr_stack, room_stack;
	struct called *calls;	/* by after */
	size_t nr_calls, room_calls;
	bool labels;		/* of which code may have taken the address */
	bool exceptions;	/* its language has them */
	bool all_by_calls;	/* its language lets a call change every register */
	bool too_many;
};

void function_vars_read(struct function_vars *vars, struct operand_types *types,
			Dwarf_Die *function);
void function_vars_free(struct function_vars *vars);

/* Of the instructions of a function, sorted; none where there are too many. */
void facts_spread(struct facts *facts, const struct function_vars *vars,
		  const struct step *steps, size_t nr);
void facts_free(struct facts *facts);

/* What a register holds at an instruction; false: nothing is told. */
bool facts_of(const struct facts *facts, const struct operand_types *types, size_t at, __u8 reg,
	      struct fact *told);

/*
 * Of several variables in the base register that one which an access is to: its width and
 * displacement fit the type. steps_of: what an index adds a multiple of; 0: there is none.
 */
bool facts_fit(const struct facts *facts, struct operand_types *types, size_t at,
	       const struct step *step, __u64 steps_of, struct fact *told);

/* NULL: nothing is told of the call that returns there. */
const struct called *function_call(const struct function_vars *vars, __u64 after);

#endif
