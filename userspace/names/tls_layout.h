/* SPDX-License-Identifier: GPL-2.0 */
/* How far below the thread pointer each module of a process has its thread-local block. */
#ifndef MEMLAT_TLS_LAYOUT_H
#define MEMLAT_TLS_LAYOUT_H

#include "naming.h"

struct tls_block {
	struct elf_file *file;
	__u64 below;		/* where it begins, as a distance */
};

struct tls_layout {
	struct elf_file *program;
	size_t nr;
	struct tls_block *blocks;	/* those whose place is certain, the program's first */
	__u64 sure;		/* so far down that is all there is */
	__u64 reach;		/* so far down it is thread-local data, whosever it is */
};

/*
 * Of the program and the libraries that were loaded with it; blocks of those that came
 * later lie where the loader found room. NULL: the program is not known.
 */
const struct tls_layout *tls_layout_of(struct namer *namer, const struct history_image *image);

#endif
