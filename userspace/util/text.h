/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers and foreign bytes as text. */
#ifndef MEMLAT_TEXT_H
#define MEMLAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/types.h>

#define TEXT_NUMBER_MAX	28	/* 18,446,744,073,709,551,615 and its end */
#define TEXT_RANGE_MAX	(2 * TEXT_NUMBER_MAX + 2)
#define TEXT_LIST_MAX	256	/* a list of up to 64 bits and its end */

/* "48,211": for people; all of these return buffer. */
char *text_count(char buffer[TEXT_NUMBER_MAX], __u64 number);
/* "12.3 s", "4 min 05 s", "3 h 07 min", "2 d 04 h" */
char *text_duration(char buffer[TEXT_NUMBER_MAX], __u64 nanoseconds);
/* "64.0 MiB" */
char *text_bytes(char buffer[TEXT_NUMBER_MAX], __u64 bytes);
/* "61.3%" of the whole; "-" when the whole is nothing. */
char *text_share(char buffer[TEXT_NUMBER_MAX], __u64 part, __u64 whole,
		 unsigned int decimals);
/* "1,009..2,003", or one number where both are the same */
char *text_range(char buffer[TEXT_RANGE_MAX], __u64 low, __u64 high);
/* "0.5%" from hundredths of a percent, with no more decimals than it has */
char *text_hundredths(char buffer[TEXT_NUMBER_MAX], __u64 hundredths);
/* "0,2-5" from a mask */
char *text_bits(char buffer[TEXT_LIST_MAX], __u64 mask);

/*
 * Bytes from outside, made fit to be shown: what the terminal can't print
 * or would obey becomes an octal escape (\033), and so does the backslash.
 * The result never overflows room; returns out.
 */
char *text_escape(char *out, size_t room, const char *bytes);

/* The same of a word that somebody typed, for a sentence: an empty one is "" there. */
const char *text_typed(char *out, size_t room, const char *word);

/* As long as it has to be: newly allocated; and printed. */
char *text_escaped(const char *bytes);
void text_put(FILE *out, const char *bytes);

/*
 * The same for JSON, whatever the locale: valid UTF-8 stays (the JSON writer
 * escapes control characters), other bytes become octal escapes.
 */
char *text_escape_utf8(char *out, size_t room, const char *bytes);

/* And for CSV, which a terminal may show: control characters too are escaped. */
char *text_escape_csv(char *out, size_t room, const char *bytes);

/* What a digit of a hexadecimal number, of those in lower case, stands for; -1: it is none. */
static inline int text_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Columns that text takes on the terminal. */
size_t text_width(const char *text);

/*
 * Text that is fit for the terminal, in at most so many columns: what is too much
 * goes from its end. Newly allocated.
 */
char *text_shorten(const char *text, size_t width);

#define TEXT_LINE_MAX	110	/* columns; longer lines of prose are hard to read */

/*
 * Word by word, as many as fit into so many columns; each line but the first begins with
 * indent. The text, which is fit for the terminal, is cut up. No line's end is printed.
 */
void text_fill(FILE *out, char *text, size_t width, const char *indent);

/*
 * Lines, those that are wider than that filled: what follows stands where the last gap of two or
 * more spaces ends. One without a gap is prose, and at most TEXT_LINE_MAX wide. The text, which
 * is fit for the terminal, is cut up.
 */
void text_fit(FILE *out, char *text, size_t width);

/*
 * A remark below a view, "(...)", in so many columns, and its line's end. format: its text is
 * fit for the terminal.
 */
__attribute__((format(printf, 3, 4)))
void text_remark(FILE *out, size_t width, const char *format, ...);

/*
 * Two names as one: "stats.{a,b}", "per_cpu[{0,1}].hits"; "a, b" where they have no
 * part of a path in common. Newly allocated.
 */
char *text_two_names(const char *a, const char *b);

/*
 * Figures as a line of as many columns, the highest as high as it gets: blocks, or without
 * utf8 signs of ASCII.
 */
void text_spark(FILE *out, const double *value, size_t nr, bool utf8);

/* The sign between facts in one line: a middle dot where it can be shown. */
const char *text_dot(void);

#endif
