/* SPDX-License-Identifier: GPL-2.0 */
/* The entries of the PLT, by which a file calls functions of others: they have no symbols of their own. */
#ifndef MEMLAT_PLT_H
#define MEMLAT_PLT_H

#include <stdbool.h>

#include "elf_file.h"

typedef void plt_found(void *context, __u64 start, __u64 size, const char *name);

/* Tell each entry with the name of what it jumps to. */
void plt_each(const struct elf_file *file, plt_found *found, void *context);

#endif
