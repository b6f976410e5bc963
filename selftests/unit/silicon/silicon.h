/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the files of this folder; README tells what their columns are. */
#ifndef SILICON_H
#define SILICON_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SILICON_COLUMNS	9

struct silicon_line {
	char text[256];			/* of which the columns are parts */
	const char *column[SILICON_COLUMNS];
	char source[256];		/* "": none was given, which is an error */
};

/* The next line with so many columns; false at the end. Any other line ends the program. */
static inline bool silicon_next(FILE *file, struct silicon_line *line, unsigned int columns)
{
	char *rest, *word;
	unsigned int n;

	while (fgets(line->text, sizeof(line->text), file)) {
		line->text[strcspn(line->text, "\n")] = '\0';
		if (!*line->text || *line->text == '#')
			continue;
		if (!strncmp(line->text, "source: ", 8)) {
			snprintf(line->source, sizeof(line->source), "%.240s", line->text + 8);
			continue;
		}
		for (n = 0, rest = line->text; (word = strsep(&rest, "\t ")) && n < SILICON_COLUMNS;)
			if (*word)
				line->column[n++] = word;
		if (n == columns && !word && *line->source)
			return true;
		fprintf(stderr, "a line has %u columns, or no source: %s\n", n, line->text);
		exit(1);
	}
	return false;
}

/* "-": not told. */
static inline bool silicon_told(const char *column)
{
	return strcmp(column, "-");
}

static inline unsigned long long silicon_hex(const char *column)
{
	return strtoull(column, NULL, 16);
}

static inline unsigned int silicon_number(const char *column)
{
	return (unsigned int)strtoul(column, NULL, 10);
}

#endif
