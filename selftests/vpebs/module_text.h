/* SPDX-License-Identifier: GPL-2.0 */
/* Where a loaded module's code is. */
#ifndef VPEBS_MODULE_TEXT_H
#define VPEBS_MODULE_TEXT_H

#include <stdint.h>

/*
 * The text of the module that was loaded from an ELF file: the sizes are the
 * file's, the addresses /sys/module's. 0, or 1 with a message.
 */
int module_text(const char *path, uint64_t *start, uint64_t *end);

#endif
