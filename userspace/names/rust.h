/* SPDX-License-Identifier: GPL-2.0 */
/* Names that the Rust compiler made, as people write them. */
#ifndef MEMLAT_RUST_H
#define MEMLAT_RUST_H

#include <stdbool.h>
#include <stddef.h>

/* Of the v0 scheme ("_R..."). False: it is none, or too long. */
bool rust_demangle(const char *mangled, char *text, size_t room);
/* Of the older scheme, which is C++'s but for its escapes and a hash at the end. */
bool rust_is_legacy(const char *mangled);
/* What C++'s rules made of such a name, in its place. */
void rust_tidy_legacy(char *text);

#endif
