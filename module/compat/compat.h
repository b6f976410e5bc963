/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that memlat builds for (5.10 … 7.3). Force-included by Kbuild,
 * so that everything else reads as if it were written for the last of them. What a kernel has is
 * probed by probe.c; a version does not identify kernels with backports.
 */
#ifndef MEMLAT_COMPAT_H
#define MEMLAT_COMPAT_H

/* Before any header: begin every line in the log with the module's name. */
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include "needs.h"

#include <linux/slab.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <asm/cpuid/api.h>
#include <asm/msr.h>

#include <module/compat/probed.h>

#ifndef MEMLAT_HAS_MSRQ
#define rdmsrq_safe(msr, p)	rdmsrl_safe(msr, p)
#define wrmsrq_safe(msr, val)	wrmsrl_safe(msr, val)
#define native_rdmsrq(msr)	__rdmsr(msr)
#define native_wrmsrq(msr, val)	native_wrmsrl(msr, val)
#endif

#ifndef MEMLAT_HAS_TIMER_DELETE_SYNC
#define timer_delete_sync(timer)	del_timer_sync(timer)
#endif

#ifndef MEMLAT_HAS_DFL_WQ
#define system_dfl_wq		system_unbound_wq
#endif
#ifndef MEMLAT_HAS_WQ_PERCPU
#define WQ_PERCPU		0
#endif

/* The flag itself is older, for kernels with PREEMPT_RT. */
#ifndef MEMLAT_HAS_IRQ_WORK_INIT_HARD
#define IRQ_WORK_INIT_HARD(function) \
	((struct irq_work){ .flags = ATOMIC_INIT(IRQ_WORK_HARD_IRQ), .func = (function) })
#endif

/* Ask the security modules whether perf may sample the kernel, where modules can ask. */
#ifdef MEMLAT_HAS_PERF_ALLOW_KERNEL
#define MEMLAT_PERF_ALLOWED()	perf_allow_kernel()
#else
#define MEMLAT_PERF_ALLOWED()	0
#endif

/* Without @group_dead, sched_process_exit is passed when the task's page tables are gone. */
#ifdef MEMLAT_HAS_EXIT_GROUP_DEAD
#define MEMLAT_EXIT_ARGS	struct task_struct *task, bool group_dead
#else
#define MEMLAT_EXIT_ARGS	struct task_struct *task
#endif

#if defined(MEMLAT_HAS_SWITCH_STATE_LAST)
#define MEMLAT_SWITCH_ARGS	bool preempt, struct task_struct *prev, \
				struct task_struct *next, unsigned int prev_state
#elif defined(MEMLAT_HAS_SWITCH_STATE_FIRST)
#define MEMLAT_SWITCH_ARGS	bool preempt, unsigned int prev_state, \
				struct task_struct *prev, struct task_struct *next
#else
#define MEMLAT_SWITCH_ARGS	bool preempt, struct task_struct *prev, struct task_struct *next
#endif

/*
 * Until 6.8 kvm_entry has only the vCPU as argument, and KCFI wants a probe to have the exact
 * prototype. (The patch, "Plumb force_immediate_exit into kvm_entry() tracepoint", was posted in
 * January 2024.) This and the next are the only versions that are asked for, because no package of
 * headers has KVM's tracepoints. Without KCFI an argument too many, or too few, does no harm.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define MEMLAT_KVM_ENTRY_ARGS	struct kvm_vcpu *vcpu, bool force_immediate_exit
#else
#define MEMLAT_KVM_ENTRY_ARGS	struct kvm_vcpu *vcpu
#endif

/* Until 5.16 kvm_exit has the reason for the exit as its first argument. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define MEMLAT_KVM_EXIT_ARGS	struct kvm_vcpu *vcpu, u32 isa
#else
#define MEMLAT_KVM_EXIT_ARGS	unsigned int exit_reason, struct kvm_vcpu *vcpu, u32 isa
#endif

/* Without CONFIG_MODULE_UNLOAD no kernel counts a module's users, so assume that it is in use. */
#ifndef CONFIG_MODULE_UNLOAD
#define module_refcount(mod)	((void)(mod), 1)
#endif

/* Allocators by type: 7.2 has all of them, 6.12 some. */
#ifndef kzalloc_obj
#define kzalloc_obj(obj, gfp)	kzalloc(sizeof(obj), gfp)
#endif
#ifndef kvmalloc_obj
#define kvmalloc_obj(obj, gfp)	kvmalloc(sizeof(obj), gfp)
#endif

#endif /* MEMLAT_COMPAT_H */
