/* SPDX-License-Identifier: GPL-2.0 */
/* The structure whose members threads fight over, and a declaration that separates them. */
#ifndef MEMLAT_ADVISE_LAYOUT_H
#define MEMLAT_ADVISE_LAYOUT_H

#include "c2c.h"

/* A member and its place; if variables share a line, one of the variables. */
struct advise_member {
	const char *name;		/* NULL: it has no name */
	__u64 size;
	__u64 before, after;		/* offsets in bytes; of a variable, within its line */
	double loads, stores;		/* weighted samples */
	unsigned int threads;		/* that use it */
};

/* All text belongs to the namer. */
struct advise_layout {
	const char *why;		/* why there is no layout; NULL: there is one */
	const char *type;		/* "struct session"; NULL: variables */
	const char *file;		/* where it is declared */
	unsigned int line;
	const char *declaration;	/* the whole declaration in C or C++ */
	const char *excerpt;		/* without the members that were not seen in use */
	struct advise_member *members;	/* in the order of the declaration */
	size_t nr_members;
	__u64 bytes_before, bytes_after;	/* of one object, or of all variables */
	bool elements;			/* each object, unchanged, gets lines of its own */
	bool allocated;			/* not a variable: its allocation has to be aligned */
};

/*
 * Find a layout for a set of lines: of 64 bytes, or of 128 if pairs are to be separated, as
 * alignment says.
 */
void advise_layout_find(struct advise_layout *layout, struct namer *namer,
			const struct lineset *set, const struct lineset_line *const *lines,
			size_t nr, unsigned int alignment);

#endif
