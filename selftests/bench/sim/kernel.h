/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel that module/hw/budget.c and its headers need, for one simulated CPU, and
 * another one that is never armed.
 */
#ifndef MEMLAT_SIM_KERNEL_H
#define MEMLAT_SIM_KERNEL_H

#include <assert.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../../module/core/types.h"

typedef __s64 s64;
typedef struct { s64 counter; } atomic64_t;

#define HZ			250
#define PAGE_SIZE		4096
#define PEBS_BUFFER_SIZE	(PAGE_SIZE << 4)

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, value)	((x) = (value))
#define barrier()		__asm__ volatile("" ::: "memory")
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define max3(a, b, c)		max(max(a, b), c)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(v, low, high)	min(max(v, low), high)
#define clamp_t(type, v, low, high)	clamp((type)(v), (type)(low), (type)(high))
#define time_after_eq(a, b)	((long)((a) - (b)) >= 0)
#define time_before(a, b)	((long)((a) - (b)) < 0)
#define div_u64(a, b)		((u64)(a) / (u32)(b))
#define div64_u64(a, b)		((u64)(a) / (u64)(b))
#define div64_s64(a, b)		((s64)(a) / (s64)(b))
#define U64_MAX			UINT64_MAX
#define __aligned(n)		__attribute__((aligned(n)))
#define ____cacheline_aligned	__attribute__((aligned(64)))

#ifndef SIM_CPUS
#define SIM_CPUS		2
#endif
#define X86_FEATURE_PTI		0
#define cpu_feature_enabled(feature)	false
#define __percpu
#define per_cpu_ptr(pointer, cpu)	((pointer) + (cpu))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SIM_CPUS; (cpu)++)

static inline void cpus_read_lock(void)
{
}

static inline void cpus_read_unlock(void)
{
}

static inline s64 atomic64_xchg(atomic64_t *v, s64 to)
{
	s64 was = v->counter;

	v->counter = to;
	return was;
}

static inline void atomic64_add(s64 n, atomic64_t *v)
{
	v->counter += n;
}

static inline s64 atomic64_read(const atomic64_t *v)
{
	return v->counter;
}

struct irq_work { int unused; };
struct pmu {
	void (*pmu_disable)(struct pmu *pmu);
	void (*pmu_enable)(struct pmu *pmu);
};
struct perf_event { struct pmu *pmu; };
struct debug_store { u64 pebs_index, pebs_interrupt_threshold, pebs_event_reset[1]; };
struct page;
typedef struct { u64 value; } pte_t;

/* The simulation's clock and cycle counter. */
extern unsigned long jiffies;
extern u64 sim_cycles;

/* These replace hw/msr.h and hw/who.h. */
#define MEMLAT_HW_MSR_H
#define MEMLAT_HW_WHO_H
#define MEMLAT_PMC_CYCLES		0
#define GENMASK_ULL(high, low)	((~0ULL >> (63 - (high))) & (~0ULL << (low)))
#define MSR_CORE_PERF_GLOBAL_CTRL	0
#define APIC_LVTPC			0
#define APIC_DM_NMI			0
#define native_wrmsrq(msr, value)	((void)(value))
/* For architectural PEBS, which the simulated CPU does not have. */
#define native_rdmsrq(msr)		((u64)(msr))
#define MEMLAT_MSR_PEBS_INDEX		0
#define MEMLAT_MSR_CFG_C		0
#define memlat_rdpmc(counter)		sim_cycles

struct memlat_who { int unused; };
struct memlat_vfork_parent { int unused; };
struct task_struct;

/* No guests run. */
#define ktime_get_mono_fast_ns()	0ULL

static const struct { void (*write)(u32 msr, u32 value); } *const apic;

#endif /* MEMLAT_SIM_KERNEL_H */
