/* SPDX-License-Identifier: GPL-2.0 */
/* The structure whose members threads fight over, and how to declare it so that they do not. */
#ifndef MEMLAT_ADVISE_LAYOUT_H
#define MEMLAT_ADVISE_LAYOUT_H

#include "c2c.h"

/* What lies where: a member; of variables that meet in a line, one of them. */
struct advise_member {
	const char *name;		/* NULL: it has none */
	__u64 size;
	__u64 before, after;		/* offsets in bytes; of a variable, in its line */
	double loads, stores;		/* samples, by their weight */
	unsigned int threads;		/* that use it */
};

/* All text is the namer's. */
struct advise_layout {
	const char *why;		/* why none is told; NULL: it is */
	const char *type;		/* "struct session"; NULL: variables */
	const char *file;		/* where it is declared */
	unsigned int line;
	const char *declaration;	/* as C or C++, whole */
	const char *excerpt;		/* without the members that nobody was seen to use */
	struct advise_member *members;	/* in the order of the declaration */
	size_t nr_members;
	__u64 bytes_before, bytes_after;	/* of one object; of variables, all of them */
	bool elements;			/* each object as it is gets lines of its own */
	bool allocated;			/* it is no variable: who allocates it has to align it */
};

/*
 * lines: of a set of 64 bytes, or of 128 where pairs are to be apart: which of these, alignment
 * says.
 */
void advise_layout_find(struct advise_layout *layout, struct namer *namer,
			const struct lineset *set, const struct lineset_line *const *lines,
			size_t nr, unsigned int alignment);

#endif
