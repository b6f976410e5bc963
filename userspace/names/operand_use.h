/* SPDX-License-Identifier: GPL-2.0 */
/* Classify what an instruction does to a word of memory, by what programs do to shared words. */
#ifndef MEMLAT_OPERAND_USE_H
#define MEMLAT_OPERAND_USE_H

#include <stddef.h>

#include <linux/types.h>

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
