/* SPDX-License-Identifier: GPL-2.0 */
/* The type of what lies at an address, as DWARF has it: for views that look into it. */
#ifndef MEMLAT_TYPED_H
#define MEMLAT_TYPED_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "namer.h"

struct typed {
	Dwarf_Die type;		/* as it was declared */
	Dwarf_Die variable;	/* whose; its address is NULL where it is none */
	__u64 start;		/* of the object */
};

/* Of a variable, or an object whose type instructions tell; false: it is not known. */
bool namer_typed(struct namer *namer, __u32 space, __u32 gen, __u64 address,
		 struct typed *typed);

/* Where a type or variable is declared: "src/server.c"; NULL: it is not known. */
const char *namer_declared(struct namer *namer, Dwarf_Die *die, unsigned int *line);

/* The namer's memory, for text that lives as long as it. */
struct pool *namer_pool(struct namer *namer);

#endif
