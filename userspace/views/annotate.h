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
#include "row.h"

/* An instruction, or a source line before its instructions. */
struct annotate_row {
	const struct disasm_line *code;	/* NULL: the row is a source line */
	__u64 offset;			/* of the instruction in its function */
	const char *file;		/* as in debug information */
	unsigned int line;
	const char *source;		/* text of the line; NULL: not available */
	struct sums sum;	/* of the instruction */
};

/* A function of one file, in all processes in which it was sampled. */
struct annotate_function {
	const struct memlat_rec_site *site;	/* its costliest instruction */
	const struct code_name *name;		/* of that instruction */
	__u64 address;			/* in that instruction's process */
	__u64 size;			/* 0: not known */
	struct sums sum;
	__u64 most;			/* the highest cost of an instruction */
	__u64 unplaced;			/* cost at addresses that do not begin an instruction */
	size_t first, nr_sites;		/* range in annotate.sites */
	struct disasm_line *code;	/* NULL: not available, or not decoded yet */
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
	struct row_whole whole;		/* all samples */
	struct annotate_site *sites;
	size_t nr_sites;
	struct annotate_function *functions;	/* the most costly first */
	size_t nr_functions;
};

/*
 * Collect all sampled functions that match the name, which may contain * and ?; NULL: all of them.
 * sources: folders for source_texts_new().
 */
void annotate_begin(struct annotate *annotate, const struct profile *profile,
		    struct namer *namer, const char *name, const char *sources);
void annotate_end(struct annotate *annotate);

/* Decode a function, and fill in its rows. */
void annotate_decode(struct annotate *annotate, struct annotate_function *function);

/* The costliest functions, this many at most; 0: all. */
void annotate_print(FILE *out, struct annotate *annotate, size_t show, size_t width);
void annotate_csv(FILE *out, struct annotate *annotate, size_t show);
struct json_object *annotate_json(struct annotate *annotate, size_t show);

#endif
