/* SPDX-License-Identifier: GPL-2.0 */
/* A paragraph that is made in memory, and printed word by word as wide as the terminal is. */
#ifndef MEMLAT_PROSE_H
#define MEMLAT_PROSE_H

#include <stdio.h>

struct prose {
	FILE *out;	/* what is written to it is in the paragraph */
	char *text;
	size_t size;
};

void prose_begin(struct prose *prose);
/* first: what the first line begins with; the others begin with indent, which is as wide. */
void prose_end(struct prose *prose, FILE *out, size_t width, const char *first,
	       const char *indent);

#endif
