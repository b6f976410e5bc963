/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel's symbols, from /proc/kallsyms. */
#ifndef MEMLAT_KALLSYMS_H
#define MEMLAT_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "../util/pool.h"

struct btf;
struct kernel_core;

struct ksym {
	__u64 start, end;
	const char *name, *module;
	char type;
	bool code, wanted;
};

struct kallsyms {
	char *text_read;	/* where the names stand */
	struct pool pool;	/* and those of modules, where they were read from memory */
	struct ksym *rows;	/* by start, one an address */
	size_t nr, room;
	struct ksym *local;	/* modules' per-CPU variables: starts are the kernel's pointers to them */
	size_t nr_local;
	bool hidden;		/* all addresses are 0 */
	bool from_core;		/* read from memory: BPF programs and the like are missing */
	__u64 text, text_end, init, init_end;	/* the kernel's own code */
	__u64 percpu, percpu_end;	/* 0, 0: not known */
	size_t nr_cpus;
	__u64 *cpu;		/* what to add to reach each one's copy; 0: no such CPU */
};

/*
 * Into one that is all zeroes; core and btf: where they may be read it is from the kernel's memory,
 * else NULL. 0, -EACCES: hidden from this user, or -errno.
 */
int kallsyms_read(struct kallsyms *all, const struct kernel_core *core, const struct btf *btf);
void kallsyms_free(struct kallsyms *all);

/* NULL: none is there. */
struct ksym *kallsyms_at(const struct kallsyms *all, __u64 address);

/* The address of one of the kernel itself; false: it has none of that name. */
bool kallsyms_named(const struct kallsyms *all, const char *name, __u64 *address);

/* The same of a module's per-CPU variable, by the kernel's pointer. */
struct ksym *kallsyms_local_at(const struct kallsyms *all, __u64 pointer);

static inline bool kallsyms_in_percpu(const struct kallsyms *all, __u64 address)
{
	return address - all->percpu < all->percpu_end - all->percpu;
}

#endif
