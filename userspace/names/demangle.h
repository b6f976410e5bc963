/* SPDX-License-Identifier: GPL-2.0 */
/* Turn symbols of C++ and Rust into names as the source has them. */
#ifndef MEMLAT_DEMANGLE_H
#define MEMLAT_DEMANGLE_H

#include "../util/xalloc.h"

/* A symbol's readable name, without a version; if it is not mangled, the symbol itself. */
const char *demangle(struct pool *pool, const char *symbol);

#endif
