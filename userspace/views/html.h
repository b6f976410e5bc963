/* SPDX-License-Identifier: GPL-2.0 */
/* A profile as one HTML file, which loads nothing and runs no script. */
#ifndef MEMLAT_HTML_H
#define MEMLAT_HTML_H

#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "c2c.h"
#include "report.h"
#include "summary.h"

struct html_view {
	const struct profile *profile;
	struct namer *namer;
	const char *sources;	/* folders of source files, colon-separated; NULL: none */
};

void html_print(FILE *out, const struct html_view *view);

/* The parts of an HTML report, and what they are made from. */

struct html_page {
	const struct html_view *view;
	struct summary summary;
	struct c2c c2c;
	bool has_lines;		/* c2c is valid */
};

/* The contents of <style>. */
extern const char html_style[];

/* A part prints what goes below its heading. */
typedef void html_part(FILE *out, const struct html_page *page);

html_part html_answer, html_lines, html_time, html_latency, html_flame, html_code, html_nodes, html_quality;

/* "65 to 128": the range of latencies of a row. */
void html_range(FILE *out, const struct memlat_rec_buckets *buckets, unsigned int row);

/* "count_hit() (field_sharing.c:31)" */
void html_put_code(FILE *out, const struct code_name *code, __u64 ip);

/* The elements of an HTML report: escaped text, bars and tables. */

/*
 * Put any bytes as the text of an element, or of an attribute in double quotes, in any locale.
 * Control characters, characters that change the direction of writing, and bytes that are not UTF-8
 * become octal escapes.
 */
void html_text(FILE *out, const char *bytes);
/* Put at most so many characters of the text. */
void html_text_short(FILE *out, const char *bytes, size_t most);

__attribute__((format(printf, 2, 3)))
void html_say(FILE *out, const char *format, ...);

/* A share in percent for CSS: 0 to 100, two decimals. */
double html_percent(__u64 part, __u64 whole);

/* Put the report as a table with the columns of its text form. */
void html_table(FILE *out, const struct report *report);

/* "cycles", in thousands where they are many: "48,510" */
void html_count(FILE *out, __u64 number);

#endif
