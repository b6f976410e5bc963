// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "command.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "xalloc.h"

#define PROGRAM		"memlat-ctl"
#define NAME_ROOM	16
#define READS_MAX	8

static struct {
	char *program;		/* as a shell reads it */
	const char *name;	/* of the command */
	char *words;		/* behind the name, each after a space */
	bool (*takes)(const char *name, const char *option);
	struct {
		const char *option, *value;
	} reads[READS_MAX];
	size_t nr_reads;
} typed;

void command_typed(int argc, char **argv, bool (*takes)(const char *name, const char *option))
{
	size_t size;
	FILE *words;
	int i;

	free(typed.program);
	free(typed.words);
	/* Without a folder in it the shell has found the program in PATH, and will again. */
	typed.program = argc && strchr(argv[0], '/') ? text_word(argv[0]) : xstrdup(PROGRAM);
	typed.name = argc > 1 ? argv[1] : "";
	words = xmemstream(&typed.words, &size);
	for (i = 2; i < argc; i++) {
		char *word = text_word(argv[i]);

		fprintf(words, " %s", word);
		free(word);
	}
	xmemstream_end(words);
	typed.takes = takes;
	typed.nr_reads = 0;
}

void command_reads(const char *option, const char *value)
{
	size_t i;

	/* As of all options, the last one counts. */
	for (i = 0; i < typed.nr_reads; i++)
		if (!strcmp(typed.reads[i].option, option))
			break;
	if (i == READS_MAX)
		return;
	typed.reads[i].option = option;
	typed.reads[i].value = value;
	typed.nr_reads += i == typed.nr_reads;
}

/* Put what was typed. In a format, % has to be doubled. */
static void put(FILE *out, const char *text, bool format)
{
	for (; *text; text++) {
		if (*text == '%' && format)
			fputc('%', out);
		fputc(*text, out);
	}
}

static void put_reads(FILE *out, const char *name, bool format)
{
	size_t i;

	for (i = 0; i < typed.nr_reads; i++) {
		const char *option = typed.reads[i].option, *value = typed.reads[i].value;
		char *word;

		if (!typed.takes(name, option))
			continue;
		if (strcmp(option, "input"))
			fprintf(out, " --%s", option);
		else
			fputs(" -i", out);
		if (!value)
			continue;
		word = text_word(value);
		fputc(' ', out);
		put(out, word, format);
		free(word);
	}
}

/* How long is the command, of which text is the part behind the program? */
static size_t length_of(const char *text)
{
	size_t length = 0;

	while (text[length] && !strchr("\n'|)", text[length]) && strncmp(text + length, "  ", 2))
		length++;
	return length;
}

/* Put a command and return what follows it. text is behind the program, and before a space. */
static const char *put_command(FILE *out, const char *text, bool format)
{
	const char *end = text + length_of(text), *rest = text + 1;
	size_t length = strspn(rest, "abcdefghijklmnopqrstuvwxyz2*");
	char name[NAME_ROOM] = "";
	bool same;

	if (length < sizeof(name)) {
		memcpy(name, rest, length);
		name[length] = '\0';
	}
	same = !*name || !strcmp(name, "*");
	if (same ? !length && strncmp(rest, "...", 3) && strncmp(rest, "--", 2) :
		   !typed.takes(name, NULL)) {
		fputs(PROGRAM, out);
		return text;
	}
	put(out, typed.program, format);
	if (length) {
		fprintf(out, " %s", same ? typed.name : name);
		same |= !strcmp(name, typed.name);
		if (!same || !memmem(rest, (size_t)(end - rest), " ...", 4))
			put_reads(out, name, format);
		text = rest + length;
	}
	for (; text < end; text++) {
		if (strncmp(text, " ...", 4)) {
			fputc(*text, out);
			continue;
		}
		if (!length)
			fprintf(out, " %s", typed.name);
		if (same)
			put(out, typed.words, format);
		text += 3;
	}
	return end;
}

static char *expand(const char *text, bool format)
{
	const char *found;
	size_t size;
	char *all;
	FILE *out;

	if (!typed.takes)
		return xstrdup(text);
	out = xmemstream(&all, &size);
	while ((found = strstr(text, PROGRAM " "))) {
		fwrite(text, 1, (size_t)(found - text), out);
		if (found > text && found[-1] == '/') {
			fputs(PROGRAM, out);
			text = found + strlen(PROGRAM);
			continue;
		}
		text = put_command(out, found + strlen(PROGRAM), format);
	}
	fputs(text, out);
	xmemstream_end(out);
	return all;
}

char *command_text(const char *text)
{
	return expand(text, false);
}

void command_put(FILE *out, const char *text)
{
	char *here = command_text(text);

	fputs(here, out);
	free(here);
}

void command_say(FILE *out, const char *format, ...)
{
	char *here = expand(format, true);
	va_list args;

	va_start(args, format);
	vfprintf(out, here, args);
	va_end(args);
	free(here);
}
