/* SPDX-License-Identifier: GPL-2.0 */
/* Names that are plain ASCII, or are made so. */
#ifndef MEMLAT_PLAIN_H
#define MEMLAT_PLAIN_H

#include <stddef.h>

/*
 * A name in a field of a fixed size, as the module writes them: it ends within the field,
 * and what is no printable ASCII, which no module writes, becomes a question mark.
 */
void plain_name(char *field, size_t size);

#endif
