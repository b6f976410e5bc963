/* SPDX-License-Identifier: GPL-2.0 */
/* What all parts of a report in HTML are made of: escaped text, bars and tables. */
#ifndef MEMLAT_HTML_PUT_H
#define MEMLAT_HTML_PUT_H

#include <stdio.h>

#include "report.h"

/*
 * Any bytes as text of an element or of an attribute in double quotes, whatever the locale.
 * Octal escapes take the place of control characters, of signs that turn the direction of writing,
 * and of bytes that are not UTF-8.
 */
void html_text(FILE *out, const char *bytes);
/* At most so many characters of the text. */
void html_text_short(FILE *out, const char *bytes, size_t most);

__attribute__((format(printf, 2, 3)))
void html_say(FILE *out, const char *format, ...);

/* A part of a whole in percent as CSS has it: 0 to 100, two decimals. */
double html_percent(__u64 part, __u64 whole);

/* The report as a table, with the columns that its text form has. */
void html_table(FILE *out, const struct report *report);

/* "cycles", in thousands where they are many: "48,510" */
void html_count(FILE *out, __u64 number);

#endif
