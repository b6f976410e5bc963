// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "text.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "xalloc.h"

#define CUT		".."	/* in place of the part that was cut out */
#define CUT_WIDTH	(sizeof(CUT) - 1)

char *text_count(char buffer[TEXT_NUMBER_MAX], __u64 number)
{
	char digits[TEXT_NUMBER_MAX];
	int nr = snprintf(digits, sizeof(digits), "%llu", number);
	char *out = buffer;
	int i;

	for (i = 0; i < nr; i++) {
		if (i && (nr - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buffer;
}

char *text_duration(char buffer[TEXT_NUMBER_MAX], __u64 nanoseconds)
{
	__u64 seconds = nanoseconds / 1000000000;

	if (seconds < 60)
		snprintf(buffer, TEXT_NUMBER_MAX, "%llu.%llu s", seconds,
			 nanoseconds / 100000000 % 10);
	else if (seconds < 3600)
		snprintf(buffer, TEXT_NUMBER_MAX, "%llu min %02llu s",
			 seconds / 60, seconds % 60);
	else if (seconds < 86400)
		snprintf(buffer, TEXT_NUMBER_MAX, "%llu h %02llu min",
			 seconds / 3600, seconds / 60 % 60);
	else
		snprintf(buffer, TEXT_NUMBER_MAX, "%llu d %02llu h",
			 seconds / 86400, seconds / 3600 % 24);
	return buffer;
}

char *text_bytes(char buffer[TEXT_NUMBER_MAX], __u64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes / 1024;
	unsigned int i = 0;

	if (bytes < 1024) {
		snprintf(buffer, TEXT_NUMBER_MAX, "%llu bytes", bytes);
		return buffer;
	}
	while (value >= 1024 && i < sizeof(units) / sizeof(units[0]) - 1) {
		value /= 1024;
		i++;
	}
	snprintf(buffer, TEXT_NUMBER_MAX, "%.1f %s", value, units[i]);
	return buffer;
}

char *text_share(char buffer[TEXT_NUMBER_MAX], __u64 part, __u64 whole,
		 unsigned int decimals)
{
	if (whole)
		snprintf(buffer, TEXT_NUMBER_MAX, "%.*f%%", (int)decimals,
			 100.0 * (double)part / (double)whole);
	else
		strcpy(buffer, "-");
	return buffer;
}

char *text_range(char buffer[TEXT_RANGE_MAX], __u64 low, __u64 high)
{
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];

	if (low == high)
		snprintf(buffer, TEXT_RANGE_MAX, "%s", text_count(a, low));
	else
		snprintf(buffer, TEXT_RANGE_MAX, "%s..%s", text_count(a, low),
			 text_count(b, high));
	return buffer;
}

char *text_hundredths(char buffer[TEXT_NUMBER_MAX], __u64 hundredths)
{
	__u64 whole = hundredths / 100, part = hundredths % 100;

	if (!part)
		snprintf(buffer, TEXT_NUMBER_MAX, "%llu%%", whole);
	else if (part % 10)
		snprintf(buffer, TEXT_NUMBER_MAX, "%llu.%02llu%%", whole, part);
	else
		snprintf(buffer, TEXT_NUMBER_MAX, "%llu.%llu%%", whole, part / 10);
	return buffer;
}

char *text_bits(char buffer[TEXT_LIST_MAX], __u64 mask)
{
	unsigned int bit, last;
	size_t at = 0;

	buffer[0] = '\0';
	for (bit = 0; bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		for (last = bit; last < 63 && mask >> (last + 1) & 1; last++)
			;
		at += (size_t)snprintf(buffer + at, TEXT_LIST_MAX - at, "%s%u",
				       at ? "," : "", bit);
		if (last > bit)
			at += (size_t)snprintf(buffer + at, TEXT_LIST_MAX - at,
					       "%c%u", last > bit + 1 ? '-' : ',',
					       last);
		bit = last;
	}
	return buffer;
}

/* The length of the valid UTF-8 sequence at bytes; 0 if there is none. */
static size_t utf8_length(const unsigned char *bytes)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int code;
	size_t length, i;

	if (*bytes < 0x80)
		return 1;
	if (*bytes >= 0xc2 && *bytes < 0xe0)
		length = 2;
	else if (*bytes >= 0xe0 && *bytes < 0xf0)
		length = 3;
	else if (*bytes >= 0xf0 && *bytes < 0xf5)
		length = 4;
	else
		return 0;
	code = *bytes & (0x7fU >> length);
	for (i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	/* Refuse overlong forms, surrogates and codes beyond Unicode. */
	if (code < least[length] || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

/* Length of the character at bytes if this terminal can show it, else 0. */
static size_t printable_length(const unsigned char *bytes)
{
	mbstate_t state = { 0 };
	size_t length;
	wchar_t wide;

	if (*bytes == '\\')
		return 0;
	if (*bytes < 0x80)
		return *bytes >= ' ' && *bytes != 0x7f;
	length = mbrtowc(&wide, (const char *)bytes, strlen((const char *)bytes),
			 &state);
	if (length == (size_t)-1 || length == (size_t)-2 || !length)
		return 0;
	return iswprint((wint_t)wide) && wcwidth(wide) > 0 ? length : 0;
}

/* As utf8_length(), but 0 for control characters of one and two bytes. */
static size_t plain_length(const unsigned char *bytes)
{
	if (*bytes < ' ' || *bytes == 0x7f || (*bytes == 0xc2 && bytes[1] < 0xa0))
		return 0;
	return utf8_length(bytes);
}

static char *escape(char *out, size_t room, const char *text,
		    size_t (*length_of)(const unsigned char *))
{
	const unsigned char *at = (const unsigned char *)text;
	size_t used = 0;

	while (*at) {
		size_t length = length_of(at);
		size_t need = length ? length : 4;

		if (used + need + 1 > room)
			break;
		if (length) {
			memcpy(out + used, at, length);
		} else {
			/* Use octal, because \x1b would include a digit behind it. */
			out[used] = '\\';
			out[used + 1] = (char)('0' + (*at >> 6));
			out[used + 2] = (char)('0' + (*at >> 3 & 7));
			out[used + 3] = (char)('0' + (*at & 7));
		}
		used += need;
		at += length ? length : 1;
	}
	out[used] = '\0';
	return out;
}

char *text_escape(char *out, size_t room, const char *bytes)
{
	return escape(out, room, bytes, printable_length);
}

const char *text_typed(char *out, size_t room, const char *word)
{
	return *word ? text_escape(out, room, word) : "\"\"";
}

char *text_escaped(const char *bytes)
{
	size_t room = 4 * strlen(bytes) + 1;

	return text_escape(xmalloc(room), room, bytes);
}

char *text_word(const char *bytes)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+,:@%=";
	char *text = text_escaped(bytes), *word, *out;
	const bool escaped = strchr(text, '\\');
	const char *at;

	/* Letters of other alphabets need no quotes. */
	for (at = text; *at & 0x80 || (*at && strchr(plain, *at)); at++)
		continue;
	if (*text && !*at)
		return text;
	word = out = xmalloc(4 * strlen(text) + sizeof("$''"));
	out = stpcpy(out, escaped ? "$'" : "'");
	for (at = text; *at; at++)
		if (*at != '\'')
			*out++ = *at;
		else
			out = stpcpy(out, escaped ? "\\047" : "'\\''");
	strcpy(out, "'");
	free(text);
	return word;
}

void text_put(FILE *out, const char *bytes)
{
	char *text = text_escaped(bytes);

	fputs(text, out);
	free(text);
}

void text_say(FILE *out, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	text_put(out, text);
	free(text);
}

char *text_escape_utf8(char *out, size_t room, const char *bytes)
{
	return escape(out, room, bytes, utf8_length);
}

char *text_escape_csv(char *out, size_t room, const char *bytes)
{
	return escape(out, room, bytes, plain_length);
}

void text_plain(char *field, size_t size)
{
	field[size - 1] = '\0';
	for (; *field; field++)
		if (*field < ' ' || *field > '~')
			*field = '?';
}

const char *text_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The bytes of the character at text, and its columns. */
static size_t character(const char *text, size_t left, mbstate_t *state,
			size_t *columns)
{
	wchar_t wide;
	size_t length = mbrtowc(&wide, text, left, state);
	int taken;

	if (length == (size_t)-1 || length == (size_t)-2 || !length) {
		/* The bytes are no character in this locale: count one byte as one column. */
		memset(state, 0, sizeof(*state));
		*columns = 1;
		return 1;
	}
	taken = wcwidth(wide);
	*columns = taken > 0 ? (size_t)taken : 0;
	return length;
}

size_t text_width(const char *text)
{
	size_t width = 0, left = strlen(text), columns, length;
	mbstate_t state = { 0 };

	while (left) {
		length = character(text, left, &state, &columns);
		width += columns;
		text += length;
		left -= length;
	}
	return width;
}

char *text_shorten(const char *text, size_t width)
{
	size_t left = strlen(text), at = 0, columns, length, used;
	mbstate_t state = { 0 };
	char *cut = xmalloc(left + sizeof(CUT)), *out = cut;

	if (text_width(text) <= width)
		return memcpy(cut, text, left + 1);
	for (; left; text += length, left -= length, at += columns) {
		length = character(text, left, &state, &columns);
		if (at + columns + CUT_WIDTH > width)
			break;
		memcpy(out, text, length);
		out += length;
	}
	used = width < CUT_WIDTH ? width : CUT_WIDTH;
	memcpy(out, CUT, used);
	out[used] = '\0';
	return cut;
}

char *text_shorten_name(const char *text, size_t width)
{
	const char *dot = strrchr(text, '.');
	const size_t all = text_width(text), kept = dot && !strchr(dot, ' ') ? text_width(dot + 1) : 0;
	const size_t most = width > CUT_WIDTH ? width - CUT_WIDTH : 0;
	char *head, *tail, *name;

	if (!kept || !most || all <= width || strstr(text, ", "))
		return text_shorten(text, width);
	head = xasprintf("%.*s", (int)(dot + 1 - text), text);
	name = text_shorten(head, width - (kept < most ? kept : most));
	tail = text_shorten(dot + 1, width - text_width(name));
	free(head);
	head = xasprintf("%s%s", name, tail);
	free(name);
	free(tail);
	return head;
}

char *text_function(const char *name, size_t width)
{
	char *text = xstrdup(name), *at, *to = text;
	int depth = 0;

	if (text_width(text) <= width || *text == '<')
		return text;
	for (at = text; *at && (depth || *at != '('); at++) {
		depth -= *at == '>' && depth;
		if (!depth)
			*to++ = *at;
		depth += *at == '<' && strncmp(at, "<<", 2) && at > text && at[-1] != '<';
	}
	*to = '\0';
	return text;
}

/* used: columns of the first line that are taken already. */
static void fill_from(FILE *out, char *text, size_t width, const char *indent, size_t used)
{
	char *word, *rest = text;
	bool first = true;

	while ((word = strsep(&rest, " "))) {
		size_t needs = text_width(word);

		if (!first && used + 1 + needs > width) {
			fprintf(out, "\n%s", indent);
			used = strlen(indent);
			fputs(word, out);
		} else {
			fprintf(out, "%s%s", first ? "" : " ", word);
			used += first ? 0 : 1;
		}
		used += needs;
		first = false;
	}
}

void text_fill(FILE *out, char *text, size_t width, const char *indent)
{
	fill_from(out, text, width, indent, 0);
}

/* The end of a line's last gap; NULL: there is none. */
static char *last_gap(char *line)
{
	char *at, *found = NULL;

	for (at = line; *at; at++)
		if (at > line + 1 && *at != ' ' && at[-1] == ' ' && at[-2] == ' ')
			found = at;
	return found;
}

static void fit_line(FILE *out, char *line, size_t width)
{
	char *rest = last_gap(line), *indent;
	size_t before;

	if (!rest && width > TEXT_LINE_MAX)
		width = TEXT_LINE_MAX;
	before = rest ? text_width(line) - text_width(rest) : 0;
	if (text_width(line) <= width || before >= width) {
		fputs(line, out);
		return;
	}
	if (!rest) {
		text_fill(out, line, width, "");
		return;
	}
	indent = xasprintf("%*s", (int)before, "");
	fprintf(out, "%.*s", (int)(rest - line), line);
	fill_from(out, rest, width, indent, before);
	free(indent);
}

void text_fit(FILE *out, char *text, size_t width)
{
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		fit_line(out, line, width);
		if (rest)
			fputc('\n', out);
	}
}

void text_remark(FILE *out, size_t width, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	text_fill(out, text, width, " ");
	fputc('\n', out);
	free(text);
}

/* The length of the common beginning of both names, up to the last sign that begins a member. */
static size_t common_head(const char *a, const char *b)
{
	size_t at, head = 0;

	for (at = 0; a[at] && a[at] == b[at]; at++)
		if (a[at] == '.' || a[at] == '[')
			head = at + 1;
	return head;
}

/*
 * The length of the common end of both names behind their heads, from the first sign that ends a
 * member.
 */
static size_t common_tail(const char *a, const char *b, size_t head)
{
	size_t left_a = strlen(a) - head, left_b = strlen(b) - head, at, tail = 0;
	const char *end_a = a + strlen(a), *end_b = b + strlen(b);

	for (at = 1; at < left_a && at < left_b && end_a[-(ssize_t)at] == end_b[-(ssize_t)at]; at++)
		if (end_a[-(ssize_t)at] == '.' || end_a[-(ssize_t)at] == ']')
			tail = at;
	return tail;
}

char *text_two_names(const char *a, const char *b)
{
	size_t head = common_head(a, b), tail;

	if (!head)
		return xasprintf("%s, %s", a, b);
	tail = common_tail(a, b, head);
	return xasprintf("%.*s{%.*s,%.*s}%s", (int)head, a,
			 (int)(strlen(a) - head - tail), a + head,
			 (int)(strlen(b) - head - tail), b + head, a + strlen(a) - tail);
}

void text_spark(FILE *out, const double *value, size_t nr, bool utf8)
{
	static const char *const blocks[] = {
		"\342\226\201", "\342\226\202", "\342\226\203", "\342\226\204",
		"\342\226\205", "\342\226\206", "\342\226\207", "\342\226\210",
	};
	static const char *const plain[] = { "_", ".", "-", ":", "=", "+", "*", "#" };
	const double highest = sizeof(blocks) / sizeof(blocks[0]) - 1;
	double most = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		if (value[i] > most)
			most = value[i];
	for (i = 0; i < nr; i++) {
		size_t step = most > 0 ? (size_t)(value[i] / most * highest + 0.5) : 0;

		fputs(utf8 ? blocks[step] : plain[step], out);
	}
}

const char *text_dot(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? "|" : "\302\267";
}

const char *text_plus_minus(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? "+-" : "\302\261";
}

char *text_without_indices(char *text)
{
	const char *at = text;
	char *out = text;

	while (*at) {
		*out++ = *at++;
		if (out[-1] == '[')
			at += strspn(at, "0123456789");
	}
	*out = '\0';
	return text;
}

void prose_begin(struct prose *prose)
{
	prose->out = xmemstream(&prose->text, &prose->size);
}

void prose_end(struct prose *prose, FILE *out, size_t width, const char *first,
	       const char *indent)
{
	xmemstream_end(prose->out);
	fputs(first, out);
	text_fill(out, prose->text, width < TEXT_LINE_MAX ? width : TEXT_LINE_MAX, indent);
	fputc('\n', out);
	free(prose->text);
}
