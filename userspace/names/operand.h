/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory operand of an instruction: its width, and which member of which type it accesses.
 * DWARF gives the types in registers, and values are followed from there through the function.
 * Nothing is guessed: an uncertain type is unknown.
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

/* A type of objects. In one file, equal numbers mean the same type. */
struct operand_type {
	Dwarf_Die die;		/* the type with a layout, behind typedefs and qualifiers */
	struct type_shape *shape;
	__u64 identity;		/* equal for this type in every unit and file */
	__u64 size;
	__u32 align;
	bool compound;		/* made of members */
};

enum operand_how {
	OPERAND_UNKNOWN,
	OPERAND_LOCATION,	/* DWARF says what the register holds here */
	OPERAND_TRACKED,	/* followed from an instruction where DWARF says it */
	OPERAND_ARGUMENT	/* followed from the function's arguments, by their types alone */
};

/* Where in an object the access is. */
enum operand_place {
	PLACE_EXACT,		/* at this offset of the object, or of an element of an array */
	PLACE_WITHIN		/* in a member that is an array: offset of its first element */
};

#define OPERAND_NONE	(-1)	/* no register */

/* Few bytes, because there may be millions. */
struct operand {
	__u64 address;		/* of the instruction, in its file */
	const struct operand_type *type;	/* NULL: not known */
	__s64 offset;		/* in an object of that type */
	__u16 width;		/* bytes; 0: none, or not known */
	__u8 size;		/* of the instruction, in bytes */
	__s8 base;		/* by DWARF's number */
	bool reads : 1, writes : 1;	/* that memory */
	bool member : 1;	/* one member holds all bytes */
	enum operand_place place : 2;
	enum operand_how how : 3;	/* the type is known */
};

/* Operand of the instruction at an address of a file; NULL: none in memory, or not known. */
const struct operand *operand_at(struct elf_files *files, struct elf_file *file,
				 __u64 address);
/* Operand of the instruction that ends at an address. */
const struct operand *operand_before(struct elf_files *files, struct elf_file *file,
				     __u64 address);
void operands_free(struct elf_file *file);

/*
 * Operand of an instruction of a process. If the CPU's records hold the instruction after the
 * access, this is the operand of the one before @ip.
 */
const struct operand *namer_operand(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

/* Classify what an instruction does to a word of memory, by what programs do to shared words. */

struct decoder;
struct namer;

enum operand_use {
	WORD_UNKNOWN,		/* the code can't be read, or it does something else */
	WORD_LOAD,
	WORD_STORE,
	WORD_ADD,		/* adds or subtracts; the program does not look at the result */
	WORD_FETCH_ADD,		/* adds, and returns the value before */
	WORD_DROP,		/* subtracts, and the program then checks for 0 */
	WORD_EXCHANGE,		/* swaps, or sets a bit, and returns the value before */
	WORD_COMPARE,		/* stores if the word has the expected value */
	WORD_USES
};

/* Classify the first of these instructions. Those behind it show what becomes of the result. */
enum operand_use operand_use_of(struct decoder *decoder, const unsigned char *code, size_t bytes);

/* Classify an instruction of a process. */
enum operand_use namer_operand_use(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

#endif
