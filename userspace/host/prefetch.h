/* SPDX-License-Identifier: GPL-2.0 */
/* Hardware prefetchers by name, and their state on each CPU. */
#ifndef MEMLAT_HOST_PREFETCH_H
#define MEMLAT_HOST_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#define PREFETCH_KINDS		8
/* "l2,adjacent,dcu,ip,page,amp,llcpage,aop" and a terminating zero */
#define PREFETCH_TEXT_MAX	48
#define PREFETCH_NAMES		"l2, adjacent, dcu, ip, page, amp, llcpage, aop"

/* The name of the kind with this bit: "l2" for bit 0. */
const char *prefetch_name(unsigned int kind);

/* Parse "l2,dcu"; false, without changing kinds, if a word is none of the names. */
bool prefetch_parse(const char *text, __u32 *kinds);

/* "l2,dcu"; "" if there are none. Returns out. */
char *prefetch_text(char out[PREFETCH_TEXT_MAX], __u32 kinds);

/* CPUs whose prefetchers are in the same state. */
struct prefetch_group {
	__u64 cpus[MEMLAT_CPU_WORDS];
	bool online;
	__u32 known, off, held;	/* MEMLAT_PREFETCH_* */
};

struct prefetch_state {
	__u32 known;		/* kinds that any CPU has */
	__u32 owner;		/* enum memlat_prefetch_owner */
	size_t nr;
	struct prefetch_group *groups;	/* sorted by their first CPU */
};

/* Add what the device says of one CPU. */
void prefetch_add(struct prefetch_state *state, unsigned int cpu,
		  const struct memlat_prefetch *told);
void prefetch_free(struct prefetch_state *state);

#endif
