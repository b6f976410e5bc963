/* SPDX-License-Identifier: GPL-2.0 */
/* What DWARF says of a function's registers and stack, instruction by instruction. */
#ifndef MEMLAT_OPERAND_VARS_H
#define MEMLAT_OPERAND_VARS_H

#include <stdbool.h>
#include <stddef.h>

#include "operand_code.h"
#include "operand_type.h"

/* A register that points to an object of a type, offset bytes into it. */
struct fact {
	__u64 start, end;	/* of the instructions that it holds for */
	__s64 offset;
	__u32 type;		/* 0: one of several types, not known which */
	__u8 reg;
};

/* The facts at each of a function's instructions. */
struct facts {
	size_t *first;		/* by instruction: index of its first row; the next entry ends them */
	const struct fact **rows;
};

#define FRAME_CFA	0xff	/* no register, but the stack pointer before the call (CFA) */

/* A variable on the stack. */
struct on_stack {
	__u64 start, end;
	__s64 at;		/* from base */
	__u8 base;		/* a register, or FRAME_CFA */
	Dwarf_Die type;
	__u64 size;
};

struct called {
	__u64 after;		/* return address */
	__u32 type;		/* what the returned pointer points to; 0: not known */
	bool ends;		/* it does not return */
};

struct function_vars {
	struct fact *facts;
	size_t nr_facts, room_facts;
	struct on_stack *stack;
	size_t nr_stack, room_stack;
	struct called *calls;	/* by after */
	size_t nr_calls, room_calls;
	bool labels;		/* it has labels, whose address code may have taken */
	bool exceptions;	/* its language has exceptions */
	bool all_by_calls;	/* its language lets a call change every register */
	bool too_many;
};

/* i386: DWARF numbers the registers otherwise. */
void function_vars_read(struct function_vars *vars, struct operand_types *types,
			Dwarf_Die *function, bool i386);
void function_vars_free(struct function_vars *vars);

/* Find the facts at each of a function's sorted instructions; none if there are too many. */
void facts_spread(struct facts *facts, const struct function_vars *vars,
		  const struct step *steps, size_t nr);
void facts_free(struct facts *facts);

/* What a register holds at an instruction; false if DWARF does not say. */
bool facts_of(const struct facts *facts, const struct operand_types *types, size_t at, __u8 reg,
	      struct fact *told);

/*
 * Choose, of several variables in the base register, the one whose type fits the width and the
 * displacement of an access. @steps_of: an index adds a multiple of this; 0: no index.
 */
bool facts_fit(const struct facts *facts, struct operand_types *types, size_t at,
	       const struct step *step, __u64 steps_of, struct fact *told);

/* The call that returns to @after; NULL: DWARF says nothing of it. */
const struct called *function_call(const struct function_vars *vars, __u64 after);

#endif
