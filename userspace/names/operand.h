/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory operand of an instruction: how wide it is, and which type's which member it
 * accesses, by what DWARF tells of the registers there and by following values through the
 * function. Nothing is guessed: what is not certain is not told.
 */
#ifndef MEMLAT_OPERAND_H
#define MEMLAT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdw.h>
#include <linux/types.h>

struct elf_file;
struct elf_files;
struct namer;
struct type_shape;

/* A type of objects. Two of one number in a file are one type. */
struct operand_type {
	Dwarf_Die die;		/* with a layout: behind typedefs and qualifiers */
	struct type_shape *shape;
	__u64 identity;		/* the same in whatever unit or file it is */
	__u64 size;
	__u32 align;
	bool compound;		/* made of members */
};

enum operand_how {
	OPERAND_UNKNOWN,
	OPERAND_LOCATION,	/* DWARF says what the register holds here */
	OPERAND_TRACKED,	/* followed from where DWARF says it */
	OPERAND_ARGUMENT	/* followed from the function's arguments, by their types alone */
};

/* Where in an object the access is. */
enum operand_place {
	PLACE_EXACT,		/* at this offset of the object, or of one of an array of such */
	PLACE_WITHIN		/* in an array that is a member: offset is that of its first element */
};

#define OPERAND_NONE	(-1)	/* no register */

struct operand {
	__u64 address;		/* of the instruction, in its file */
	unsigned int width;	/* bytes; 0: none, or not known */
	bool reads, writes;	/* that memory */
	__s8 base, index;	/* by DWARF's numbers */
	__s64 disp;
	const struct operand_type *type;	/* NULL: not known */
	__s64 offset;		/* in an object of that type */
	bool member;		/* one member holds all bytes */
	enum operand_place place;
	enum operand_how how;	/* the type is known */
};

/* Of the instruction at an address of a file; NULL: it has no memory operand, or is not known. */
const struct operand *operand_at(struct elf_files *files, struct elf_file *file,
				 __u64 address);
/* The same of the instruction that ends at an address. */
const struct operand *operand_before(struct elf_files *files, struct elf_file *file,
				     __u64 address);
void operands_free(struct elf_file *file);

/*
 * The same of an instruction of a process, as the profile names it: where records hold the
 * instruction after the access, that before it.
 */
const struct operand *namer_operand(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

#endif
