/* SPDX-License-Identifier: GPL-2.0 */
/* The elements of an HTML report: escaped text, bars and tables. */
#ifndef MEMLAT_HTML_PUT_H
#define MEMLAT_HTML_PUT_H

#include <stdio.h>

#include "report.h"

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
