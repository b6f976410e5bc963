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
 * Escape foreign bytes for the terminal: what it cannot print or would obey becomes an octal escape
 * (\033), and so does the backslash. The result never exceeds room; returns out.
 */
char *text_escape(char *out, size_t room, const char *bytes);

/* As text_escape(), for a word that somebody typed, in a sentence: an empty word becomes "". */
const char *text_typed(char *out, size_t room, const char *word);

/* The escaped bytes, newly allocated; and printed. */
char *text_escaped(const char *bytes);
void text_put(FILE *out, const char *bytes);
/* Print a formatted text with foreign bytes in it, all of it escaped: it cannot have a newline. */
__attribute__((format(printf, 2, 3)))
void text_say(FILE *out, const char *format, ...);

/*
 * A word as a shell reads it, for a command that people copy: quoted if necessary. What the
 * terminal cannot print becomes an octal escape in $'...'. Newly allocated.
 */
char *text_word(const char *bytes);

/*
 * As text_escape(), for JSON in any locale: valid UTF-8 stays (the JSON writer escapes control
 * characters), other bytes become octal escapes.
 */
char *text_escape_utf8(char *out, size_t room, const char *bytes);

/*
 * As text_escape(), for CSV, which may be shown on a terminal: control characters are escaped too.
 */
char *text_escape_csv(char *out, size_t room, const char *bytes);

/* The value of a hexadecimal digit in lower case; -1: it is none. */
static inline int text_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Sanitize a name in a field of fixed size, as the module writes them: terminate it within the
 * field, and replace what is no printable ASCII, which no module writes, by a question mark.
 */
void text_plain(char *field, size_t size);

/* The part of a path after its last slash, or all of it if there is none. */
const char *text_last_part(const char *path);

/* The columns that a text takes on the terminal. */
size_t text_width(const char *text);

/*
 * Shorten a text that is fit for the terminal to at most so many columns, by cutting its end. Newly
 * allocated.
 */
char *text_shorten(const char *text, size_t width);

/*
 * The same of a name. What follows its last dot, such as a field or a line of a file, tells more
 * than what is before, so that gives way first: "struct to..part2". Of several names the first stay.
 */
char *text_shorten_name(const char *text, size_t width);

/* A function of C++ or Rust without its parameters and template arguments, if it is longer than width. */
char *text_function(const char *name, size_t width);

#define TEXT_LINE_MAX	110	/* columns; longer lines of prose are hard to read */

/*
 * Print words, wrapped to so many columns. Each line but the first begins with indent. The text,
 * which must be fit for the terminal, is overwritten. No final newline is printed.
 */
void text_fill(FILE *out, char *text, size_t width, const char *indent);

/*
 * Print lines, and wrap those that are too wide: continuation lines are indented to the end of the
 * line's last gap of two or more spaces. A line without a gap is prose, and at most TEXT_LINE_MAX
 * wide. The text, which must be fit for the terminal, is overwritten.
 */
void text_fit(FILE *out, char *text, size_t width);

/*
 * Print a remark "(...)" below a view, wrapped to so many columns, and a newline. The formatted
 * text must be fit for the terminal.
 */
__attribute__((format(printf, 3, 4)))
void text_remark(FILE *out, size_t width, const char *format, ...);

/*
 * Join two names: "stats.{a,b}", "per_cpu[{0,1}].hits"; "a, b" if their paths have nothing in
 * common. Newly allocated.
 */
char *text_two_names(const char *a, const char *b);
/* ".per_cpu[].hits" for ".per_cpu[3].hits", in place: elements of an array are alike. */
char *text_without_indices(char *text);

/*
 * Draw figures as one line of as many columns, scaled to the highest: with blocks, or without utf8
 * with ASCII characters.
 */
void text_spark(FILE *out, const double *value, size_t nr, bool utf8);

/* The separator between facts in a line: a middle dot if the terminal can show it. */
const char *text_dot(void);
/* "±", or "+-" where the terminal has no such character */
const char *text_plus_minus(void);

/* A paragraph that is composed in memory, and then printed wrapped to the terminal's width. */

struct prose {
	FILE *out;	/* write the paragraph's text to this */
	char *text;
	size_t size;
};

void prose_begin(struct prose *prose);
/* first: the beginning of the first line. The other lines begin with indent, which is as wide. */
void prose_end(struct prose *prose, FILE *out, size_t width, const char *first,
	       const char *indent);

/* Names with wildcards, as people type them. */

/*
 * Does a name match a pattern, or equal it? In the pattern, * stands for any text and ? for one
 * character; \ before a character makes it stand for itself. Unlike in a shell, [ stands for
 * itself: names of data are full of it, as "counts[3].hits" and "[stack] of chase:71" are.
 */
bool pattern_matches(const char *pattern, const char *name);

#endif
