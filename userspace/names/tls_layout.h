/* SPDX-License-Identifier: GPL-2.0 */
/* Compute how far below the thread pointer each file of a process has its thread-local block. */
#ifndef MEMLAT_TLS_LAYOUT_H
#define MEMLAT_TLS_LAYOUT_H

#include "naming.h"

struct tls_block {
	struct elf_file *file;
	__u64 below;		/* distance of its start from the thread pointer */
};

struct tls_layout {
	struct elf_file *program;
	size_t nr;
	struct tls_block *blocks;	/* blocks whose place is certain, the program's first */
	__u64 sure;		/* down to this distance there are no blocks but these */
	__u64 reach;		/* down to this distance all is thread-local data of some file */
};

/*
 * The layout covers the program and the libraries that were loaded with it. Blocks of libraries
 * that were loaded later are wherever the loader found room. NULL: the program is not known.
 */
const struct tls_layout *tls_layout_of(struct namer *namer, const struct history_image *image);

#endif
