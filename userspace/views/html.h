/* SPDX-License-Identifier: GPL-2.0 */
/* A profile as one HTML file, which loads nothing: the page of page/, and the JSON that it draws. */
#ifndef MEMLAT_HTML_H
#define MEMLAT_HTML_H

#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"

struct html_view {
	const struct profile *profile;
	struct namer *namer;
	const char *sources;	/* folders of source files, colon-separated; NULL: none */
};

void html_print(FILE *out, const struct html_view *view);

#endif
