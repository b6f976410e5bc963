/* SPDX-License-Identifier: GPL-2.0 */
/* Read and sort the symbols of a file once, and find the symbol that holds an address. */
#ifndef MEMLAT_SYMBOLS_H
#define MEMLAT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "../util/xalloc.h"
#include "elf_file.h"

enum symbol_kind {
	SYMBOL_CODE,		/* functions */
	SYMBOL_LABEL,		/* symbols in code without a type, from assembly */
	SYMBOL_DATA,
	SYMBOL_TLS,		/* addresses count from the start of the file's TLS block */
	SYMBOL_PLT,		/* entries of the PLT, with the name of what they jump to */
	SYMBOL_KINDS
};

struct symbol {
	/* Without a size it goes up to the next symbol, or the end of the section or TLS block. */
	__u64 start, size;
	const char *name;	/* not demangled */
	unsigned int rank;	/* of names at one address, that with the highest rank is taken */
};

/* The innermost symbol that holds the address; NULL: none does. */
const struct symbol *symbol_at(struct elf_files *files, struct elf_file *file,
			       enum symbol_kind kind, __u64 address);
/* The only symbol of this name; NULL: there is none, or several. */
const struct symbol *symbol_named(struct elf_files *files, struct elf_file *file,
				  enum symbol_kind kind, const char *name);
/* Does the file, or its debug file, have a .symtab, and not only what the loader needs? */
bool symbols_complete(struct elf_files *files, struct elf_file *file);
void symbols_free(struct elf_file *file);

/* Find the range that holds an address, among many that may be nested. */

struct range {
	__u64 start, end;
	size_t what;
	/* One more than the index of the last range before this one that ends after it; 0: none. */
	size_t outer;
};

struct ranges {
	struct range *rows;
	size_t nr, room;
};

/* Add a range; an empty one is left out. */
void ranges_add(struct ranges *ranges, __u64 start, __u64 end, size_t what);
/* Prepare for ranges_find(), after the last range was added. */
void ranges_settle(struct ranges *ranges);
/* The innermost range that holds the address, which is the one that starts last. */
const struct range *ranges_find(const struct ranges *ranges, __u64 address);
void ranges_free(struct ranges *ranges);

/* Turn symbols of C++ and Rust into names as the source has them. */

/* A symbol's readable name, without a version; if it is not mangled, the symbol itself. */
const char *demangle(struct pool *pool, const char *symbol);

#endif
