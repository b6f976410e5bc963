/* SPDX-License-Identifier: GPL-2.0 */
/* Hardware prefetchers by name, and what each CPU's do. */
#ifndef MEMLAT_HOST_PREFETCH_H
#define MEMLAT_HOST_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#define PREFETCH_KINDS		8
#define PREFETCH_TEXT_MAX	48	/* "l2,adjacent,dcu,ip,page,amp,llcpage,aop" and its end */
#define PREFETCH_NAMES		"l2, adjacent, dcu, ip, page, amp, llcpage, aop"

/* "l2": of bit 0, and so on. */
const char *prefetch_name(unsigned int kind);

/* "l2,dcu" to bits; false, and kinds as it was: a word in it is none of the names. */
bool prefetch_parse(const char *text, __u32 *kinds);

/* "l2,dcu"; "" of none. Returns out. */
char *prefetch_text(char out[PREFETCH_TEXT_MAX], __u32 kinds);

/* CPUs whose prefetchers do the same. */
struct prefetch_group {
	__u64 cpus[MEMLAT_CPU_WORDS];
	bool online;
	__u32 known, off, held;	/* MEMLAT_PREFETCH_* */
};

struct prefetch_state {
	__u32 known;		/* of any CPU */
	__u32 owner;		/* enum memlat_prefetch_owner */
	size_t nr;
	struct prefetch_group *groups;	/* in the order of their first CPU */
};

/* Add what the device says of one CPU. */
void prefetch_add(struct prefetch_state *state, unsigned int cpu,
		  const struct memlat_prefetch *told);
void prefetch_free(struct prefetch_state *state);

#endif
