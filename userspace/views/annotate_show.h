/* SPDX-License-Identifier: GPL-2.0 */
/* Annotated functions in text, JSON and CSV. */
#ifndef MEMLAT_ANNOTATE_SHOW_H
#define MEMLAT_ANNOTATE_SHOW_H

#include "annotate.h"

/* Print the costliest functions, this many at most; 0: all. */
void annotate_print(FILE *out, struct annotate *annotate, size_t show, size_t width);
void annotate_csv(FILE *out, struct annotate *annotate, size_t show);
struct json_object *annotate_json(struct annotate *annotate, size_t show);

#endif
