/* SPDX-License-Identifier: GPL-2.0 */
/* What a word is that several threads store to, by the instructions that do: true sharing. */
#ifndef MEMLAT_ADVISE_WORD_H
#define MEMLAT_ADVISE_WORD_H

#include "c2c.h"

enum advise_word {
	ADVISE_WORD_UNKNOWN,	/* nothing is said */
	ADVISE_WORD_COUNTER,	/* threads add to it, and go on without its value */
	ADVISE_WORD_TICKET,	/* threads add to it and use what it was */
	ADVISE_WORD_REFERENCES,	/* taken in one place, dropped in another with a question */
	ADVISE_WORD_LOCK,	/* by its name or that of the code */
	ADVISE_WORD_SWAPPED,	/* compared and swapped, or exchanged */
	ADVISE_WORD_FLAG,	/* plain stores of one thread or more, plain loads of others */
	ADVISE_WORDS
};

struct advise_word_use {
	enum advise_word kind;
	unsigned int byte;	/* in the line: where the word begins */
	__u32 tid;		/* of an access to it */
	__u64 ip;		/* of the instruction that stores most often; */
	__u32 space, gen;	/* of a process */
	double part;		/* of all stores to the word that are as its kind has them */
};

/* Of a line that is fought over for the same bytes. */
void advise_word_find(struct advise_word_use *use, const struct c2c *c2c,
		      const struct lineset_line *line, const struct verdict_line *verdict);

/* "counter": for JSON */
const char *advise_word_key(enum advise_word kind);
/* What it is, and what to do. kernel: it is the kernel's */
const char *advise_word_text(enum advise_word kind, bool kernel);

#endif
