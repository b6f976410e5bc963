/* SPDX-License-Identifier: GPL-2.0 */
/* Find the DWARF type of what lies at an address, for views that show its members. */
#ifndef MEMLAT_TYPED_H
#define MEMLAT_TYPED_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "namer.h"

struct typed {
	Dwarf_Die type;		/* as it was declared */
	Dwarf_Die variable;	/* the variable; its addr is NULL if the object is none */
	__u64 start;		/* where the variable or object begins */
};

/*
 * The type of the variable at an address, or of the object, if instructions show its type. False:
 * neither is known.
 */
bool namer_typed(struct namer *namer, __u32 space, __u32 gen, __u64 address,
		 struct typed *typed);

/* Where a type or variable is declared: "src/server.c"; NULL: it is not known. */
const char *namer_declared(struct namer *namer, Dwarf_Die *die, unsigned int *line);

/* The namer's pool, for text that lives as long as the namer. */
struct pool *namer_pool(struct namer *namer);

#endif
