// SPDX-License-Identifier: GPL-2.0
#include "html.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../util/text.h"
#include "../util/xalloc.h"

/* Decode a character of valid UTF-8; *length: its number of bytes. */
static unsigned int character(const unsigned char *at, size_t *length)
{
	unsigned int code, i;

	*length = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
	if (*length == 1)
		return *at;
	code = *at & (0x7fU >> *length);
	for (i = 1; i < *length; i++)
		code = code << 6 | (at[i] & 0x3f);
	return code;
}

/*
 * Can the character be shown? XML excludes control characters and noncharacters. Characters that
 * set the direction of writing would let a name change how the text around it reads.
 */
static bool shown(unsigned int code)
{
	if (code < ' ' || (code >= 0x7f && code < 0xa0))
		return false;
	if ((code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2060 && code <= 0x206f) || code == 0x61c || code == 0xfeff)
		return false;
	return (code & 0xfffe) != 0xfffe && !(code >= 0xfdd0 && code <= 0xfdef);
}

static void put_character(FILE *out, const unsigned char *at, size_t length, unsigned int code)
{
	static const char *const entities['>' + 1] = {
		['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;",
	};
	size_t i;

	if (code <= '>' && entities[code]) {
		fputs(entities[code], out);
		return;
	}
	if (shown(code)) {
		fwrite(at, 1, length, out);
		return;
	}
	for (i = 0; i < length; i++)
		fprintf(out, "\\%03o", at[i]);
}

void html_text_short(FILE *out, const char *bytes, size_t most)
{
	const size_t room = 4 * strlen(bytes) + 1;
	char *text = text_escape_utf8(xmalloc(room), room, bytes);
	const unsigned char *at = (const unsigned char *)text;
	size_t length;

	for (; *at && most; at += length, most--) {
		const unsigned int code = character(at, &length);

		put_character(out, at, length, code);
	}
	if (*at)
		fputs("\xe2\x80\xa6", out);
	free(text);
}

void html_text(FILE *out, const char *bytes)
{
	html_text_short(out, bytes, (size_t)-1);
}

void html_say(FILE *out, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	html_text(out, text);
	free(text);
}

double html_percent(__u64 part, __u64 whole)
{
	if (!whole)
		return 0;
	return part < whole ? 100.0 * (double)part / (double)whole : 100;
}

void html_count(FILE *out, __u64 number)
{
	char text[TEXT_NUMBER_MAX];

	fputs(text_count(text, number), out);
}

static void put_cell(FILE *out, const struct report_column *column, const struct cell *cell)
{
	char *text;

	fputs(column->left ? "<td class=\"t\">" : "<td>", out);
	if (cell->kind == CELL_SHARE)
		fprintf(out, "<span class=\"bar\" style=\"width:%.2f%%\"></span>",
			html_percent(cell->part, cell->whole));
	if (cell->kind == CELL_TEXT) {
		html_text(out, cell->text);
	} else {
		text = report_cell_text(cell);
		html_text(out, text);
		free(text);
	}
	fputs("</td>", out);
}

void html_table(FILE *out, const struct report *report)
{
	size_t *columns = xcalloc(report->nr_columns, sizeof(*columns));
	size_t nr = report_shown_columns(report, columns), row, i;

	fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
	for (i = 0; i < nr; i++) {
		const struct report_column *column = &report->columns[columns[i]];

		fputs(column->left ? "<th class=\"t\">" : "<th>", out);
		if (column->group) {
			html_text(out, column->group);
			fputc(' ', out);
		}
		html_text(out, column->title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (row = 0; row < report->nr_rows; row++) {
		fputs("<tr>", out);
		for (i = 0; i < nr; i++) {
			const struct report_column *column = &report->columns[columns[i]];
			struct cell cell = report_cell(report, column, row);

			put_cell(out, column, &cell);
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
	report_end(report);
	free(columns);
}
