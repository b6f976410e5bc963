/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols of a file, sorted once, and which of them an address is in. */
#ifndef MEMLAT_SYMBOLS_H
#define MEMLAT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "elf_file.h"

enum symbol_kind {
	SYMBOL_CODE,		/* functions */
	SYMBOL_LABEL,		/* what assembly left untyped in code */
	SYMBOL_DATA,
	SYMBOL_TLS,		/* addresses count from the start of the file's TLS block */
	SYMBOL_PLT,		/* named for what they lead to, without "@plt" */
	SYMBOL_KINDS
};

struct symbol {
	__u64 start, size;	/* what had no size reaches to the next one, or its section's end */
	const char *name;	/* raw */
	unsigned int rank;	/* of those at one address the higher is the better name */
};

/* The innermost that holds the address; NULL: none. */
const struct symbol *symbol_at(struct elf_files *files, struct elf_file *file,
			       enum symbol_kind kind, __u64 address);
/* The only one of this name; NULL: there is none, or several. */
const struct symbol *symbol_named(struct elf_files *files, struct elf_file *file,
				  enum symbol_kind kind, const char *name);
/* Has the file any but those that its loader needs? */
bool symbols_complete(struct elf_files *files, struct elf_file *file);
void symbols_free(struct elf_file *file);

#endif
