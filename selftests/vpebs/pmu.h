/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PMU of the cores of a struct vp_model: counters, PEBS formats 1 to 6, architectural PEBS
 * (pmu_arch.c), and the rules that its users must keep. It does not depend on QEMU: struct
 * vp_pmu_ops gives access to memory, registers, time and the interrupt.
 *
 * Where silicon varies or is not documented, the model does this:
 * - The event that overflows a PEBS counter is the one that is recorded, so the number of records
 *   is exactly events / period. With the option "after", the overflow arms the counter, the next
 *   event is recorded, and then the counter is reloaded: exactly events / (period + 1) records, the
 *   last of which may be due. (SDM 3B, "Processor Event Based Sampling": the overflow arms the PEBS
 *   hardware, and the next event is captured.) This does not apply to the event of stores on
 *   counter 0 of Golden Cove and later, which is precisely distributed (PDist), nor to instructions
 *   and cycles. A write to the counter disarms it, and so does another event in its event select,
 *   or an end of its PEBS.
 * - Load latency only sees tagged loads, and one in tag loads (vp_pmu_configure) is tagged at
 *   random: "Counts randomly selected loads" (Intel's event lists); SDM 3B, "Load Latency
 *   Performance Monitoring Facility". The next tagged load follows 1 to 2 tag - 1 loads later, but
 *   not before the last one has retired. A Xeon Gold 6126 and an E5-2650 v2 saw one load in 14 to
 *   100 (github.com/PerfLab-EXaCT/ubench).
 * - PEBS counters do not set their own overflow bit in GLOBAL_STATUS, only bit 62. A record of
 *   formats 1 and 2 has a copy of GLOBAL_STATUS with the bits of its counters, and of those whose
 *   record is still on its way (vp_pmu_late).
 * - Cycles, reference cycles and slots all advance by one per instruction, so PERF_METRICS says
 *   that all slots retired something. With vp_pmu_timing() all of them advance by a clock; nothing
 *   else differs.
 * - With that clock, a counter's events are added in intervals, so its overflow comes late.
 * - A PMI that finds LVTPC masked is held, and sent when LVTPC is unmasked, unless its
 *   GLOBAL_STATUS bits were cleared by then. Several held PMIs are sent as one.
 * - A record at or past the threshold raises a PMI, and so does a record that is lost because the
 *   buffer is full, unless GLOBAL_STATUS still has bit 62 from an earlier one (as in Linux' KVM).
 * - FREEZE_PERFMON_ON_PMI: when a PMI is raised, masked or not, GLOBAL_STATUS gets bit 59, and
 *   nothing counts until software clears it through GLOBAL_STATUS_RESET. Before version 4,
 *   GLOBAL_CTRL becomes 0 instead. SDM 3B, "Freezing LBR and Performance Counters on PMI"; Intel's
 *   sampling driver (SEP) clears bits 58 and 59 each time that it programs the counters.
 * - A write for which silicon would raise #GP is ignored and reported.
 * - While a PEBS counter counts, the pages of the DS area and its buffer must stay mapped as they
 *   were when it began, in all page tables in use. A buffer that is freed but still mapped is not
 *   noticed.
 */
#ifndef VPEBS_PMU_H
#define VPEBS_PMU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "options.h"

#define VP_PMU_COUNTERS	(VP_PMU_GP_MAX + VP_PMU_FIXED_MAX)

enum vp_msr {
	VP_MSR_PMC0		= 0x0c1,
	VP_MSR_EVTSEL0		= 0x186,
	VP_MSR_PREFETCH		= 0x1a4,	/* MISC_FEATURE_CONTROL, one per core; not PMU */
	VP_MSR_OFFCORE_RSP0	= 0x1a6,
	VP_MSR_OFFCORE_RSP1	= 0x1a7,
	VP_MSR_DEBUGCTL		= 0x1d9,
	VP_MSR_FIXED_CTR0	= 0x309,
	VP_MSR_METRICS		= 0x329,
	VP_MSR_PERF_CAPS	= 0x345,
	VP_MSR_FIXED_CTR_CTRL	= 0x38d,
	VP_MSR_GLOBAL_STATUS	= 0x38e,
	VP_MSR_GLOBAL_CTRL	= 0x38f,
	VP_MSR_GLOBAL_RESET	= 0x390,	/* OVF_CTRL */
	VP_MSR_GLOBAL_SET	= 0x391,
	VP_MSR_PEBS_ENABLE	= 0x3f1,
	VP_MSR_PEBS_DATA_CFG	= 0x3f2,
	VP_MSR_PEBS_BASE	= 0x3f4,	/* architectural PEBS */
	VP_MSR_PEBS_INDEX	= 0x3f5,
	VP_MSR_LD_LAT		= 0x3f6,
	VP_MSR_FRONTEND		= 0x3f7,
	VP_MSR_A_PMC0		= 0x4c1,
	VP_MSR_DS_AREA		= 0x600,
	VP_MSR_SNOOP_RSP0	= 0x1328,
	/* Version 6: four addresses per counter; value, event select, and two more. */
	VP_MSR_V6_GP		= 0x1900,
	VP_MSR_V6_FIXED		= 0x1980,
};

#define VP_COUNTER_MASK		((1ULL << 48) - 1)
#define VP_STATUS_ARCH_PEBS	(1ULL << 54)	/* PEBS_INDEX at its threshold */
#define VP_STATUS_LBR_FROZEN	(1ULL << 58)
#define VP_STATUS_FROZEN	(1ULL << 59)	/* no counter counts until it is cleared */
#define VP_STATUS_DS		(1ULL << 62)
#define VP_DEBUGCTL_FREEZE_LBR	(1ULL << 11)	/* on a PMI */
#define VP_DEBUGCTL_FREEZE	(1ULL << 12)	/* the same, counters */
#define VP_EVTSEL_USR		(1ULL << 16)
#define VP_EVTSEL_OS		(1ULL << 17)
#define VP_EVTSEL_EDGE		(1ULL << 18)
#define VP_EVTSEL_INT		(1ULL << 20)
#define VP_EVTSEL_ANY		(1ULL << 21)
#define VP_EVTSEL_EN		(1ULL << 22)
#define VP_EVTSEL_INV		(1ULL << 23)
#define VP_EVTSEL_CMASK		(0xffULL << 24)
#define VP_EVTSEL_ADAPTIVE	(1ULL << 34)
#define VP_PRECISE_STORE	(1ULL << 63)	/* of PEBS_ENABLE */
#define VP_CTRL_METRICS		(1ULL << 48)
#define VP_LVT_MASKED		(1u << 16)
#define VP_LVT_MODE		(7u << 8)
#define VP_LVT_NMI		(4u << 8)

/*
 * Architectural PEBS. PEBS_BASE: the buffer's physical address, and the logarithm of its pages.
 * PEBS_INDEX counts in units of 16 bytes.
 */
#define VP_PEBS_BASE_PAGES	0xfULL
#define VP_PEBS_UNIT		16
#define VP_PEBS_INDEX_AT(v)	((v) >> 4 & 0x7fffff)	/* where the next record goes */
#define VP_PEBS_INDEX_SET(at)	((uint64_t)(at) << 4)
#define VP_PEBS_INDEX_FULL	(1ULL << 31)
#define VP_PEBS_INDEX_ENABLE	(1ULL << 32)
#define VP_PEBS_INDEX_LIMIT(v)	((v) >> 36 & 0x7fffff)	/* a PMI from there on */
#define VP_PEBS_INDEX_LIMIT_SET(at) ((uint64_t)(at) << 36)

/* Bits of a counter's CFG_C, and of a fragment's header. Bits 31:0 of CFG_C: what it reloads. */
#define VP_CFG_C_RELOAD		0xffffffffULL
#define VP_FRAGMENT_SIZE	0xffffULL
#define VP_FRAGMENT_64		(1ULL << 30)
#define VP_FRAGMENT_GOES_ON	(1ULL << 31)
#define VP_CFG_C_GPR		(1ULL << 61)
#define VP_CFG_C_AUX		(1ULL << 62)	/* address, source, latency */
#define VP_CFG_C_PEBS		(1ULL << 63)	/* of a header: the basic group is there */

/* Groups of an adaptive record: bits of PEBS_DATA_CFG and of its first word. */
enum vp_group {
	VP_GROUP_MEMINFO	= 1 << 0,
	VP_GROUP_GPRS		= 1 << 1,
	VP_GROUP_XMM		= 1 << 2,
	VP_GROUP_LBR		= 1 << 3,	/* bits 31:24: entries, less one */
	VP_GROUP_COUNTERS	= 1 << 4,	/* bits 47:32 and 55:48: which */
	VP_GROUP_METRICS	= 1 << 5,
};
#define VP_LBR_ENTRIES	32

/* The first words of a fixed record: rflags, rip, ax bx cx dx si di bp sp, r8 to r15. */
#define VP_RECORD_REGS	18

/* Fields of the DS area. */
enum vp_ds {
	VP_DS_PEBS_BASE		= 0x20,
	VP_DS_PEBS_INDEX	= 0x28,
	VP_DS_PEBS_MAX		= 0x30,
	VP_DS_PEBS_THRESHOLD	= 0x38,
	VP_DS_RESET0		= 0x40,
	VP_DS_MAX		= 0x1c0,	/* of the largest */
};

/* How much of a DS area a core reads, and where counter i's reload value is in it. */
unsigned int vp_ds_size(const struct vp_core *core);
unsigned int vp_ds_reset(const struct vp_core *core, unsigned int i);

/* The result of a counter's overflow. The glue maps it to enum vp_fate. */
enum vp_pmu_fate {
	VP_PMU_WRITTEN,
	VP_PMU_BUFFER_FULL,
	VP_PMU_DS_UNMAPPED,
	VP_PMU_BAD_DS,
};

/* All are called by the thread that runs the CPU, except clock. */
struct vp_pmu_ops {
	/* Access linear memory through the page tables in use on this CPU. */
	bool (*read)(void *ctx, unsigned int cpu, uint64_t addr, void *buf, size_t size);
	bool (*write)(void *ctx, unsigned int cpu, uint64_t addr, const void *buf, size_t size);
	/* Write physical memory; false: there is none at that address. */
	bool (*write_phys)(void *ctx, unsigned int cpu, uint64_t paddr, const void *buf,
			   size_t size);
	/* Words 0 to 17 of a record, for the instruction that is being sampled. */
	void (*regs)(void *ctx, unsigned int cpu, uint64_t regs[VP_RECORD_REGS]);
	uint64_t (*tsc)(void *ctx, unsigned int cpu);
	uint32_t (*lvtpc_read)(void *ctx, unsigned int cpu);
	void (*lvtpc_write)(void *ctx, unsigned int cpu, uint32_t value);
	void (*nmi)(void *ctx, unsigned int cpu);
	/* Find the physical page of a linear one, as read and write do. */
	bool (*page)(void *ctx, unsigned int cpu, uint64_t addr, uint64_t *paddr);
	/* All instructions that a CPU has executed. Any thread may call this one. */
	uint64_t (*clock)(void *ctx, unsigned int cpu);
	/*
	 * Reports. access is NULL if no memory access overflowed the counter. word: the data source
	 * of a load-latency record, or of a store's record if that has one (vp_stores_tell), else
	 * VP_NO_WORD.
	 */
	void (*counted)(void *ctx, const struct vp_access *access,
			const struct vp_outcome *outcome);
	void (*record)(void *ctx, unsigned int cpu, const struct vp_access *access,
		       enum vp_pmu_fate fate, uint32_t word);
	void (*pmi)(void *ctx, unsigned int cpu, bool sent);
	void (*violation)(void *ctx, unsigned int cpu, uint64_t ip, const char *kind,
			  const char *detail);
};

struct vp_pmu;

/*
 * A counter is known by its index: general ones from 0, fixed ones from
 * VP_PMU_GP_MAX on. NULL and errno: EINVAL, ENOMEM.
 */
struct vp_pmu *vp_pmu_new(unsigned int cpus, const struct vp_model *model,
			  const struct vp_pmu_ops *ops, void *ctx);
void vp_pmu_free(struct vp_pmu *pmu);

/* Set options of the machine that its model does not determine; before any CPU runs. */
void vp_pmu_configure(struct vp_pmu *pmu, const struct vp_options *options);

/*
 * Does the PMU handle the MSR? False: another part of the machine does. Also true for MSRs that
 * only other PMUs have: accesses to them raise #GP on silicon, and are reported here.
 */
bool vp_pmu_owns(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr);
uint64_t vp_pmu_rdmsr(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr, uint64_t ip);
void vp_pmu_wrmsr(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr, uint64_t value,
		  uint64_t ip);
/* Another thread of the CPU's core has written MISC_FEATURE_CONTROL. Any thread may call this. */
void vp_pmu_set_prefetch(struct vp_pmu *pmu, unsigned int cpu, uint64_t value);
uint64_t vp_pmu_rdpmc(struct vp_pmu *pmu, unsigned int cpu, uint32_t index, uint64_t ip);

/* A load or store was done. */
void vp_pmu_access(struct vp_pmu *pmu, const struct vp_access *access,
		   const struct vp_outcome *outcome);

/* n instructions of user or kernel code were executed, up to ip. */
void vp_pmu_retire(struct vp_pmu *pmu, unsigned int cpu, bool user, uint64_t n, uint64_t ip);

/*
 * Use a clock (timing.h); called before any CPU runs. From then on the counts of that clock have to
 * be reported, by enum vp_count. Of the counts of accesses only VP_CT_READS is used.
 */
void vp_pmu_timing(struct vp_pmu *pmu);
void vp_pmu_timed(struct vp_pmu *pmu, unsigned int cpu, bool user, const uint64_t *counts,
		  uint64_t ip);
/* Does fixed counter 1 count on this CPU, in this mode? */
bool vp_pmu_counts_cycles(struct vp_pmu *pmu, unsigned int cpu, bool user);

/* Instructions until vp_pmu_retire must be called again; never 0. */
uint64_t vp_pmu_headroom(struct vp_pmu *pmu, unsigned int cpu, bool user);

/* What the counters of any CPU need to be told. */
enum vp_pmu_watch {
	VP_WATCH_NOTHING,
	VP_WATCH_TIME,		/* instructions, cycles */
	VP_WATCH_MEMORY,	/* loads and stores too */
};
enum vp_pmu_watch vp_pmu_watch(struct vp_pmu *pmu, unsigned int cpu);

/*
 * Hold the CPU's next PMI, or record, until PEBS_ENABLE is cleared, and deliver it that many
 * instructions later. Silicon may do so, too rarely for a test to wait for it. Any thread.
 */
void vp_pmu_hold(struct vp_pmu *pmu, unsigned int cpu, uint64_t instructions);
void vp_pmu_late(struct vp_pmu *pmu, unsigned int cpu, uint64_t instructions);

/*
 * If on, load-latency records have the words of a list as their data source, on each CPU from the
 * first one on, and VP_SWEEP_ADDR + 64 * word as their address. Any thread.
 */
void vp_pmu_sweep(struct vp_pmu *pmu, bool on);

/*
 * Let the guest read CR4.VMXE as set. A record that is written more than grace instructions of its
 * CPU later is a violation; UINT64_MAX: none is. Any thread.
 */
void vp_pmu_vmxe(struct vp_pmu *pmu, bool on, uint64_t grace);

/*
 * A VM guest runs on this CPU, or has left it. While it does, nothing may be counted or recorded,
 * and no register of the PMU written. The CPU's own thread.
 */
void vp_pmu_guest(struct vp_pmu *pmu, unsigned int cpu, bool runs, uint64_t ip);

/* The machine is reset or turned off: report what is left on. No CPU runs. */
void vp_pmu_power_off(struct vp_pmu *pmu);

/* The CPU's own thread has just read LVTPC, or seen a write to it. */
void vp_pmu_saw_lvtpc(struct vp_pmu *pmu, unsigned int cpu, uint32_t value);
/* May LVTPC have this value? In x2APIC mode a WRMSR of another one raises #GP; it is reported. */
bool vp_pmu_lvtpc_is_valid(struct vp_pmu *pmu, unsigned int cpu, uint64_t value, uint64_t ip);

/*
 * Save every register of every CPU. Later, report each that differs as a violation "not-restored",
 * and return their number. Values of running counters are left out.
 */
void vp_pmu_photo(struct vp_pmu *pmu);
unsigned int vp_pmu_compare(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip);

#endif
