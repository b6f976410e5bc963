/* SPDX-License-Identifier: GPL-2.0 */
/* Find the line, the function and the inlined functions of code in a file's DWARF units. */
#ifndef MEMLAT_UNITS_H
#define MEMLAT_UNITS_H

#include <stdbool.h>

#include "elf_file.h"
#include "namer.h"

/* The file's DWARF, its own or a separate one; NULL: none. */
Dwarf *units_dwarf(struct elf_files *files, struct elf_file *file);
/* What is in the file's unit of this number, from 0; false: there are no more units. */
bool units_content(struct elf_files *files, struct elf_file *file, size_t nr, Dwarf_Die *content);

/*
 * Fill in the source file, line and frames of the code at an address of the file, and the function
 * if DWARF knows it. Members of code that are not known stay as they were.
 */
void units_name_code(struct elf_files *files, struct elf_file *file, __u64 address,
		     struct code_name *code);
/* The function that holds an address of the file. Inlined functions do not count. */
bool units_function(struct elf_files *files, struct elf_file *file, __u64 address,
		    Dwarf_Die *function);
/* The path of the source file whose number an attribute of a DIE has; NULL: there is none. */
const char *units_file(struct pool *pool, Dwarf_Die *die, unsigned int attribute);
void units_free(struct elf_file *file);

/* Find variables by their address in DWARF, with their types and places of declaration. */

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
