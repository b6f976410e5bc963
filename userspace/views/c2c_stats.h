/* SPDX-License-Identifier: GPL-2.0 */
/* The first three tables of c2c: figures of all samples, and of the shared lines. */
#ifndef MEMLAT_C2C_STATS_H
#define MEMLAT_C2C_STATS_H

#include "c2c.h"

/* A line of one of these tables. */
struct c2c_fact {
	const char *key;	/* in JSON and CSV */
	const char *title;	/* perf's words, or memlat's for a figure that perf does not have */
	struct cell value;
};

#define C2C_FACTS_MAX	48

/* Fill in the facts. Returns how many there are. */
size_t c2c_trace_facts(const struct c2c *c2c, struct c2c_fact facts[C2C_FACTS_MAX]);
size_t c2c_shared_facts(const struct c2c *c2c, struct c2c_fact facts[C2C_FACTS_MAX]);

void c2c_stats_print(FILE *out, const struct c2c *c2c);
/* Facts as rows, for CSV. */
struct report c2c_facts_report(const char *key, const struct c2c_fact *facts, size_t nr);
void c2c_stats_put(struct json_object *document, const struct c2c *c2c);

/* Print a heading in perf's form. */
void c2c_heading(FILE *out, const char *title);

#endif
