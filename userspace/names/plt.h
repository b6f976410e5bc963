/* SPDX-License-Identifier: GPL-2.0 */
/* Name the entries of the PLT, which have no symbols. A file calls functions of others by them. */
#ifndef MEMLAT_PLT_H
#define MEMLAT_PLT_H

#include "elf_file.h"

typedef void plt_found(void *context, __u64 start, __u64 size, const char *name);

/* Call found for each entry, with the name of the function that it jumps to. */
void plt_each(const struct elf_file *file, plt_found *found, void *context);

#endif
