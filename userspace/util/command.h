/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands that memlat-ctl prints for people to type. Texts have them as "memlat-ctl NAME
 * OPTIONS". Here they become what works where memlat-ctl was started: the program as it was typed,
 * and behind the name what the view reads, as -i FILE or --debug-path, if that command has such
 * options.
 */
#ifndef MEMLAT_COMMAND_H
#define MEMLAT_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Remember what was typed. takes() knows whether there is such a command, with such a long option
 * if that is not NULL. Before this, texts stay as they are.
 */
void command_typed(int argc, char **argv, bool (*takes)(const char *name, const char *option));
/*
 * Remember an option of the view, "debug-path", for every command that has it. value is NULL if it
 * takes none. The strings stay the caller's.
 */
void command_reads(const char *option, const char *value);

/*
 * The text with its commands as they have to be typed, newly allocated. The name * is that of the
 * command that was typed. " ..." at the end of a command becomes the words that were typed behind
 * its name, if it is the same one; "memlat-ctl ..." is all that was typed.
 */
char *command_text(const char *text);

/* Print such a text, and one that is formatted: what is inserted stays as it is. */
void command_put(FILE *out, const char *text);
__attribute__((format(printf, 2, 3)))
void command_say(FILE *out, const char *format, ...);

#endif
