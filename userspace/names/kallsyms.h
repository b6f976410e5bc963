/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel's symbols, from /proc/kallsyms. */
#ifndef MEMLAT_KALLSYMS_H
#define MEMLAT_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "../util/xalloc.h"
#include "btf.h"
#include "kernel_core.h"

struct btf;
struct kernel_core;

struct ksym {
	__u64 start, end;
	const char *name, *module;
	char type;
	bool code, wanted;
	bool freed;		/* the memory was given back when the kernel had started */
};

struct kallsyms {
	const char *root;	/* ahead of /proc and /sys; NULL: nothing, as outside of tests */
	char *text_read;	/* the text of /proc/kallsyms, holds the names; NULL: from_core */
	struct pool pool;	/* holds the names if from_core */
	struct ksym *rows;	/* sorted by start, one row for each address */
	size_t nr, room;
	struct ksym *local;	/* modules' per-CPU variables: start is the kernel's pointer */
	size_t nr_local;
	bool from_core;		/* read from memory: BPF programs and the like are missing */
	__u64 text;		/* where the kernel's own code begins; 0: not known */
	__u64 percpu, percpu_end;	/* the kernel's per-CPU section; 0, 0: not known */
	size_t nr_cpus;		/* entries of cpu; 0: not known */
	__u64 *cpu;		/* by CPU: added to a pointer, gives its copy; 0: no such CPU */
};

/*
 * Fill in *all, which has to be zeroed. If core and btf are given, the symbols are read from the
 * kernel's memory where possible; either may be NULL. Returns 0, -EACCES if the addresses are
 * hidden from this user, or another -errno.
 */
int kallsyms_read(struct kallsyms *all, const struct kernel_core *core, const struct btf *btf);
void kallsyms_free(struct kallsyms *all);

/* The symbol that holds an address; NULL: none does. */
struct ksym *kallsyms_at(const struct kallsyms *all, __u64 address);

/* The address of a symbol of the kernel itself, not of a module; false: none has this name. */
bool kallsyms_named(const struct kallsyms *all, const char *name, __u64 *address);

/* A module's per-CPU variable, by the kernel's pointer to it; NULL: none. */
struct ksym *kallsyms_local_at(const struct kallsyms *all, __u64 pointer);
/* The per-CPU variable of which a CPU has a copy at an address, and that CPU; NULL: none. */
struct ksym *kallsyms_copy_at(const struct kallsyms *all, __u64 address, size_t *cpu);

static inline bool kallsyms_in_percpu(const struct kallsyms *all, __u64 address)
{
	return address - all->percpu < all->percpu_end - all->percpu;
}

/*
 * Read the kernel's symbols from its memory. That is faster than /proc/kallsyms, where the kernel
 * takes 2,600 instructions to print each of 200,000. Symbols of modules are read with the layout
 * that BTF describes.
 */

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
