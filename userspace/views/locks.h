/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which accesses are of a lock: its word, who has it and how many want it are fields of
 * one object, however many variables they look like.
 */
#ifndef MEMLAT_LOCKS_H
#define MEMLAT_LOCKS_H

#include "../analysis/verdict.h"
#include "../names/namer.h"

/* A verdict_lock_fn: context is a struct namer. */
bool locks_is_lock(void *namer, const struct memlat_rec_access *access,
		   struct verdict_lock *lock);

/* For verdicts_know_widths(): likewise. */
unsigned int locks_width(void *namer, const struct memlat_rec_access *access);

/* The same by names: of a field and its address, and of a function; each may be NULL. */
bool locks_by_names(const char *field, const char *function, __u64 addr,
		    struct verdict_lock *lock);

#endif
