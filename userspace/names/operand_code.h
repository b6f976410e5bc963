/* SPDX-License-Identifier: GPL-2.0 */
/* Decode a function's machine code into what it does to registers, as far as types need it. */
#ifndef MEMLAT_OPERAND_CODE_H
#define MEMLAT_OPERAND_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Registers by DWARF's numbers of x86-64: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15. */
#define REG_RAX		0
#define REG_RBP		6
#define REG_RSP		7
#define REG_NR		16
#define REG_RIP		16
#define REG_OTHER	17	/* a register that holds no addresses */
#define REG_NONE	18

/* The registers, as bits, that a called function may change. */
#define REGS_OF_CALLS	0x0f37

enum step_kind {
	STEP_OTHER,		/* changes the registers in kills; no more is known */
	STEP_PADDING,		/* does nothing; compilers also put it between blocks */
	STEP_COPY,		/* dst = src */
	STEP_LOAD,		/* dst = memory */
	STEP_STORE,		/* memory = src */
	STEP_ADDRESS,		/* dst = the operand's address */
	STEP_ADD,		/* dst += number */
	STEP_ADD_REGISTER,	/* dst += src */
	STEP_NUMBER,		/* dst = number */
	STEP_MULTIPLE,		/* dst = some multiple of number */
	STEP_TIMES,		/* dst = src * number */
	STEP_SWAP,		/* swaps dst and src */
	STEP_SELECT,		/* dst = src, or dst stays as it is */
	STEP_SELECT_LOAD,	/* dst = memory, or dst stays as it is */
	STEP_PUSH,		/* pushes src; REG_NONE: something that is no register */
	STEP_POP,		/* pops dst */
	STEP_LEAVE,
	STEP_CALL,
	STEP_BRANCH,		/* jumps to target or goes on */
	STEP_JUMP,		/* jumps to target */
	STEP_AWAY,		/* jumps to an address in a register or in memory */
	STEP_END		/* returns, or never goes on */
};

struct step {
	__u64 at;
	__u64 target;		/* of a jump or call; 0: not in the instruction */
	__s64 number;
	__s64 disp;
	__u32 kills;		/* registers that the instruction changes, as bits */
	enum step_kind kind;
	__u8 size;		/* bytes of the instruction */
	__u8 dst, src;		/* registers; REG_NONE: none, or not known */
	__u8 word;		/* bytes of an address: 8, or 4 of i386 */
	bool wide;		/* all bytes of a register are written */
	bool memory;		/* it accesses memory by its only memory operand */
	bool reads, writes;	/* writes without memory: to a place that is not told */
	bool segment;		/* in another segment: thread-local or per-CPU data */
	__u8 base, index, scale;
	__u16 width;		/* bytes; 0: not known */
};

struct decoder;

/* For code whose addresses have so many bytes: 8, or 4 of i386. */
struct decoder *decoder_new(unsigned int word);
void decoder_free(struct decoder *decoder);
/*
 * The decoder's capstone handle, with details, for callers that look at instructions themselves; 0:
 * capstone is missing.
 */
size_t decoder_handle(struct decoder *decoder);

/* Decode code that begins at an address and append to *steps. Returns the bytes decoded. */
size_t decoder_run(struct decoder *decoder, const unsigned char *code, size_t bytes,
		   __u64 address, struct step **steps, size_t *nr, size_t *room);
/* Decode the first instruction only; false: it can't be decoded. */
bool decoder_one(struct decoder *decoder, const unsigned char *code, size_t bytes, __u64 address,
		 struct step *step);

#endif
