/* SPDX-License-Identifier: GPL-2.0 */
/* memlat-ctl bus: outstanding reads, in figures and in words. */
#ifndef MEMLAT_VIEW_BUS_H
#define MEMLAT_VIEW_BUS_H

#include <stdio.h>

#include "../analysis/bus.h"
#include "report.h"

/* What is shown. */
struct bus_view {
	const struct snapshot *snap;	/* of a session that counted */
	/* the command of the session; NULL: it counted what ran already */
	const char *command;
	bool prefetch_off;		/* the prefetchers were off during the session */
	/* the same work with the prefetchers off; NULL: not measured */
	const struct snapshot *without;
};

void bus_print(FILE *out, const struct bus_view *view);
void bus_csv(FILE *out, const struct bus_view *view);
struct json_object *bus_json(const struct bus_view *view);

#define BUS_WORDS	400

/* The reading of the figures, as in Intel's manual: one or two sentences. */
char *bus_words(char text[BUS_WORDS], const struct bus *bus);

/* What changes with the prefetchers off. */
char *bus_words_without(char text[BUS_WORDS], const struct bus *bus, const struct bus *without);

#endif
