/* SPDX-License-Identifier: GPL-2.0 */
/* Variables by address, as DWARF has them: their types, and where they were declared. */
#ifndef MEMLAT_VARIABLES_H
#define MEMLAT_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"
#include "namer.h"

/*
 * Fill in name, type, start, size, offset, field and declaration of what lies at an
 * address of the file (tls: at an offset of its block). start is the file's. False:
 * DWARF knows nothing there, and data is as it was.
 */
bool variables_name_data(struct elf_files *files, struct elf_file *file, bool tls,
			 __u64 address, struct data_name *data);
/* The variable that lies there, its type, and an offset into it; false: it is not known. */
bool variables_type(struct elf_files *files, struct elf_file *file, __u64 address,
		    Dwarf_Die *type, Dwarf_Die *variable, __u64 *offset);
void variables_free(struct elf_file *file);

#endif
