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

#endif
