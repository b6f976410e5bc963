/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the kernel's symbols from its memory. That is faster than /proc/kallsyms, where the kernel
 * takes 2,600 instructions to print each of 200,000. Symbols of modules are read with the layout
 * that BTF describes.
 */
#ifndef MEMLAT_KALLSYMS_CORE_H
#define MEMLAT_KALLSYMS_CORE_H

#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"

/*
 * Add the symbols to *all, which has to have no rows, in no order. begin holds the first lines of
 * /proc/kallsyms, which the symbols found have to match. Symbols outside the tables that are read
 * here (BPF programs, the tracer's code) are missing. Returns false, and leaves no rows, if the
 * tables are not understood.
 */
bool kallsyms_from_core(struct kallsyms *all, const struct kernel_core *core,
			const struct btf *btf, const char *begin);

/*
 * Look up a few symbols of the kernel itself, none of them per-CPU, in a fraction of the time that
 * all take. Returns whether all were found.
 */
bool kallsyms_core_find(const struct kernel_core *core, const char *const *names, size_t nr,
			__u64 *addresses);

#endif
