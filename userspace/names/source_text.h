/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of source files that debug information names, where these files are here. */
#ifndef MEMLAT_SOURCE_TEXT_H
#define MEMLAT_SOURCE_TEXT_H

#include <stdbool.h>

#include <linux/types.h>

struct source_texts;

/*
 * folders: where to look first, colon-separated, under each file's name and the last parts of
 * its path; NULL: nowhere. recorded_at: seconds since 1970: a file at the place that debug
 * information names, and changed since, has other lines perhaps, and is left out.
 */
struct source_texts *source_texts_new(const char *folders, __u64 recorded_at);
void source_texts_free(struct source_texts *texts);

/*
 * The text of a line, counted from 1, without its end; any bytes, valid until
 * source_texts_free(). NULL: it is not to be had.
 */
const char *source_text(struct source_texts *texts, const char *file, unsigned int line);

/* A file that was left out because it has changed since; NULL: none. */
const char *source_texts_changed(const struct source_texts *texts);

#endif
