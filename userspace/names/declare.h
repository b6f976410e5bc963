/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write declarations from DWARF as a C or C++ source has them. A type with a name is written as its
 * name. A type without one, or one that the source defines within the structure, is written out.
 */
#ifndef MEMLAT_DECLARE_H
#define MEMLAT_DECLARE_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "members.h"
#include "namer.h"

struct declare;

/*
 * Prepare to write declarations within a structure (NULL: within none). A type that the source
 * defines inside the structure's braces is written out where it is first used.
 */
struct declare *declare_new(struct pool *pool, const struct members *within);
void declare_free(struct declare *declare);

/*
 * Declare a name of a type, as in "unsigned long (*run)(struct job *)", without a semicolon. The
 * text is in the pool; NULL: the type can't be expressed.
 */
const char *declare_name(struct declare *declare, Dwarf_Die *type, const char *name,
			 unsigned int indent);
/* Append an alignment to a declaration. kernel: write it with the kernel's macros. */
const char *declare_aligned(struct pool *pool, const char *text, __u32 bytes, bool kernel);
/* What to change when a structure is declared. */
struct declare_change {
	const size_t *order;		/* the members' numbers in the new order; NULL: unchanged */
	const __u32 *aligned;		/* by place in that order: alignment to ask for; 0: none */
	__u32 whole;			/* alignment to ask for the whole structure; 0: none */
	bool kernel;			/* write alignments with the kernel's macros */
	const char *(*comment)(void *context, size_t member);	/* to put behind it; may be NULL */
	bool (*left_out)(void *context, size_t member);	/* is it left out? may be NULL */
	void *context;
};

/*
 * Write a structure: "struct x {", a line for each member, "}", an alignment, but no semicolon.
 * change may be NULL. The text is in the pool; NULL: a member can't be expressed.
 */
const char *declare_record(struct pool *pool, const struct members *members,
			   const struct declare_change *change);

/* Find the DWARF type of what lies at an address, for views that show its members. */

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
