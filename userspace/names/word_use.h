/* SPDX-License-Identifier: GPL-2.0 */
/* What an instruction does to the word of memory that it accesses, as programs use shared words. */
#ifndef MEMLAT_WORD_USE_H
#define MEMLAT_WORD_USE_H

#include <stddef.h>

#include <linux/types.h>

struct decoder;
struct namer;

enum word_use {
	WORD_UNKNOWN,		/* the code is not to be had, or it does something else */
	WORD_LOAD,
	WORD_STORE,
	WORD_ADD,		/* adds or subtracts, and nobody looks at what comes of it */
	WORD_FETCH_ADD,		/* adds, and has what was there before */
	WORD_DROP,		/* subtracts, and then asks whether it is nothing now */
	WORD_EXCHANGE,		/* swaps, or sets a bit and has what it was */
	WORD_COMPARE,		/* stores if it is what is expected */
	WORD_USES
};

/* Of the first of these instructions; those behind it tell what becomes of the result. */
enum word_use word_use_of(struct decoder *decoder, const unsigned char *code, size_t bytes);

/* The same of an instruction of a process. */
enum word_use namer_word_use(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

#endif
