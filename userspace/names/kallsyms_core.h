/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's symbols from where it keeps them: to print them it takes 2,600 instructions for each
 * of 200,000. Its modules' are read with the layout that BTF tells.
 */
#ifndef MEMLAT_KALLSYMS_CORE_H
#define MEMLAT_KALLSYMS_CORE_H

#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"

/*
 * Rows in no order, into one that has none. begin: the first lines of /proc/kallsyms, which have to be
 * what is found. What the kernel has no list of in its memory that is read here (BPF programs, the
 * tracer's code) is missing. False: not understood, and there are no rows.
 */
bool kallsyms_from_core(struct kallsyms *all, const struct kernel_core *core,
			const struct btf *btf, const char *begin);

#endif
