/* SPDX-License-Identifier: GPL-2.0 */
/* The DWARF units of a file: code by line and inlined function. */
#ifndef MEMLAT_UNITS_H
#define MEMLAT_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"
#include "namer.h"

/* The file's DWARF, its own or a separate one; NULL: none. */
Dwarf *units_dwarf(struct elf_files *files, struct elf_file *file);

/*
 * Fill in file, line and frames of the code at an address of the file, and the
 * function where DWARF knows it. What is not known stays as it was.
 */
void units_name_code(struct elf_files *files, struct elf_file *file, __u64 address,
		     struct code_name *code);
/* The function that an address of the file is in, not one that is inlined there. */
bool units_function(struct elf_files *files, struct elf_file *file, __u64 address,
		    Dwarf_Die *function);
/* A source file's path of a unit, made whole. */
const char *units_path(struct pool *pool, Dwarf_Die *unit, const char *path);
/* The same of the file that an attribute of a DIE tells by number; NULL: it has none. */
const char *units_file(struct pool *pool, Dwarf_Die *die, unsigned int attribute);
void units_free(struct elf_file *file);

#endif
