/* SPDX-License-Identifier: GPL-2.0 */
/* Functions instruction by instruction, with the source lines between. */
#ifndef MEMLAT_ANNOTATE_H
#define MEMLAT_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../names/namer.h"
#include "../names/source_text.h"
#include "../profile/profile.h"
#include "disasm.h"
#include "report.h"

/* What the samples of some instructions add up to. */
struct annotate_sum {
	__u64 loads, stores, hitm;	/* samples; of loads those that were HITM */
	__u64 latency;			/* cycles of loads */
	__u64 cost;			/* that loads waited, as estimated */
};

/* An instruction, or a line of source before those that were made of it. */
struct annotate_row {
	const struct disasm_line *code;	/* NULL: it is a line of source */
	__u64 offset;			/* of the instruction in its function */
	const char *file;		/* as debug information has it */
	unsigned int line;
	const char *source;		/* its text; NULL: it is not to be had */
	struct annotate_sum sum;	/* of the instruction */
};

/* A function of one file, in whatever processes it was sampled. */
struct annotate_function {
	const struct memlat_rec_site *site;	/* the costliest instruction of it */
	const struct code_name *name;		/* of that */
	__u64 start;			/* as the file's own symbols count it */
	__u64 address;			/* the same in that site's process */
	__u64 size;			/* 0: not known */
	struct annotate_sum sum;
	__u64 most;			/* the highest cost of an instruction */
	__u64 unplaced;			/* cost at addresses where no instruction begins */
	size_t first, nr_sites;		/* annotate.sites */
	struct disasm_line *code;	/* NULL: not to be had, or not asked for yet */
	size_t nr_code;
	struct annotate_row *rows;
	size_t nr_rows;
};

struct annotate_site;

struct annotate {
	const struct profile *profile;
	struct namer *namer;
	struct source_texts *texts;
	struct disasm *disasm;
	bool after;			/* records hold the address after the instruction */
	__u64 whole;			/* cost of everything */
	struct annotate_site *sites;
	size_t nr_sites;
	struct annotate_function *functions;	/* the most costly first */
	size_t nr_functions;
};

/*
 * All functions that were sampled and have such a name, which may have * and ?; NULL: all, of
 * the most costly instructions so many (0: all). sources: folders for source_texts_new().
 */
void annotate_begin(struct annotate *annotate, const struct profile *profile,
		    struct namer *namer, const char *name, size_t most, const char *sources);
void annotate_end(struct annotate *annotate);

/* Decode one of them, and fill in its rows. */
void annotate_decode(struct annotate *annotate, struct annotate_function *function);

#endif
