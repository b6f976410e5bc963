/* SPDX-License-Identifier: GPL-2.0 */
/* Find variables by their address in DWARF, with their types and places of declaration. */
#ifndef MEMLAT_VARIABLES_H
#define MEMLAT_VARIABLES_H

#include <stdbool.h>

#include "elf_file.h"
#include "namer.h"

/*
 * Fill in name, type, start, size, offset, field and declaration of the variable at an address of
 * the file, or, with @tls, at an offset of its thread-local block. start is an address of the file,
 * too. False: DWARF has no variable there, and *data is unchanged.
 */
bool variables_name_data(struct elf_files *files, struct elf_file *file, bool tls,
			 __u64 address, struct data_name *data);
/* The variable at an address of the file, its type and the offset in it; false: none is known. */
bool variables_type(struct elf_files *files, struct elf_file *file, __u64 address,
		    Dwarf_Die *type, Dwarf_Die *variable, __u64 *offset);
void variables_free(struct elf_file *file);

#endif
