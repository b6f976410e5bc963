/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers that <asm/msr-index.h> does not name in all kernels that memlat supports, and the bits
 * of registers that memlat uses. SDM vol. 4, chapter 2.
 */
#ifndef MEMLAT_HW_MSR_H
#define MEMLAT_HW_MSR_H

#include <linux/bits.h>
#include <asm/msr-index.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#define MEMLAT_EVTSEL_USR	BIT_ULL(16)
#define MEMLAT_EVTSEL_OS	BIT_ULL(17)
#define MEMLAT_EVTSEL_INT	BIT_ULL(20)
#define MEMLAT_EVTSEL_EN	BIT_ULL(22)
#define MEMLAT_EVTSEL_CMASK	24		/* bits 31:24: cycles with at least so many */
#define MEMLAT_EVTSEL_ADAPTIVE	BIT_ULL(34)	/* records with the groups of PEBS_DATA_CFG */

/* IA32_PEBS_ENABLE: below perfmon version 5, 32+i is load latency on counter i. */
#define MEMLAT_PEBS_EN(i)	BIT_ULL(i)
#define MEMLAT_PEBS_EN_LL(i)	BIT_ULL(32 + (i))
#define MEMLAT_PEBS_EN_STORE	BIT_ULL(63)	/* precise store, Sandy and Ivy Bridge */

/* The groups of an adaptive record in addition to the basic one; named since Linux 5.2. */
#define MEMLAT_MSR_DATA_CFG	0x3f2
#define MEMLAT_DATA_CFG		BIT_ULL(0)	/* memory: address, source, latency */

/* Architectural PEBS (arch.c); named since Linux 7.0. CFG_C: 4 registers to a counter. */
#define MEMLAT_MSR_PEBS_BASE	0x3f4
#define MEMLAT_MSR_PEBS_INDEX	0x3f5
#define MEMLAT_MSR_CFG_C	0x1903
#define MEMLAT_MSR_FIXED_CFG_C	0x1983

/* Not of the PMU; MSR_MISC_FEATURE_CONTROL in all kernels since 6.1. */
#define MEMLAT_MSR_PREFETCH	0x1a4

/* GLOBAL_STATUS and GLOBAL_OVF_CTRL. */
#define MEMLAT_STATUS_DS	BIT_ULL(62)	/* DS buffer at its threshold */
#define MEMLAT_STATUS_ARCH	BIT_ULL(54)	/* buffer of architectural PEBS at its threshold */
/* Since perfmon version 4: a PMI has frozen LBRs or counters until this is acknowledged. */
#define MEMLAT_STATUS_FROZEN	(BIT_ULL(58) | BIT_ULL(59))

/* IA32_PERF_CAPABILITIES. */
#define MEMLAT_CAP_FORMAT(x)	(((x) >> 8) & 0xf)
#define MEMLAT_CAP_FULL_WIDTH	BIT_ULL(13)
#define MEMLAT_CAP_BASELINE	BIT_ULL(14)	/* adaptive records */

/* IA32_FIXED_CTR_CTRL has 4 bits per counter; counter 1 counts core cycles. */
#define MEMLAT_FIXED_CYCLES	0xf0ULL
#define MEMLAT_FIXED_COUNT	0x30ULL		/* in all rings, and no PMI */
#define MEMLAT_CTRL_CYCLES	BIT_ULL(33)	/* its bit in GLOBAL_CTRL and _STATUS */
#define MEMLAT_MSR_CYCLES	(MSR_ARCH_PERFMON_FIXED_CTR0 + 1)
#define MEMLAT_PMC_CYCLES	(BIT(30) | 1)	/* as RDPMC names it */
#define MEMLAT_SELECT_CYCLES	0x003c

/* Fixed counter 0 counts instructions. Bits of both counters, by ring. */
#define MEMLAT_FIXED_BOTH	0xffULL
#define MEMLAT_FIXED_OS		0x11ULL
#define MEMLAT_FIXED_USR	0x22ULL
#define MEMLAT_CTRL_INSTRUCTIONS BIT_ULL(32)
#define MEMLAT_MSR_INSTRUCTIONS	MSR_ARCH_PERFMON_FIXED_CTR0

/* RDPMC is cheaper than RDMSR. The kernel's own function may trace, which an NMI must not. */
static inline u64 memlat_rdpmc(u32 counter)
{
	u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return (u64)high << 32 | low;
}

#endif /* MEMLAT_HW_MSR_H */
