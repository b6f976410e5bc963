/* SPDX-License-Identifier: GPL-2.0 */
/* Names of C++ functions and variables as their source has them. */
#ifndef MEMLAT_DEMANGLE_H
#define MEMLAT_DEMANGLE_H

#include "../util/pool.h"

/* A symbol's name for people; the same text when it is not mangled. */
const char *demangle(struct pool *pool, const char *symbol);

#endif
