/* SPDX-License-Identifier: GPL-2.0 */
/* Names in plain ASCII. */
#ifndef MEMLAT_PLAIN_H
#define MEMLAT_PLAIN_H

#include <stddef.h>

/*
 * Sanitize a name in a field of fixed size, as the module writes them: terminate it within the
 * field, and replace what is no printable ASCII, which no module writes, by a question mark.
 */
void plain_name(char *field, size_t size);

#endif
