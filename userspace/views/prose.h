/* SPDX-License-Identifier: GPL-2.0 */
/* A paragraph that is composed in memory, and then printed wrapped to the terminal's width. */
#ifndef MEMLAT_PROSE_H
#define MEMLAT_PROSE_H

#include <stdio.h>

struct prose {
	FILE *out;	/* write the paragraph's text to this */
	char *text;
	size_t size;
};

void prose_begin(struct prose *prose);
/* first: the beginning of the first line. The other lines begin with indent, which is as wide. */
void prose_end(struct prose *prose, FILE *out, size_t width, const char *first,
	       const char *indent);

#endif
