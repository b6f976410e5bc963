/* SPDX-License-Identifier: GPL-2.0 */
/* What stands in for the kernel and for a CPU's registers under files of module/ and module/hw. */
#ifndef HW_STUBS_H
#define HW_STUBS_H

#include "core_test.h"

/* What follows is in place of what these files need of the kernel. */
typedef __s64 s64;
typedef struct { s64 counter; } atomic64_t;
typedef struct { u64 value; } pte_t;
struct irq_work { int unused; };
struct page;
struct pt_regs;
struct pmu {
	void (*pmu_disable)(struct pmu *pmu);
	void (*pmu_enable)(struct pmu *pmu);
};
struct perf_event { struct pmu *pmu; };
struct debug_store { u64 pebs_index, pebs_interrupt_threshold, pebs_event_reset[8]; };

#define PAGE_SIZE			4096
#define PEBS_BUFFER_SIZE		(PAGE_SIZE << 4)
#define BIT(n)				(1UL << (n))
#define BIT_ULL(n)			(1ULL << (n))
#define GENMASK_ULL(high, low)		((~0ULL >> (63 - (high))) & (~0ULL << (low)))
#define READ_ONCE(x)			(x)
#define WRITE_ONCE(x, value)		((x) = (value))
#define max_t(type, a, b)		((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define barrier()			__asm__ volatile("" : : : "memory")
#define cpu_relax()			((void)0)
#define noinline			__attribute__((noinline))
#define __aligned(n)			__attribute__((aligned(n)))
#define ____cacheline_aligned		__attribute__((aligned(64)))
#define __percpu
#define __init
#ifndef HW_CPUS
#define HW_CPUS				1
#endif
#define per_cpu_ptr(pointer, cpu)	((pointer) + (HW_CPUS > 1 ? (int)(cpu) : 0))
#define this_cpu_ptr(pointer)		((pointer) + (HW_CPUS > 1 ? this_cpu : 0))
#define this_cpu_read(x)		(x)
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < HW_CPUS; (cpu)++)
#define time_after_eq(a, b)		((long)((a) - (b)) >= 0)
#define NMI_LOCAL			0
#define NMI_FLAG_FIRST			1
#define NMI_DONE			0
#define NMI_HANDLED			1
#define register_nmi_handler(type, handler, flags, name)	((void)(handler), 0)
#define unregister_nmi_handler(type, name)	((void)0)
#define user_mode(regs)			((void)(regs), true)
#define X86_FEATURE_PTI			0
#define cpu_feature_enabled(feature)	false
#define X86_CR4_VMXE			BIT(13)
#define native_read_cr4()		0UL
#define in_nmi()			in_pmi
#define APIC_LVTPC			0x340
#define APIC_LVT_MASKED			0x10000
#define APIC_DM_NMI			0x400
#define APIC_DM_FIXED			0
#define APIC_MODE_MASK			0x700
#define APIC_VECTOR_MASK		0xff
#define CONFIG_PERF_GUEST_MEDIATED_PMU	1
#define PERF_GUEST_MEDIATED_PMI_VECTOR	0xf5
#define IS_ENABLED(config)		config
#define MSR_ARCH_PERFMON_EVENTSEL0	0x186
#define MSR_ARCH_PERFMON_FIXED_CTR0	0x309
#define MSR_CORE_PERF_FIXED_CTR_CTRL	0x38d
#define MSR_CORE_PERF_GLOBAL_STATUS	0x38e
#define MSR_CORE_PERF_GLOBAL_CTRL	0x38f
#define MSR_CORE_PERF_GLOBAL_OVF_CTRL	0x390
#define MSR_IA32_PEBS_ENABLE		0x3f1
#define MSR_PEBS_LD_LAT_THRESHOLD	0x3f6
#define MSR_IA32_DS_AREA		0x600

#define COUNTER_MSR	0xc1
#define UNUSED_SELECT	(MSR_ARCH_PERFMON_EVENTSEL0 + 3)	/* of a counter that memlat leaves */
#define BASE		0x1000

static u64 registers[0x2000];
static u64 stuck;		/* bits of GLOBAL_STATUS that cannot be cleared */
static u32 lvtpc_now;
static bool in_pmi;
/* What happens before a register is read, and after one was written, not in a PMI. */
static void (*before_read)(u32 index), (*after_write)(u32 index, u64 value);
static unsigned long __attribute__((unused)) jiffies;
static int __attribute__((unused)) this_cpu;

static inline u64 native_rdmsrq(u32 index)
{
	if (before_read && !in_pmi)
		before_read(index);
	return registers[index];
}

static inline void native_wrmsrq(u32 index, u64 value)
{
	if (index == MSR_CORE_PERF_GLOBAL_OVF_CTRL)
		registers[MSR_CORE_PERF_GLOBAL_STATUS] &= ~value | stuck;
	else
		registers[index] = value;
	if (after_write && !in_pmi)
		after_write(index, value);
}

static u32 lvtpc_read(u32 reg)
{
	return lvtpc_now;
}

static void lvtpc_write(u32 reg, u32 value)
{
	lvtpc_now = value;
}

static const struct {
	u32 (*read)(u32 reg);
	void (*write)(u32 reg, u32 value);
} the_apic = { lvtpc_read, lvtpc_write }, *const apic = &the_apic;

#define MEMLAT_HW_WHO_H
struct memlat_who { int unused; };
struct memlat_vfork_parent { int unused; };
struct task_struct;
#define memlat_vfork_parent_of(of, task)	((void)(of), (void)(task))
#define current	((const struct task_struct *)NULL)

#define memlat_rdpmc	memlat_rdpmc_of_hardware
#include "../../module/hw/msr.h"
#undef memlat_rdpmc

/* Each counter has counted some events of its period, and none is due. */
static inline u64 memlat_rdpmc(u32 counter)
{
	return -7 & (BIT_ULL(48) - 1);
}

#endif
