/* SPDX-License-Identifier: GPL-2.0 */
/* A function's machine code as what it does to its registers, as far as types go. */
#ifndef MEMLAT_OPERAND_CODE_H
#define MEMLAT_OPERAND_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Registers by DWARF's numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15. */
#define REG_RAX		0
#define REG_RBP		6
#define REG_RSP		7
#define REG_NR		16
#define REG_RIP		16
#define REG_OTHER	17	/* one that holds no addresses */
#define REG_NONE	18

/* Those that a call need not keep, as bits. */
#define REGS_OF_CALLS	0x0f37

enum step_kind {
	STEP_OTHER,		/* nothing but what it kills */
	STEP_PADDING,		/* nothing: compilers put it between blocks, too */
	STEP_COPY,		/* dst = src */
	STEP_LOAD,		/* dst = memory */
	STEP_STORE,		/* memory = src */
	STEP_ADDRESS,		/* dst = the operand's address */
	STEP_ADD,		/* dst += number */
	STEP_ADD_REGISTER,	/* dst += src */
	STEP_NUMBER,		/* dst = number */
	STEP_MULTIPLE,		/* dst = some multiple of number */
	STEP_TIMES,		/* dst = src * number */
	STEP_SWAP,		/* of dst and src */
	STEP_SELECT,		/* dst = src, or stays */
	STEP_SELECT_LOAD,	/* dst = memory, or stays */
	STEP_PUSH,		/* src, REG_NONE: something else */
	STEP_POP,		/* dst */
	STEP_LEAVE,
	STEP_CALL,
	STEP_BRANCH,		/* to target, or on */
	STEP_JUMP,		/* to target */
	STEP_AWAY,		/* to what a register or memory says */
	STEP_END		/* returns, or never goes on */
};

struct step {
	__u64 at;
	__u64 target;		/* of a jump or call; 0: not told by the instruction */
	__s64 number;
	__s64 disp;
	__u32 kills;		/* registers that are something else afterwards, as bits */
	enum step_kind kind;
	__u8 size;		/* bytes of the instruction */
	__u8 dst, src;		/* registers; REG_NONE: none that is known */
	bool wide;		/* all eight bytes of a register are written */
	bool memory;		/* it accesses what its one memory operand says */
	bool reads, writes;
	bool segment;		/* of another segment: thread-local, per CPU */
	__u8 base, index, scale;
	__u16 width;		/* bytes; 0: not known */
};

struct decoder;

struct decoder *decoder_new(void);
void decoder_free(struct decoder *decoder);
/* Capstone's, with details, for who looks at instructions for something else. */
size_t decoder_handle(struct decoder *decoder);

/*
 * Decode bytes of code that begin at an address, adding to *steps: how many bytes were
 * understood.
 */
size_t decoder_run(struct decoder *decoder, const unsigned char *code, size_t bytes,
		   __u64 address, struct step **steps, size_t *nr, size_t *room);
/* The first of them alone; false: it is not understood. */
bool decoder_one(struct decoder *decoder, const unsigned char *code, size_t bytes, __u64 address,
		 struct step *step);

#endif
