/* SPDX-License-Identifier: GPL-2.0 */
/* memlat-ctl bus: reads under way, in figures and in words. */
#ifndef MEMLAT_VIEW_BUS_H
#define MEMLAT_VIEW_BUS_H

#include <stdio.h>

#include "../analysis/bus.h"
#include "report.h"

/* What is shown. */
struct bus_view {
	const struct snapshot *snap;	/* of a session that counted */
	const char *command;		/* that was run for it; NULL: what ran already */
	bool prefetch_off;		/* the prefetchers were, meanwhile */
	const struct snapshot *without;	/* the same again with the prefetchers off, or NULL */
};

void bus_print(FILE *out, const struct bus_view *view);
void bus_csv(FILE *out, const struct bus_view *view);
struct json_object *bus_json(const struct bus_view *view);

#define BUS_WORDS	400

/* The manual's reading: one sentence or two. */
char *bus_words(char text[BUS_WORDS], const struct bus *bus);

/* What it comes to with the prefetchers off, beside that. */
char *bus_words_without(char text[BUS_WORDS], const struct bus *bus, const struct bus *without);

#endif
