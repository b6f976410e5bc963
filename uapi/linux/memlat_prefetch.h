/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Hardware prefetchers, and the argument of MEMLAT_IOC_PREFETCH. The top of memlat.h, which
 * includes this file, describes the ioctl.
 */
#ifndef _UAPI_LINUX_MEMLAT_PREFETCH_H
#define _UAPI_LINUX_MEMLAT_PREFETCH_H

#include <linux/types.h>

/*
 * Prefetchers, as bits of MSR 0x1a4 (MISC_FEATURE_CONTROL, PREFETCH_CONTROL).
 * memlat_prefetch.known says which of them a CPU has.
 */
#define MEMLAT_PREFETCH_L2	(1U << 0)	/* streams, to L2 */
#define MEMLAT_PREFETCH_ADJACENT (1U << 1)	/* the other line of 128 bytes, to L2 */
#define MEMLAT_PREFETCH_DCU	(1U << 2)	/* the next line, to L1 */
#define MEMLAT_PREFETCH_IP	(1U << 3)	/* an instruction's next stride, to L1 */
#define MEMLAT_PREFETCH_PAGE	(1U << 4)	/* the next page's lines, to L1 */
#define MEMLAT_PREFETCH_AMP	(1U << 5)	/* by patterns seen before, to L2 */
#define MEMLAT_PREFETCH_LLC_PAGE (1U << 6)	/* the next page's lines, to the last level */
#define MEMLAT_PREFETCH_AOP	(1U << 7)	/* what an array of pointers points to */
#define MEMLAT_PREFETCH_ALL	((1U << 8) - 1)

enum memlat_prefetch_op {
	MEMLAT_PREFETCH_SHOW	= 0,	/* show those of one CPU */
	MEMLAT_PREFETCH_OFF	= 1,	/* turn off, in addition to those that are off already */
	MEMLAT_PREFETCH_ON	= 2	/* put back */
};

/* memlat_prefetch.flags */
#define MEMLAT_PREFETCH_F_TIED	(1U << 0)	/* OFF: until this open file is closed */

/* Who holds prefetchers off. */
enum memlat_prefetch_owner {
	MEMLAT_PREFETCH_NOBODY	= 0,
	MEMLAT_PREFETCH_KEPT	= 1,	/* the module: until someone asks for ON */
	MEMLAT_PREFETCH_FILE	= 2,	/* another open file */
	MEMLAT_PREFETCH_MINE	= 3	/* this one */
};

/**
 * struct memlat_prefetch - show or change prefetchers
 * @size: sizeof(struct memlat_prefetch) of the caller
 * @reason: in: 0; out, when refused: enum memlat_why
 * @op: enum memlat_prefetch_op
 * @kinds: OFF, ON: MEMLAT_PREFETCH_* to change; 0: all. SHOW: 0
 * @flags: MEMLAT_PREFETCH_F_*
 * @cpu: SHOW: the CPU; else 0
 * @known: prefetchers that can be turned off on @cpu; OFF, ON: on any CPU here. 0: none
 * @off: SHOW: prefetchers that are off now
 * @held: SHOW: the part of @off that memlat has turned off
 * @owner: enum memlat_prefetch_owner
 * @online: SHOW: whether the CPU is online; if not, @off is not known and 0
 * @changed: number of CPUs on which someone else had turned on what was held off
 * @cpus: OFF, ON: on these CPUs, as in struct memlat_config; all zero: on all, also
 *	those that come online later
 */
struct memlat_prefetch {
	__u32 size;
	__u32 reason;
	__u32 op;
	__u32 kinds;
	__u32 flags;
	__u32 cpu;
	__u32 known;
	__u32 off;
	__u32 held;
	__u32 owner;
	__u32 online;
	__u32 changed;
	__u64 cpus[MEMLAT_CPU_WORDS];
};

#endif /* _UAPI_LINUX_MEMLAT_PREFETCH_H */
