// SPDX-License-Identifier: GPL-2.0
#include "prose.h"

#include <stdlib.h>

#include "../util/text.h"
#include "../util/xalloc.h"

void prose_begin(struct prose *prose)
{
	prose->out = xmemstream(&prose->text, &prose->size);
}

void prose_end(struct prose *prose, FILE *out, size_t width, const char *first,
	       const char *indent)
{
	xmemstream_end(prose->out);
	fputs(first, out);
	text_fill(out, prose->text, width < TEXT_LINE_MAX ? width : TEXT_LINE_MAX, indent);
	fputc('\n', out);
	free(prose->text);
}
