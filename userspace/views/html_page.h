/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of an HTML report, and what they are made from. */
#ifndef MEMLAT_HTML_PAGE_H
#define MEMLAT_HTML_PAGE_H

#include "c2c.h"
#include "html.h"
#include "summary_find.h"

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

#endif
