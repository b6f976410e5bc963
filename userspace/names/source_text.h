/* SPDX-License-Identifier: GPL-2.0 */
/* Read lines of the source files that debug information names, if they are on this machine. */
#ifndef MEMLAT_SOURCE_TEXT_H
#define MEMLAT_SOURCE_TEXT_H

#include <stdbool.h>

#include <linux/types.h>

struct source_texts;

/*
 * folders (colon-separated, may be NULL) are searched first, for each file's name and the last
 * parts of its path. recorded_at is in seconds since 1970. A file at the place that debug
 * information names is left out if it has changed since, as its lines may be other ones.
 */
struct source_texts *source_texts_new(const char *folders, __u64 recorded_at);
void source_texts_free(struct source_texts *texts);

/*
 * The text of a line (the first is 1) without its newline. It may have any bytes, and is valid
 * until source_texts_free(). NULL: there is no such file or line.
 */
const char *source_text(struct source_texts *texts, const char *file, unsigned int line);

/*
 * A file that was left out because it has changed since, and one that was not found; NULL: none.
 */
const char *source_texts_without(const struct source_texts *texts, const char **missing);

#endif
