/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find what a word that several threads store to is used for, by the instructions that store to it:
 * true sharing.
 */
#ifndef MEMLAT_ADVISE_WORD_H
#define MEMLAT_ADVISE_WORD_H

#include "c2c.h"

enum advise_word {
	ADVISE_WORD_UNKNOWN,	/* no statement */
	ADVISE_WORD_COUNTER,	/* threads add to it and do not use its value */
	ADVISE_WORD_TICKET,	/* threads add to it and use the former value */
	ADVISE_WORD_REFERENCES,	/* taken in one function, dropped in another with a test */
	ADVISE_WORD_LOCK,	/* by the name of the variable or the code */
	ADVISE_WORD_SWAPPED,	/* changed by compare-and-swap or exchange */
	ADVISE_WORD_FLAG,	/* plain stores by one thread or more, plain loads by others */
	ADVISE_WORDS
};

struct advise_word_use {
	enum advise_word kind;
	unsigned int byte;	/* offset in the line at which the word begins */
	__u32 tid;		/* tid of a thread that accesses it */
	__u64 ip;		/* of the instruction that stores most often; */
	__u32 space, gen;	/* of a process of that thread */
	double part;		/* share of the word's stores that fit the kind */
};

/* Examine a line whose threads fight over the same bytes. */
void advise_word_find(struct advise_word_use *use, const struct c2c *c2c,
		      const struct lineset_line *line, const struct verdict_line *verdict);

/* "counter": for JSON */
const char *advise_word_key(enum advise_word kind);
/* What the word is, and what to do. kernel: it is in the kernel. */
const char *advise_word_text(enum advise_word kind, bool kernel);

#endif
